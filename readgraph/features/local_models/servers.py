"""The servers that run models on this machine, each a child process that ends with its parent."""

import atexit
import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any

from readgraph.features.local_models.files import (
    PACKAGED_MODEL,
    ModelFile,
    context_tokens,
    local_settings,
    model_file,
    reply_tokens,
)
from readgraph.state.errors import ModelUnavailable
from readgraph.state.loops import reset_in_forked
from readgraph.state.providers import full_name
from readgraph.state.variables import warn_caller

CHILD = "readgraph.features.local_models.process"
ENDING = 0.5  # seconds from when a process is no longer reached until it has ended
SECONDS_TO_END = 5.0
COMPILED_HERE = "pip install --force-reinstall --no-binary xllamacpp xllamacpp, which takes a compiler"


@dataclass(frozen=True, eq=False)
class LocalServer:
    """A running server; `url` and `key` are what a client of OpenAI's protocol needs."""

    url: str
    key: str
    process: "subprocess.Popen[str]"

    def how_it_ended(self) -> str:
        """How its process ended by itself, and what to do then, for the middle of a line; "" if it still runs."""
        try:
            code = self.process.wait(ENDING)  # its connection breaks a moment before it has ended
        except subprocess.TimeoutExpired:
            return ""
        if code == -signal.SIGILL:
            return f" (llama.cpp was compiled for a newer processor: {COMPILED_HERE})"
        return f" ({signal.strsignal(-code)})" if code < 0 else f" with code {code}"

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
        "reply": reply_tokens(file),
    }
    with suppress(OSError):  # it has ended already: the next line is empty
        process.stdin.write(json.dumps(arguments) + "\n")
        process.stdin.flush()
    line = process.stdout.readline()
    said = json.loads(line) if line else {"problem": f"its process ended with code {process.wait()}"}
    if "problem" in said:
        process.communicate()
        raise ModelUnavailable(f"The model's file {file.path} can't be loaded: {said['problem']}.")
    return LocalServer(f"{said['address']}/v1", key, process)

"""LangGraph's development server in a subprocess, started by its own command or by readgraph's."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

needs_the_server = pytest.mark.skipif(
    not all(map(find_spec, ("langgraph_cli", "langgraph_api", "langgraph_runtime_inmem"))),
    reason="needs the development server: pip install 'langgraph-cli[inmem]'",
)

READY_WITHIN = 60.0
STOPPED_WITHIN = 10.0

_FOREIGN = ("LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_", "READGRAPH_", "OPENAI_", "OTEL_")
"""Environment variables of the person who runs the tests, such as keys, that the server must not see."""


@dataclass(frozen=True)
class DevelopmentServer:
    """A running server; `library` is the folder that its READGRAPH_LIBRARY names."""

    url: str
    library: Path
    log_file: Path
    process: "subprocess.Popen[bytes]"

    @property
    def log(self) -> str:
        """What the server has written so far."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")


@contextmanager
def development_server(folder: Path, config: Path, **environment: str) -> Iterator[DevelopmentServer]:
    """`langgraph dev` while the context lasts, with a library in the folder."""
    options = ["--no-browser", "--no-reload", "--host", "127.0.0.1", "--config", str(config)]
    quiet = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true", "LANGSMITH_TRACING": "false"}
    with serving(["langgraph_cli", "dev", *options], folder, **quiet, **environment) as server:
        yield server


@contextmanager
def serving(command: list[str], folder: Path, *, saying: str = "", **environment: str) -> Iterator[DevelopmentServer]:
    """Run a server command on a free loopback port inside the `with` block; its files go to the folder.

    It is ready when it answers and has printed `saying`. It runs in a process group of its own, all of which is ended.
    """
    port, library, log_file = free_port(), folder / "library", folder / "server.log"
    with log_file.open("wb") as log:
        # It stores its threads in the working directory, where a developer's own server must not find them.
        process = subprocess.Popen(
            [sys.executable, "-m", *command, "--port", str(port)],
            cwd=folder,
            env=_environment(library, environment),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = DevelopmentServer(f"http://127.0.0.1:{port}", library, log_file, process)
    try:
        _wait_until_ready(server, port, saying)
        yield server
    finally:
        _stop(process)


def _environment(library: Path, extra: dict[str, str]) -> dict[str, str]:
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_FOREIGN) and not name.endswith("_API_KEY")
    }
    search_path = [str(REPOSITORY), *filter(None, [inherited.get("PYTHONPATH")])]
    return inherited | {
        "PYTHONPATH": os.pathsep.join(search_path),
        "PYTHONUNBUFFERED": "1",
        "LANGGRAPH_STRICT_MSGPACK": "true",
        "LOG_COLOR": "false",
        "READGRAPH_LIBRARY": str(library),
        **extra,
    }


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def _wait_until_ready(server: DevelopmentServer, port: int, saying: str) -> None:
    deadline = time.monotonic() + READY_WITHIN
    while not (_answers(port) and saying in server.log):
        if server.process.poll() is not None:
            raise RuntimeError(f"The server ended with code {server.process.returncode}:\n{server.log}")
        if time.monotonic() > deadline:
            raise RuntimeError(f"The server was not ready within {READY_WITHIN:.0f} s:\n{server.log}")
        time.sleep(0.1)


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/ok")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOPPED_WITHIN)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

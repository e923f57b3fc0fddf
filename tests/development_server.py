"""LangGraph's development server in a subprocess, on the repository's langgraph.json."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

READY_WITHIN = 60.0
STOPPED_WITHIN = 10.0

_FOREIGN = ("LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_", "READGRAPH_", "OPENAI_", "OTEL_")
"""Settings of the person who runs the tests, keys among them, that the server must not see."""


@dataclass(frozen=True)
class DevelopmentServer:
    """A running server; `library` is the folder that its READGRAPH_LIBRARY names."""

    url: str
    library: Path
    log_file: Path

    @property
    def log(self) -> str:
        """What the server has written so far."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")


@contextmanager
def development_server(folder: Path, **environment: str) -> Iterator[DevelopmentServer]:
    """Serve on a free loopback port while the context lasts; all files that the server writes go to the folder."""
    port = _free_port()
    server = DevelopmentServer(f"http://127.0.0.1:{port}", folder / "library", folder / "server.log")
    where = ["--host", "127.0.0.1", "--port", str(port), "--config", str(REPOSITORY / "langgraph.json")]
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", *where]
    with server.log_file.open("wb") as log:
        # It keeps its threads below the working directory, where a developer's own server must not find them.
        process = subprocess.Popen(
            command, cwd=folder, env=_environment(server, environment), stdout=log, stderr=subprocess.STDOUT
        )
    try:
        _wait_until_ready(process, server, port)
        yield server
    finally:
        _stop(process)


def _environment(server: DevelopmentServer, extra: dict[str, str]) -> dict[str, str]:
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_FOREIGN) and not name.endswith("_API_KEY")
    }
    search_path = [str(REPOSITORY), *filter(None, [inherited.get("PYTHONPATH")])]
    return inherited | {
        "PYTHONPATH": os.pathsep.join(search_path),
        "PYTHONUNBUFFERED": "1",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGGRAPH_STRICT_MSGPACK": "true",
        "LANGSMITH_TRACING": "false",
        "LOG_COLOR": "false",
        "READGRAPH_LIBRARY": str(server.library),
        **extra,
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def _wait_until_ready(process: "subprocess.Popen[bytes]", server: DevelopmentServer, port: int) -> None:
    deadline = time.monotonic() + READY_WITHIN
    while not _answers(port):
        if process.poll() is not None:
            raise RuntimeError(f"langgraph dev ended with code {process.returncode}:\n{server.log}")
        if time.monotonic() > deadline:
            raise RuntimeError(f"langgraph dev was not ready within {READY_WITHIN:.0f} s:\n{server.log}")
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
        process.kill()
        process.wait()

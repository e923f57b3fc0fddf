"""Fixtures: a model double, a library, a text to read."""

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from readgraph.cli.main import run
from readgraph.nodes.local import model_file
from readgraph.nodes.local import server as server_of_local
from readgraph.state.library import Library, open_library
from tests.command import Command, Ran
from tests.examples import EXAMPLES
from tests.local_child import put_model_file
from tests.model_server import ModelServer
from tests.reader import reader


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, model, library or tracing of the person who runs the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "READGRAPH_MODEL", "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("READGRAPH_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("READGRAPH_SETTINGS", str(tmp_path / "settings.toml"))
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model double that the model "openai:double" speaks to."""
    with ModelServer(reader) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
        yield running


@pytest.fixture
def local_double(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The file of a model of this machine, whose child is a double; it stands for the packaged one, too."""
    path = put_model_file(tmp_path)
    monkeypatch.setattr(server_of_local, "CHILD", "tests.local_child")
    monkeypatch.setattr(model_file, "RUN_BY", ())
    monkeypatch.setattr(model_file, "_packaged", lambda: path)
    yield path
    server_of_local._stop()


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    """An empty library."""
    async with open_library(tmp_path / "library") as opened:
        yield opened


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """The folder of an evaluation, which is not there yet."""
    return tmp_path / "out"


@pytest.fixture(scope="session")
def story() -> str:
    """The example story."""
    return (EXAMPLES / "the-lamp-at-sarn-head.txt").read_text(encoding="utf-8")


@pytest.fixture
def readgraph(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, run in this process."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("readgraph.nodes.calling._pause", lambda state: 0.0)

    def command(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["readgraph", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            run()
        return Ran(int(ended.value.code or 0), *capsys.readouterr())

    return command

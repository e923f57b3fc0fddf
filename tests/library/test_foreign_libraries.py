"""A library that somebody else made: its rows are data, and nothing of them is run."""

import io
import json
import pickle
import shutil
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path

import ormsgpack
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.serde import _msgpack, jsonplus
from pytest import MonkeyPatch

from readgraph.library.opening import Library
from readgraph.library.search import keyword_tables
from readgraph.library.search.keyword_tables import open_tables
from readgraph.state.errors import LibraryError
from tests.doubles.agent import Script, say
from tests.doubles.model_server import ModelServer
from tests.support.command import ASK, DOUBLE, STORY, Command, assert_refused

CHAT = ("chat", "--agent", "ada", *DOUBLE)
COMMANDS = [
    ("ask", "--continue", "Why?"),
    ("forget", STORY.stem, "--yes"),
    ("agents", "list"),
    ("agents", "export", "ada", "ada.json"),
    CHAT,
]


class _Runs:
    """What pickle would run."""

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (Path(self.mark),))


def _extension(code: int, *parts: object) -> Callable[[str], tuple[str, bytes]]:
    def made(mark: str) -> tuple[str, bytes]:
        given = [part(mark) if callable(part) else part for part in parts]
        return "msgpack", ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(given)))

    return made


def _touch(mark: str) -> str:
    return f"touch {mark}"


def _json(version: int) -> Callable[[str], tuple[str, bytes]]:
    def made(mark: str) -> tuple[str, bytes]:
        value = {"lc": version, "type": "constructor", "id": ["os", "system"], "args": [_touch(mark)]}
        return "json", json.dumps(value).encode()

    return made


Crafted = Callable[[str], tuple[str, bytes]]

CRAFTED: dict[str, Crafted] = {
    "one argument": _extension(jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG, "os", "system", _touch),
    "arguments": _extension(jsonplus.EXT_CONSTRUCTOR_POS_ARGS, "os", "system", lambda mark: [_touch(mark)]),
    "named": _extension(jsonplus.EXT_CONSTRUCTOR_KW_ARGS, "os", "system", lambda mark: {"command": _touch(mark)}),
    "method": _extension(jsonplus.EXT_METHOD_SINGLE_ARG, "pathlib", "Path", lambda mark: mark, "touch"),
    "pydantic 1": _extension(jsonplus.EXT_PYDANTIC_V1, "os", "system", lambda mark: {"command": _touch(mark)}),
    "pydantic 2": _extension(
        jsonplus.EXT_PYDANTIC_V2, "os", "system", lambda mark: {"command": _touch(mark)}, "model_validate_json"
    ),
    "json, lc 1": _json(1),
    "json, lc 2": _json(2),
    "pickle": lambda mark: ("pickle", pickle.dumps(_Runs(mark))),
    "no type": lambda mark: ("made up", mark.encode()),
}


@pytest.fixture(autouse=True)
def as_people_run_it(monkeypatch: MonkeyPatch) -> None:
    """The tests set LangGraph strict; people don't."""
    monkeypatch.setattr(_msgpack, "STRICT_MSGPACK_ENABLED", False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where what all tests begin with is kept, once it was made."""
    return tmp_path_factory.mktemp("made") / "library"


@pytest.fixture
def whole(readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, tmp_path: Path, made: Path) -> Path:
    """A library with a question and an agent."""
    server.respond = Script(say("Hello."))
    monkeypatch.setattr(sys, "stdin", io.StringIO("I keep goats.\n"))
    if made.exists():
        shutil.copytree(made, tmp_path / "library")
    else:
        readgraph(*ASK)
        readgraph(*CHAT)
        shutil.copytree(tmp_path / "library", made)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "library"


def _crafted(library: Path, statement: str, row: tuple[object, ...]) -> None:
    with closing(sqlite3.connect(library / "checkpoints.sqlite", isolation_level=None)) as checkpoints:
        assert checkpoints.execute(statement, row).rowcount


INTO_CHECKPOINTS = "UPDATE checkpoints SET type = ?, checkpoint = ?"
INTO_WRITES = """INSERT INTO writes
    SELECT thread_id, checkpoint_ns, checkpoint_id, 'task', '', 0, 'blocks', ?, ? FROM checkpoints"""


@pytest.mark.parametrize("crafted", CRAFTED.values(), ids=CRAFTED)
@pytest.mark.parametrize("statement", [INTO_CHECKPOINTS, INTO_WRITES])
async def test_no_row_runs_anything(library: Library, tmp_path: Path, crafted: Crafted, statement: str) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": "1", "checkpoint_ns": ""}}
    await library.checkpointer.aput(thread, empty_checkpoint(), {}, {})
    _crafted(library.folder, statement, crafted(str(tmp_path / "mark")))
    reads: list[Callable[[], Awaitable[object]]] = [
        lambda: library.checkpointer.aget_tuple(thread),
        lambda: anext(library.checkpointer.alist(thread)),
    ]
    for read in reads:
        with suppress(LibraryError):
            await read()
        assert not (tmp_path / "mark").exists()


async def test_what_is_nested_too_deeply_is_damage(library: Library) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": "1", "checkpoint_ns": ""}}
    await library.checkpointer.aput(thread, empty_checkpoint(), {}, {})
    deep = '{"source": ' + "[" * 100_000 + "]" * 100_000 + "}"
    _crafted(library.folder, "UPDATE checkpoints SET metadata = ?", (deep,))
    with pytest.raises(LibraryError, match="it is damaged"):
        await library.checkpointer.aget_tuple(thread)
    with pytest.raises(LibraryError, match="it is damaged"):
        await anext(library.checkpointer.alist(thread))


@pytest.mark.parametrize("crafted", [CRAFTED["one argument"], CRAFTED["pickle"]])
@pytest.mark.parametrize("statement", [INTO_CHECKPOINTS, INTO_WRITES])
@pytest.mark.slow
def test_each_command_goes_on_or_says_what_is_wrong(
    readgraph: Command, whole: Path, monkeypatch: MonkeyPatch, tmp_path: Path, crafted: Crafted, statement: str
) -> None:
    _crafted(whole, statement, crafted(str(tmp_path / "mark")))
    for line in COMMANDS:
        monkeypatch.setattr(sys, "stdin", io.StringIO("/memory\n/undo\nHello again.\n"))
        ran = readgraph(*line)
        assert not (tmp_path / "mark").exists()
        if ran.code:
            assert_refused(ran, "it is damaged")


def _with_an_endless_view(file: Path, table: str) -> None:
    """A view in the table's place, which goes on for ever."""
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        columns = ", ".join(column for _, column, *_ in database.execute(f"PRAGMA table_info({table})"))
        database.execute(f"ALTER TABLE {table} RENAME TO other")
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        database.execute(f"CREATE VIEW {table} AS {endless} SELECT {columns} FROM other, n")


@pytest.mark.parametrize(("name", "table"), [("library", "store"), ("checkpoints", "checkpoints")])
def test_a_view_in_the_place_of_a_table(readgraph: Command, whole: Path, name: str, table: str) -> None:
    _with_an_endless_view(whole / f"{name}.sqlite", table)
    assert_refused(readgraph("show"), "it is damaged")


def test_a_view_in_a_search_index_makes_it_anew(tmp_path: Path) -> None:
    file = tmp_path / "keywords.sqlite"
    open_tables(file).close()
    _with_an_endless_view(file, "indexes")
    with closing(open_tables(file)) as tables:
        assert keyword_tables.find_missing(tables, "memory", 1) == [0]

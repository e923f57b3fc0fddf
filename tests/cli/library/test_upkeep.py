"""`readgraph library check`, `repair` and `backup`, on libraries that are whole, damaged, and in use."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.doubles.model_server import ModelServer
from tests.support.command import ASK, DOUBLE, Command, assert_refused
from tests.support.damaging import lose_index_entry
from tests.support.examples import STORY

CHECK = ("library", "check", "--json")


@pytest.fixture
def folder(readgraph: Command, server: ModelServer, tmp_path: Path) -> Path:
    """A library with a question that was asked."""
    assert readgraph(*ASK, *DOUBLE).code == 0
    return tmp_path / "library"


def changed(file: Path, statement: str, *values: object) -> int:
    """How many rows a statement changes."""
    with closing(sqlite3.connect(file)) as connection, connection:
        return connection.execute(statement, values).rowcount


def test_a_library_that_is_whole(readgraph: Command, folder: Path) -> None:
    assert readgraph("library", "check").out == "The library is whole: 1 document, 1 reading.\n"
    assert readgraph("library", "repair").out == "There was nothing to mend in 1 document, 1 reading.\n"


@pytest.mark.parametrize(
    ("kind", "file", "statement"),
    [
        ("memory", "library.sqlite", "DELETE FROM store WHERE prefix LIKE 'readgraph.pages.%' AND key LIKE '%1'"),
        pytest.param(
            *("memory", "library.sqlite", "DELETE FROM store WHERE prefix LIKE 'readgraph.notes.%' AND key LIKE '%0'"),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *("memory", "library.sqlite", "UPDATE store SET value = '{}' WHERE prefix LIKE 'readgraph.memories.%'"),
            marks=pytest.mark.slow,
        ),
        ("thread", "checkpoints.sqlite", "UPDATE checkpoints SET checkpoint = x'ff'"),
    ],
)
@pytest.mark.slow
def test_what_can_be_made_again_is_mended(
    readgraph: Command, server: ModelServer, folder: Path, kind: str, file: str, statement: str
) -> None:
    whole = readgraph(*ASK, *DOUBLE, "--method", "read-agent", "--json").json["answer"]
    assert changed(folder / file, statement)
    checked = readgraph(*CHECK)
    assert checked.code == 1 and f'"{kind}"' in checked.out
    asked = len(server.requests)
    mended = readgraph("library", "repair")
    assert mended.code == 0 and mended.out.startswith("Mended:")
    assert readgraph("library", "check").code == 0
    assert readgraph(*ASK, *DOUBLE, "--method", "read-agent", "--json").json["answer"] == whole
    assert len(server.requests) == asked, "recorded replies were paid for again"


def test_a_forgetting_that_an_index_keeps_from_its_end(readgraph: Command, folder: Path) -> None:
    store = folder / "library.sqlite"
    with closing(sqlite3.connect(store)) as connection:
        kept = "SELECT prefix || key FROM store WHERE prefix LIKE 'readgraph.notes.%' ORDER BY 1 DESC"
        (entry,) = connection.execute(kept).fetchone()
    lose_index_entry(store, entry)
    assert_refused(readgraph("forget", STORY.stem, "--yes"), "what was deleted is still found")
    checked = readgraph(*CHECK)
    assert checked.code == 1 and "missing from index" in checked.out
    assert entry.encode() in store.read_bytes(), "check must change nothing"
    assert readgraph("library", "repair").code == 0
    assert readgraph("library", "check").out == "The library is whole: 0 documents, 0 readings.\n"
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("SELECT count(*) FROM store WHERE prefix LIKE 'readgraph.notes%'").fetchone() == (0,)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM store WHERE prefix LIKE 'readgraph.text.%'", "a part of its text is missing"),
        ("UPDATE store SET value = replace(value, 'lamp', 'lump') WHERE prefix LIKE 'readgraph.text.%'", "changed"),
        ("UPDATE store SET value = '{}' WHERE prefix = 'readgraph.documents'", "its record is damaged"),
    ],
)
@pytest.mark.slow
def test_what_can_not_be_made_again_is_told(readgraph: Command, folder: Path, statement: str, problem: str) -> None:
    assert changed(folder / "library.sqlite", statement)
    for command in ("check", "repair"):
        ran = readgraph("library", command)
        assert ran.code == 1 and problem in ran.out and "Traceback" not in ran.err


@pytest.mark.slow
def test_a_damaged_search_index_is_made_again(readgraph: Command, server: ModelServer, folder: Path) -> None:
    gam = ("ask", "Who took the log book?", STORY, "--method", "gam", *DOUBLE, "--json")
    whole = readgraph(*gam).json["answer"]
    index = folder / "search" / "keywords.sqlite"
    index.write_bytes(b"SQLite format 3\0" + bytes(5000))
    checked = readgraph("library", "check")
    assert checked.code == 1 and "index keywords.sqlite" in checked.out
    assert readgraph("library", "repair").code == 0
    assert readgraph(*gam).json["answer"] == whole


def test_a_copy_is_a_library(readgraph: Command, server: ModelServer, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copies" / "monday"
    assert readgraph("library", "backup", copy).out.startswith("Copied the library into ")
    assert readgraph("library", "check", "--library", copy).code == 0
    asked = len(server.requests)
    assert readgraph(*ASK, *DOUBLE, "--library", copy, "--json").json["usage"]["calls"] == 0
    followed = readgraph("ask", "And then?", "--continue", *DOUBLE, "--library", copy, "--json").json
    assert followed["answer"] and len(server.requests) > asked
    assert_refused(readgraph("library", "backup", copy), "is there already")
    assert not [*copy.parent.glob(".*")]

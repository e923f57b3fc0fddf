"""No name leads out of the folder it belongs to: names that users and strangers choose, ids, uploads, links."""

import io
import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from readgraph.library.documents import unreadable
from readgraph.library.library import keep_original
from readgraph.library.opening import open_library_in_background
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.state.errors import LibraryError
from readgraph.state.loops import in_background
from tests.doubles.model_server import ModelServer
from tests.support.command import Command
from tests.support.every_command import any_reply, files_in

NAMES = [
    *("../../x", "..", ".", "/etc/passwd", "a/b", "a\\b", "~/x", "C:\\x", "\\\\192.0.2.1\\x", "x/../../../y"),
    *("con", "nul", "aux.txt", "lpt1", ".hidden", "-", "--help", "%2e%2e%2fx", "a" * 300, "x\0y", "x\ny", "\x1b[2J"),
    *("'; DROP TABLE store; --", '" OR 1=1 --', "%", "_", "*", "?", "[a-z]", "$(id)", "`id`", "{x}", "%s", "\u202ex"),
    *("readgraph", "documents", "memories", "store", "checkpoints", "default", "None", "", " "),
]
"""Names for what has one: paths, reserved words, patterns, statements of SQL and of the shell."""

SEARCHES = [
    *(
        "goat OR",
        "AND",
        "NOT",
        "NEAR(goat lamp, 2)",
        "goat*",
        "*",
        "^goat",
        "text:goat",
        "{a b}: goat",
        '"goat',
        'goat"',
    ),
    *("'; DROP TABLE entries; --", "goat' OR '1'='1", "%", "_", "(((", ")))", "\\", "\0", "-goat", "goat -- lamp", "+"),
]

LINES = [
    ("remember", "{name}", "{text}"),
    ("show", "{name}"),
    ("collection", "add", "{name}", "{text}"),
    ("ask", "Who?", "--collection", "{name}"),
    ("collection", "remove", "{name}"),
    ("chat", "--agent", "{name}", "--model", "openai:double"),
    ("agents", "export", "{name}", "{tmp}/agent.json"),
    ("agents", "import", "{tmp}/ada.json", "--as", "{name}"),
    ("agents", "forget", "{name}", "--yes"),
    ("forget", "{name}", "--yes"),
]


def tree(folder: Path) -> set[str]:
    """All files of a folder but those of the library."""
    return {str(path) for path in folder.rglob("*") if "library" not in path.relative_to(folder).parts[:2]}


@pytest.mark.slow
def test_no_name_leads_out_of_the_library(
    readgraph: Command, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.respond, inner = any_reply, tmp_path / "inner"
    inner.mkdir()
    monkeypatch.setenv("READGRAPH_LIBRARY", str(inner / "library"))
    monkeypatch.chdir(inner)
    files = files_in(inner)
    monkeypatch.setattr("sys.stdin", io.StringIO("Hello.\n"))
    assert readgraph("read", files["text"]).code == 0
    assert readgraph("chat", "--agent", "ada", "--model", "openai:double").code == 0
    assert readgraph("agents", "export", "ada", inner / "ada.json").code == 0
    there = tree(tmp_path) | {str(inner / "agent.json")}
    for name in NAMES:
        for line in LINES:
            monkeypatch.setattr("sys.stdin", io.StringIO("Hello.\n"))
            given = [part.format(**files, name="{}").replace("{}", name) for part in line]
            ran = readgraph(*given)
            assert ran.code in (0, 2) and "Traceback" not in ran.err, (given, ran.err)
            assert ran.code == 0 or ran.err.splitlines()[-1].startswith("readgraph: "), (given, ran.err)
        assert tree(tmp_path) <= there, name
    listed = readgraph("show").out
    assert "text" in listed and "ada" in readgraph("agents", "list").out
    for asked in SEARCHES:
        ran = readgraph("search", "--", asked)
        assert ran.code in (0, 2) and "Traceback" not in ran.err and ran.err.count("\n") <= 1, asked
    assert readgraph("show").out == listed and readgraph("library", "check").code == 0


def rename(library: Path, name: str) -> None:
    """Give each document of a library another id, as a stranger's library could."""
    with closing(sqlite3.connect(library / "library.sqlite", isolation_level=None)) as store:
        rows = store.execute("SELECT rowid, key, value FROM store WHERE prefix = 'readgraph.documents'").fetchall()
        assert rows
        for row, _, value in rows:
            changed = json.dumps({**json.loads(value), "id": name})
            store.execute("UPDATE store SET key = ?, value = ? WHERE rowid = ?", (name, changed, row))


@pytest.mark.parametrize("name", ["../../outside", "*", "..", "../originals/x"])
def test_an_id_of_a_stranger_s_library_names_no_file(readgraph: Command, tmp_path: Path, name: str) -> None:
    readgraph("read", files_in(tmp_path)["text"])
    library = tmp_path / "library"
    (library / "originals").mkdir()
    kept = [tmp_path / "outside.pdf", library / "originals" / "x.pdf", tmp_path / "outside.lock"]
    for file in kept:
        file.write_text("kept")
    rename(library, name)
    for line in (("show",), ("ask", "Who?", "--documents", "1"), ("library", "repair")):
        ran = readgraph(*line)
        assert ran.code in (0, 1, 2) and "Traceback" not in ran.err
    with open_library_in_background(library) as opened:
        with suppress(LibraryError):  # LangGraph takes no namespace with a full stop
            in_background(forget_document, opened, unreadable(name))
        keep_original(opened, unreadable(name), b"new", ".pdf")
    assert all(file.read_text() == "kept" for file in kept)


def test_a_copy_of_a_library_follows_no_link(readgraph: Command, tmp_path: Path) -> None:
    readgraph("read", files_in(tmp_path)["text"])
    (tmp_path / "secret").write_text("a secret of this machine")
    (tmp_path / "elsewhere").mkdir()
    originals = tmp_path / "library" / "originals"
    originals.mkdir()
    (originals / "a.pdf").symlink_to(tmp_path / "secret")
    (originals / "b").symlink_to(tmp_path / "elsewhere")
    (originals / "c.pdf").write_text("kept")
    assert readgraph("library", "backup", tmp_path / "copy").code == 0
    assert [path.name for path in (tmp_path / "copy" / "originals").iterdir()] == ["c.pdf"]

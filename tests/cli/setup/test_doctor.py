"""`readgraph doctor`: what is well, what is not, and what to do."""

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.model_server import Fault, ModelServer
from tests.support.command import DOUBLE, Command, assert_refused
from tests.support.examples import STORY


def found(readgraph: Command, *options: object, code: int = 0) -> dict[str, Any]:
    """Each thing that was looked at, by its name."""
    ran = readgraph("doctor", *options, "--json")
    assert ran.code == code, (ran.out, ran.err)
    said = json.loads(ran.out)
    assert said["well"] == (code == 0)
    return {each["name"]: each for each in said["examined"]}


def test_all_is_well(readgraph: Command, server: ModelServer) -> None:
    readgraph("read", STORY, *DOUBLE)
    asked = len(server.requests)
    server.respond = lambda request: {"count": 3}
    looked = found(readgraph, *DOUBLE)
    assert {name for name, each in looked.items() if each["well"]} >= {"versions", "library", "disk", "model"}
    assert "1 document" in looked["library"]["said"] and looked["embeddings"]["well"] is None
    assert len(server.requests) == asked + 1, "one short call"
    shown = readgraph("doctor").out
    assert "✓ library" in shown and "– model" in shown and "quotes only" in shown


def test_every_extra_is_named(readgraph: Command) -> None:
    said = found(readgraph)["extras"]["said"]
    assert all(name in said for name in ("rlm", "postgres", "ray", "deepagents", "web"))
    assert "docs" not in said and "rlm" in said.partition("; not")[0], "the tests' environment has rlm"


def test_what_is_wrong_is_said(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    readgraph("read", STORY)
    (tmp_path / "library" / "library.sqlite").write_bytes(b"SQLite format 3\0" + bytes(5000))
    server.fault_for = lambda request, call: Fault("no", status=401)
    looked = found(readgraph, *DOUBLE, "--embeddings", "nobody:nothing", code=1)
    wrong = {name: each["said"] for name, each in looked.items() if each["well"] is False}
    assert {*wrong} == {"library", "model", "embeddings"}
    assert all("\n" not in line and line for line in wrong.values())


def test_without_a_library_none_is_made(readgraph: Command, tmp_path: Path) -> None:
    assert found(readgraph)["library"]["well"] is None
    assert not (tmp_path / "library").exists()


def test_no_key_is_shown(readgraph: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hush-0123456789")
    server.fault_for = lambda request, call: Fault("The key sk-hush-0123456789 is wrong.", status=401)
    ran = readgraph("doctor", *DOUBLE)
    assert ran.code == 1 and "hush" not in ran.out + ran.err


def nothing_is_writable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)  # root may write whatever the mode


def test_a_library_that_can_only_be_read_is_marked(
    readgraph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readgraph("read", STORY)
    nothing_is_writable(monkeypatch)
    for place in (tmp_path / "library", tmp_path / "new" / "library"):
        said = found(readgraph, "--library", place, code=1)["library"]
        assert not said["well"] and "it must be writable" in said["said"]
        assert not (tmp_path / "new").exists()


def test_what_is_no_folder_for_a_library_is_marked(readgraph: Command, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Der Wärter schreibt wenig.")
    for place in (tmp_path / "notes.txt", tmp_path / "notes.txt" / "library", tmp_path):
        assert not found(readgraph, "--library", place, code=1)["library"]["well"]
        assert readgraph("ask", "Wer?", STORY, "--library", place).code == 2, "as doctor said"


@pytest.mark.parametrize(
    "settings", ["max_pages = 'viele", "max_pagess = 3", 'max_pages = "viele"', 'method = "no-such"', 'price = "cheap"']
)
def test_a_broken_settings_file_is_marked_and_the_rest_looked_at(
    readgraph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str
) -> None:
    (tmp_path / "settings.toml").write_text(settings)
    monkeypatch.setenv("READGRAPH_SETTINGS", str(tmp_path / "settings.toml"))
    looked = found(readgraph, code=1)
    assert [name for name, each in looked.items() if each["well"] is False] == ["settings"]
    assert "not looked at" in looked["model"]["said"] and looked["versions"]["well"]
    assert_refused(readgraph("ask", "Who?", STORY), looked["settings"]["said"])


def test_a_wrong_option_is_refused(readgraph: Command) -> None:
    assert_refused(readgraph("doctor", "--timeout", -1), "--timeout")


def test_sqlite_is_looked_at(readgraph: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sqlite3.sqlite_version in found(readgraph)["SQLite"]["said"]
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 26, 0))
    assert "too old" in found(readgraph, code=1)["SQLite"]["said"]

"""`readgraph doctor`: what is well, what is not, and what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.model_server import Fault, ModelServer
from tests.support.command import DOUBLE, Command
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
    assert "✓ library" in shown and "– model" in shown and "extractive" in shown


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

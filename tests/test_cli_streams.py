"""Standard input and output that are closed, broken, or can't hold a character."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from tests.command import STORY, Command, assert_refused

QUESTION = "Who took the log bóok? 書"
ASCII = {"PYTHONIOENCODING": "ascii:strict"}
NO_LOCALE = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.fixture
def closed_pipe() -> Iterator[int]:
    """A pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


def started(
    *arguments: object, out: int = subprocess.PIPE, environment: Mapping[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "readgraph.cli", *map(str, arguments)]
    return subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})


def test_a_closed_pipe_is_no_fault_to_tell_of(readgraph: Command, closed_pipe: int) -> None:
    readgraph("read", STORY)
    lines = [("show", STORY.stem), ("show", "--json"), ("--help",)]
    for running in [started(*line, out=closed_pipe) for line in lines]:
        assert running.communicate(timeout=60)[1] == b"", running.args


def test_output_that_can_not_hold_a_character(readgraph: Command, tmp_path: Path) -> None:
    book = tmp_path / "bóok.txt"
    book.write_text("The log bóok was taken by Iolo. 書は灯台にある。\U0001f56f", encoding="utf-8")
    found = readgraph("ask", QUESTION, book, "--json").json
    in_ascii = started("ask", QUESTION, book, "--json", environment=ASCII)
    without_locale = started("ask", QUESTION, book, "--show-steps", "--verbose", environment=NO_LOCALE)
    (as_json, _), (printed, told) = (each.communicate(timeout=60) for each in (in_ascii, without_locale))
    assert (in_ascii.returncode, without_locale.returncode) == (0, 0)
    assert json.loads(as_json)["citations"] == found["citations"] != []
    assert b"was taken by Iolo" in printed and b"Traceback" not in told


def test_standard_input_that_is_closed(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert_refused(readgraph("ask", "who", "-"), "Standard input can't be read")

"""Standard input and output that are closed, broken, or can't hold a character."""

import io
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from tests.doubles.model_server import ModelServer
from tests.support.command import DOUBLE, STORY, Command, assert_refused

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
    command = [sys.executable, "-m", "readgraph", *map(str, arguments)]
    return subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})


def test_a_closed_pipe_is_no_fault_to_tell_of(readgraph: Command, closed_pipe: int) -> None:
    readgraph("read", STORY)
    lines = [("show", STORY.stem), ("show", "--json"), ("--help",)]
    for running in [started(*line, out=closed_pipe) for line in lines]:
        assert running.communicate(timeout=60)[1] == b"", running.args
        assert running.returncode == 1, running.args


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no file here that is always full")
@pytest.mark.parametrize("line", [("show",), ("show", "--json"), ("methods", "--json")])
def test_output_that_is_full_is_one_line(readgraph: Command, line: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        running = started(*line, out=full.fileno())
        assert running.communicate(timeout=60)[1].startswith(b"readgraph: The output can't be written: No space")
    assert running.returncode == 2


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
    assert_refused(readgraph("forget", "who", "--yes"), "no document 'who'")
    readgraph("read", STORY)
    assert_refused(readgraph("forget", STORY.stem), "was kept")


def test_a_chat_without_standard_input_ends(readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert readgraph("chat", *DOUBLE).code == 0


class Keyboard(io.StringIO):
    """What a person types on a terminal; at its end they press Ctrl-D."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("typed", ["", "\n", "n\n", "yess\n"])
def test_without_a_yes_all_is_kept(readgraph: Command, monkeypatch: MonkeyPatch, typed: str) -> None:
    readgraph("read", STORY)
    monkeypatch.setattr("sys.stdin", Keyboard(typed))
    ran = readgraph("forget", STORY.stem)
    assert ran.code == 2 and "was kept" in ran.err and STORY.stem in readgraph("show").out


def test_the_question_stands_beside_the_output(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    readgraph("read", STORY)
    monkeypatch.setattr("sys.stdin", Keyboard("Yes\n"))
    ran = readgraph("forget", STORY.stem, "--json")
    assert ran.json["title"] == STORY.stem and ran.err.endswith("[y/N] ")


def test_a_question_is_left_with_one_ctrl_c(readgraph: Command) -> None:
    readgraph("read", STORY)
    terminal, keyboard = pty.openpty()
    command = [sys.executable, "-m", "readgraph", "forget", STORY.stem]
    asking = subprocess.Popen(command, stdin=keyboard, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        assert asking.stderr and asking.stderr.read(6) == b"Forget"
        asking.send_signal(signal.SIGINT)
        assert asking.wait(30) == 130 and b"readgraph: stopped." in asking.stderr.read()
    finally:
        asking.kill()
        os.close(terminal)
        os.close(keyboard)
    assert STORY.stem in readgraph("show").out

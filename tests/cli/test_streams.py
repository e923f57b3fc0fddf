"""Standard input and output that are closed, broken, or can't hold a character."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest import MonkeyPatch

from tests.doubles.model_server import ModelServer
from tests.support.command import ASK, DOUBLE, NODES, STORY, Command, Ran, assert_refused

QUESTION = "Who took the log bóok? 書"
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


@pytest.mark.slow
def test_a_closed_pipe_is_no_fault_to_tell_of(readgraph: Command, monkeypatch: MonkeyPatch, closed_pipe: int) -> None:
    readgraph("read", STORY)
    running = started("show", "--json", out=closed_pipe)
    for line in [("show", STORY.stem), ("--help",)]:
        with open(os.dup(closed_pipe), "w") as stdout:
            monkeypatch.setattr("sys.stdout", stdout)
            assert readgraph(*line) == Ran(1, "", ""), line
    assert running.communicate(timeout=60)[1] == b"" and running.returncode == 1


class NoReader(io.StringIO):
    """Standard output on Windows, whose reader has gone."""

    def flush(self) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")


def test_a_closed_pipe_on_windows_is_no_fault_to_tell_of(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", NoReader())
    assert readgraph("methods", "--json") == Ran(1, "", "")


def test_another_error_that_windows_calls_so_is_shown(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    def refused() -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr("readgraph.cli.run.methods.every_method", refused)
    with pytest.raises(OSError, match="Invalid"):
        readgraph("methods")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no file here that is always full")
def test_output_that_is_full_is_one_line(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    with open("/dev/full", "wb") as full:
        running = started("show", out=full.fileno())
    for line in [("show", "--json"), ("methods", "--json")]:
        with open("/dev/full", "w") as stdout:
            monkeypatch.setattr("sys.stdout", stdout)
            assert_refused(readgraph(*line), "The output can't be written: No space")
    assert running.communicate(timeout=60)[1].startswith(b"readgraph: The output can't be written: No space")
    assert running.returncode == 2


@pytest.mark.slow
def test_output_that_can_not_hold_a_character(readgraph: Command, monkeypatch: MonkeyPatch, tmp_path: Path) -> None:
    book = tmp_path / "bóok.txt"
    book.write_text("The log bóok was taken by Iolo. 書は灯台にある。\U0001f56f", encoding="utf-8")
    without_locale = started("ask", QUESTION, book, "--show-steps", "--verbose", environment=NO_LOCALE)
    found = readgraph("ask", QUESTION, book, "--json").json
    in_ascii = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    monkeypatch.setattr("sys.stdout", in_ascii)
    assert readgraph("ask", QUESTION, book, "--json").code == 0
    as_json = in_ascii.buffer.getvalue()
    printed, told = without_locale.communicate(timeout=60)
    assert without_locale.returncode == 0
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


def interruptible() -> None:
    """Let Ctrl-C reach the process, whatever it inherits."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def left_by_one_ctrl_c() -> bool:
    """Whether the question ends with the command at the first Ctrl-C."""
    terminal, keyboard = pytest.importorskip("pty").openpty()
    command = [sys.executable, "-m", "readgraph", "forget", STORY.stem]
    pipes: Any = {"stdin": keyboard, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    asking = subprocess.Popen(command, preexec_fn=interruptible, **pipes)
    try:
        assert asking.stderr and asking.stderr.read(6) == b"Delete"
        asking.send_signal(signal.SIGINT)
        return asking.wait(8) == 130 and b"readgraph: stopped." in asking.stderr.read()
    except subprocess.TimeoutExpired:
        return False
    finally:
        asking.kill()
        os.close(terminal)
        os.close(keyboard)


@pytest.mark.slow
def test_a_question_is_left_with_one_ctrl_c(readgraph: Command) -> None:
    readgraph("read", STORY)
    # A signal in the moment before the process waits for the reply would be seen only after the reply.
    assert any(left_by_one_ctrl_c() for _ in range(3))
    assert STORY.stem in readgraph("show").out


def test_what_is_piped_is_not_wrapped(readgraph: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS")
    asked = readgraph(*ASK, "--show-steps")
    (quote,) = [line for line in asked.out.splitlines() if line.startswith("  [1] ")]
    assert quote.endswith("”") and len(quote) > 80
    compared = readgraph("compare", *ASK[1:], "--methods", "bm25,full-text,first-words")
    steps = [line.split()[0] for line in asked.out.splitlines()[1 : 1 + len(NODES)]]
    assert steps == NODES, "a row is a line"
    assert all(line == line.rstrip() for line in (asked.out + asked.err + compared.out).splitlines())
    assert compared.out.endswith("\n") and compared.err.count("Read without a model") == compared.err.count("\n") == 1
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, readgraph(*ASK, "--show-steps").out.splitlines())) <= 80

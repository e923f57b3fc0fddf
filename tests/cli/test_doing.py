"""What is being done is said on a terminal before there is a bar, and whatever is written takes its place."""

import os
import pty
import re
import sys
from pathlib import Path

SLOW = """
import time
from readgraph.cli.terminal.doing import doing, say_doing
with doing("Reading the book"):
    say_doing("Opening the library")
    time.sleep(0.5)
    print("the answer")
print("more")
"""

WAITING = """
import time
from readgraph.cli.terminal import doing
from readgraph.state.variables import awaiting, tell_pause
doing.WAITED_SECONDS = 0.0
with doing.doing("Opening the library"), awaiting("the index of all texts"):
    tell_pause("5 of 20 new words are in it")
    time.sleep(0.5)
print("the answer")
"""


def run_on_terminal(*command: str, environment: dict[str, str] | None = None) -> str:
    """What a command writes to a terminal of its own."""
    pid, terminal = pty.fork()
    if not pid:
        os.environ.update({"TERM": "xterm", **(environment or {})})
        os.execv(sys.executable, [sys.executable, *command])
    written = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break
        if not more:
            break
        written += more
    os.waitpid(pid, 0)
    os.close(terminal)
    return written.decode("utf-8", "replace")


def shown_lines(written: str) -> list[str]:
    """The lines that are left on the terminal."""
    last = (line.split("\r")[-1] for line in written.replace("\r\n", "\n").split("\n"))
    return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in last]


def test_it_is_said_until_something_is_written() -> None:
    written = run_on_terminal("-c", SLOW)
    assert "Opening the library" in written
    assert shown_lines(written) == ["the answer", "more", ""]
    for silent in (run_on_terminal("-c", SLOW, "-q"), run_on_terminal("-c", SLOW, environment={"TERM": "dumb"})):
        assert "Opening" not in silent and shown_lines(silent) == ["the answer", "more", ""]


def test_what_is_waited_for_is_said_in_its_place() -> None:
    written = run_on_terminal("-c", WAITING)
    assert "Waiting for the index of all texts since 0 s: 5 of 20 new words are in it." in written
    assert shown_lines(written) == ["the answer", ""]


def test_a_question_tells_of_its_beginning_and_leaves_only_the_answer(tmp_path: Path) -> None:
    story = tmp_path / "story.txt"
    story.write_text("The keeper Ann lit the lamp of the tower at dusk.", encoding="utf-8")
    ask = ("-m", "readgraph", "ask", "Who lit the lamp?", str(story), "--library", str(tmp_path / "library"))
    written = run_on_terminal(*ask)
    assert re.search("Starting|Working|Opening", written)
    lines = shown_lines(written)
    assert "The text says:" in lines and not any(re.search("Starting|Working|Opening", line) for line in lines)

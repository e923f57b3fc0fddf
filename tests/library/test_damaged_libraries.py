"""Whatever became of a library, each command ends in time: with what it can do, or with one line."""

import io
import os
import shutil
import signal
import sys
import traceback
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from pytest import MonkeyPatch

from tests.doubles.agent import Script, say
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.library.test_older_library import OLDER
from tests.support.command import DOUBLE, Command, Ran
from tests.support.damaging import WAYS, Damage

DAMAGES = int(os.environ.get("DAMAGES", "4"))
"""Of each way, in the slow test; more find more."""

COMMANDS = 8
"""Given over each damaged library, one behind the other."""

SECONDS = 60
"""For one command; on a machine that does much else too."""

STORY = "The Lamp at Sarn Head"
TYPED = "/memory\n/search bees\n/undo\nHello again.\n"

SESSIONS = "# Session 1: Monday\nThe goat ate the log book.\n\n# Session 2: Tuesday\nNobody told the keeper.\n"

LINES: list[tuple[object, ...]] = [
    ("show",),
    ("show", "--json"),
    ("show", STORY),
    ("show", "keeper", "--json"),
    ("show", STORY, "--report", "OUT.html"),
    ("ask", "Who took the log book?", STORY),
    ("ask", "Who took the log book?", "goat.txt", "hen.txt", "--json"),
    ("ask", "--continue", "Why?"),
    ("ask", "Why?", STORY, "--continue"),
    ("ask", "Who?", STORY, "--method", "gam"),
    ("ask", "Who?", STORY, "--method", "mem-walker"),
    ("ask", "Who?", "goat.txt", *DOUBLE),
    ("compare", "Who?", STORY, "--methods", "gam,mem-walker"),
    ("read", "goat.txt"),
    ("read", "goat.txt", "--estimate", *DOUBLE),
    ("remember", "keeper", "sessions.txt"),
    ("agents",),
    ("agents", "export", "ada", "OUT.json"),
    ("chat", "--agent", "ada", *DOUBLE),
    ("agents", "forget", "ada", "--yes"),
    ("replies", "export", "OUT.jsonl"),
    ("replies", "export", "OUT.jsonl", "--document", STORY),
    ("forget", STORY, "--yes"),
    ("forget", "keeper", "--yes"),
]


@pytest.fixture
def whole(readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, tmp_path: Path) -> Path:
    """A library with documents, a collection, a history, an agent, replies, search indexes and threads."""
    with zipfile.ZipFile(OLDER) as packed:
        packed.extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goat.txt").write_text("The goat took the log book.\n\nIt ate the log book on Monday.\n" * 20)
    (tmp_path / "hen.txt").write_text("The hen saw it. Nobody asked the hen.\n" * 20)
    (tmp_path / "sessions.txt").write_text(SESSIONS)
    lines = [LINES[5], LINES[6], LINES[9], ("chat", "--agent", "ada", *DOUBLE)]
    for line in lines:
        assert run(readgraph, monkeypatch, line, server).code == 0
    return tmp_path / "library"


class Hung(BaseException):
    """A command took too long."""


def run(readgraph: Command, monkeypatch: MonkeyPatch, line: tuple[object, ...], server: ModelServer) -> Ran:
    """The command, with a person who types where it is a chat."""
    server.respond = Script(say("Hello.")) if line[0] == "chat" else reader
    monkeypatch.setattr(sys, "stdin", io.StringIO(TYPED))
    for left in Path().glob("OUT.*"):
        left.unlink()
    return readgraph(*line)


@contextmanager
def in_time() -> Iterator[None]:
    """Raise `Hung` in what takes too long."""

    def stop(*_: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fault_of(ran: Ran) -> str:
    """What is wrong with the way in which a command ended."""
    lines = ran.err.splitlines()
    if "Traceback" in ran.err + ran.out or ran.code not in (0, 2):
        return f"code {ran.code}: {ran.err}"
    if ran.code == 2 and not (lines and lines[-1].startswith("readgraph: ") and len(lines[-1]) < 1000):
        return f"no line: {ran.err!r}"
    return ""


def faults(
    readgraph: Command,
    monkeypatch: MonkeyPatch,
    server: ModelServer,
    whole: Path,
    damage: Damage,
    seed: int,
    lines: int,
) -> list[str]:
    """The commands that a damage of this seed made fail otherwise than they should."""
    random, found = Random(f"{damage.__name__} {seed}"), list[str]()
    kept = whole.with_name("kept")
    if not kept.exists():
        shutil.copytree(whole, kept)
    shutil.rmtree(whole)
    shutil.copytree(kept, whole)
    how = damage(whole, random)
    for line in random.sample(LINES, lines):
        try:
            with in_time():
                fault = fault_of(run(readgraph, monkeypatch, line, server))
        except (Exception, Hung):
            fault = "".join(traceback.format_exc().splitlines(keepends=True)[-12:])
        if fault:
            found.append(f"{seed} {how}\n{' '.join(map(str, line))}\n{fault}")
    return found


@pytest.mark.parametrize(
    "damage", [pytest.param(way, marks=[pytest.mark.slow] if number % 2 else []) for number, way in enumerate(WAYS)]
)
@pytest.mark.slow
def test_a_few_damages(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, whole: Path, damage: Damage
) -> None:
    assert not faults(readgraph, monkeypatch, server, whole, damage, 0, 3)


@pytest.mark.slow
@pytest.mark.parametrize("damage", WAYS)
def test_many_damages(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, whole: Path, damage: Damage
) -> None:
    found = [
        fault
        for seed in range(DAMAGES)
        for fault in faults(readgraph, monkeypatch, server, whole, damage, seed, COMMANDS)
    ]
    assert not found, "\n\n".join(found)

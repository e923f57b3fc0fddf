"""A library that can't be written, or is damaged, is told in one line; what can still be read is shown."""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from readgraph import api
from readgraph.api import functions
from readgraph.library.histories import SessionText
from readgraph.library.opening import open_library
from readgraph.library.upkeep.archives import HEADER
from readgraph.state.errors import BadInput
from tests.support.command import ASK, STORY, Command, Ran, assert_refused

BLOCK = 4096
"""Bytes: a page of SQLite's."""

LINES = [("show",), ("show", STORY.stem), ASK, ("ask", "--continue", "Why?")]

Damage = Callable[[bytes, random.Random], bytes]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where what all tests begin with is kept, once it was made."""
    return tmp_path_factory.mktemp("made") / "library"


@pytest.fixture
def whole(readgraph: Command, tmp_path: Path, made: Path) -> Path:
    """A library in which the story was read and asked about."""
    if not made.exists():
        readgraph(*ASK)
        shutil.copytree(tmp_path / "library", made)
        return tmp_path / "library"
    return shutil.copytree(made, tmp_path / "library")


@pytest.fixture
def read_only(whole: Path) -> Iterator[Path]:
    """The library on a file system that takes no writes."""
    for command in (["mount", "--bind"], ["mount", "-o", "remount,ro,bind"]):
        if not shutil.which("mount") or subprocess.run([*command, whole, whole], capture_output=True).returncode:
            pytest.skip("a folder can't be made read-only here: that takes root")
    try:
        yield whole
    finally:
        subprocess.run(["umount", "-l", whole], check=True)


@pytest.mark.parametrize(
    "line", [("read", STORY), ("forget", STORY.stem, "--yes"), ("replies", "import", "{tmp}/replies.jsonl")]
)
def test_a_library_that_cannot_be_written(
    readgraph: Command, read_only: Path, tmp_path: Path, line: tuple[object, ...]
) -> None:
    (tmp_path / "replies.jsonl").write_text(json.dumps(HEADER) + "\n")
    assert_refused(readgraph(*(str(part).format(tmp=tmp_path) for part in line)), "it must be writable")


@pytest.fixture
def only_read(whole: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The library, which this user may not write: nothing in it has changed at the test's end."""

    def contents() -> dict[Path, bytes]:
        files = (file for file in whole.rglob("*") if file.is_file() and not file.name.endswith(("-shm", "-wal")))
        return {file: file.read_bytes() for file in files}

    before = contents()
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)  # root may write whatever the mode
    yield whole
    assert contents() == before


NOT_KEPT = "The library can only be read: what is read and answered now is not kept."
ANSWERED = [
    ASK,
    ("ask", "Who climbed the tower?"),
    ("summarise", STORY),
    ("verify", "{tmp}/draft.txt", STORY),
    ("compress", STORY, "--budget", "60"),
]


@pytest.mark.parametrize("line", ANSWERED)
@pytest.mark.parametrize("way", ["only_read", "read_only"])
def test_a_library_that_can_only_be_read_answers_and_checks(
    readgraph: Command, tmp_path: Path, line: tuple[object, ...], way: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(way)
    (tmp_path / "draft.txt").write_text("The keeper took the log book to the cellar on Monday.")
    ran = readgraph(*(str(part).format(tmp=tmp_path) for part in line))
    assert ran.code in (0, 1) and ran.out and NOT_KEPT in ran.err


async def test_so_does_it_for_programs_and_agents(only_read: Path) -> None:
    async with open_library(only_read, answers=True) as library:
        assert library.is_copy and library.place == str(only_read)
        (document,) = await library.pages.documents()
        found = await functions.ask(library, "Who took the log book?", documents=[document.id])
        assert found.citations
        assert (await api.verify(library, "Iolo took the log book.", documents=[document.id])).claims
        with pytest.raises(BadInput, match="can only be read"):
            await functions.remember(library, "History", [SessionText("Something was said.")])
    async with open_library(only_read, answers=True) as library:
        assert len(await library.pages.documents()) == 1


SHOWN = [
    ("show",),
    ("show", STORY.stem),
    ("show", STORY.stem, "--report", "{tmp}/report.html"),
    ("agents",),
    ("library", "check"),
    ("replies", "export", "{tmp}/replies.jsonl"),
]


def test_a_library_that_cannot_be_written_can_be_shown(
    readgraph: Command, whole: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    def shown() -> list[Ran]:
        for written in ("report.html", "replies.jsonl"):
            (tmp_path / written).unlink(missing_ok=True)
        return [readgraph(*(str(part).format(tmp=tmp_path) for part in line)) for line in SHOWN]

    before = shown()
    request.getfixturevalue("read_only")
    assert all(ran.code == 0 for ran in before) and shown() == before


def test_a_library_without_permission_is_shown_without_checkpoints_too(
    readgraph: Command, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = readgraph("show", STORY.stem).out
    (whole / "checkpoints.sqlite").unlink()
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)  # root may write whatever the mode
    assert readgraph("show", STORY.stem).out == before
    assert "The library has no agents" in readgraph("agents").out
    assert not (whole / "checkpoints.sqlite").exists()


@pytest.mark.slow
@pytest.mark.parametrize("within", ["library", "library/within"])
def test_a_folder_that_may_not_be_looked_into(whole: Path, within: str) -> None:
    as_a_user = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
    if not shutil.which("setpriv") or subprocess.run([*as_a_user, "true"], capture_output=True).returncode:
        pytest.skip("a folder can't be closed to this user: that takes setpriv")
    whole.chmod(0)
    ran = [
        subprocess.run(
            [*as_a_user, sys.executable, "-m", "readgraph", *line, "--library", whole.parent / within],
            capture_output=True,
            text=True,
        )
        for line in (("show",), ("doctor",))
    ]
    whole.chmod(0o700)
    assert_refused(Ran(ran[0].returncode, ran[0].stdout, ran[0].stderr), "it must be writable")
    assert (ran[1].returncode, ran[1].stderr) == (1, "") and "it must be writable" in ran[1].stdout


@pytest.mark.parametrize("name", ["library.sqlite", "checkpoints.sqlite"])
def test_a_file_that_cannot_be_written(readgraph: Command, whole: Path, name: str) -> None:
    if not shutil.which("chattr") or subprocess.run(["chattr", "+i", whole / name], capture_output=True).returncode:
        pytest.skip("a file can't be made read-only here: that takes root and a file system with attributes")
    try:
        assert readgraph("show").code == 0
        assert_refused(readgraph("read", STORY, "--max-page-words", 700), "it must be writable")
    finally:
        subprocess.run(["chattr", "-i", whole / name], check=True)
    assert readgraph(*ASK).code == 0


def overwritten(block: bytes, rng: random.Random) -> bytes:
    return rng.randbytes(len(block))


def flipped(block: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(block)
    for _ in range(8):
        damaged[rng.randrange(len(block))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def assert_told(ran: Ran) -> None:
    if ran.code:
        assert_refused(ran, "")


@pytest.mark.parametrize("name", ["library.sqlite", "checkpoints.sqlite"])
@pytest.mark.parametrize("damage", [overwritten, flipped])
def test_damage_anywhere_is_an_answer_or_one_line(
    readgraph: Command, whole: Path, tmp_path: Path, name: str, damage: Damage
) -> None:
    data, rng = (whole / name).read_bytes(), random.Random(11)
    for at in range(0, len(data), 7 * BLOCK):
        shutil.copytree(whole, copy := tmp_path / f"damaged-{at}")
        block = damage(data[at : at + BLOCK], rng)
        (copy / name).write_bytes(data[:at] + block + data[at + BLOCK :])
        assert_told(readgraph(*rng.choice(LINES), "--library", copy))


def test_a_library_that_is_cut_off(readgraph: Command, whole: Path) -> None:
    file = whole / "library.sqlite"
    file.write_bytes(data := file.read_bytes()[: 5 * BLOCK])
    assert_refused(readgraph("show"), "is damaged: put a copy of it back")
    assert file.read_bytes() == data


@pytest.mark.parametrize(
    ("name", "within"), [("library.sqlite", b"tablestorestore"), ("checkpoints.sqlite", b"tablewriteswrites")]
)
def test_a_damaged_schema(readgraph: Command, whole: Path, name: str, within: bytes) -> None:
    data = (whole / name).read_bytes()
    assert data.count(within) == 1
    (whole / name).write_bytes(data.replace(within, within[:5] + b"\xff" + within[6:]))
    for line in (("show",), ("forget", STORY.stem, "--yes"), ("library", "check"), ("library", "repair")):
        assert_refused(readgraph(*line), "it is damaged: put a copy of it back")


def test_without_checkpoints_only_the_last_question_is_gone(readgraph: Command, whole: Path) -> None:
    (whole / "checkpoints.sqlite").unlink()
    assert_refused(readgraph("ask", "--continue", "Why?"), "no question to follow up")
    assert "took the memory of" in readgraph(*ASK, "--verbose").err


def test_a_text_that_lacks_a_part(readgraph: Command, whole: Path) -> None:
    with closing(sqlite3.connect(whole / "library.sqlite", isolation_level=None)) as library:
        assert library.execute("DELETE FROM store WHERE prefix LIKE '%.text.%' AND key LIKE '%1'").rowcount
    assert_refused(readgraph(*ASK, "--max-page-words", 700), "lacks a part of the text")
    assert readgraph("forget", STORY.stem, "--yes").code == 0
    assert readgraph(*ASK).code == 0

"""A full disk: one clear line, nothing lost, and with more room the same command goes on."""

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from readgraph.language.detection import classifier
from readgraph.library.page_store import PageStore
from readgraph.state.errors import LibraryError
from tests.doubles.model_server import ModelServer
from tests.support.command import DOUBLE, STORY, Command, assert_refused
from tests.support.examples import EXAMPLES, WHOLE_STORY

READ = ("ask", "Who took the log book?", STORY, "--method", "read-agent", *DOUBLE)
READ_WHOLE = ("ask", "Who took the log book?", WHOLE_STORY, "--method", "read-agent", *DOUBLE, "--concurrency", 1)
ROOM = "make room on its disk"
IN_FLIGHT = 3
"""Calls that a reading with one slot has begun at most: a page end, and two notes that wait for the slot."""

KILOBYTE = 1024


class SmallDisk:
    """A file system of eight megabytes in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.ballast = folder, folder / "ballast"

    def leave(self, kilobytes: int) -> None:
        """Fill it until this is left."""
        self.ballast.unlink(missing_ok=True)
        space = os.statvfs(self.folder)
        with self.ballast.open("wb") as ballast:
            os.posix_fallocate(ballast.fileno(), 0, space.f_bavail * space.f_frsize - kilobytes * KILOBYTE)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mounting, capture_output=True).returncode:
        pytest.skip("a file system can't be mounted here: that takes root")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def longest_file(size: int) -> Iterator[None]:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.slow
def test_on_a_disk_that_gets_room_bit_by_bit_the_reading_goes_on(
    readgraph: Command, server: ModelServer, disk: SmallDisk
) -> None:
    library, calls = ("--library", disk.folder / "library"), [0]
    disk.leave(0)
    while (ran := readgraph(*READ, *library)).code:
        assert_refused(ran, ROOM)
        calls.append(server.calls)
        disk.leave(100 * len(calls))
    assert calls[2] == 0 < calls[-2] < calls[-1], "it was full while the document was stored, and while it was read"
    assert server.calls == len({request.key for request in server.requests}), "a call was paid twice"


def test_a_disk_too_full_for_checkpoints(
    readgraph: Command, server: ModelServer, disk: SmallDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readgraph.library.file_store.CHECKPOINTS", str(disk.folder / "checkpoints.sqlite"))
    readgraph("show")
    for left in (0, 24, 160):
        disk.leave(left)
        assert_refused(readgraph(*READ), ROOM)
    assert STORY.stem in readgraph("show").out
    calls = server.calls
    disk.leave(1000)
    found = readgraph(*READ, "--json").json
    assert found["status"] == "answered" and calls == server.calls


@pytest.mark.slow
def test_a_limit_on_the_size_of_files(readgraph: Command, server: ModelServer) -> None:
    readgraph("read", EXAMPLES / "harbour-swim-meeting.txt")
    calls = [0]
    for size in (80_000, 300_000, 400_000):
        with longest_file(size):
            assert_refused(readgraph(*READ_WHOLE), ROOM)
        calls.append(server.calls)
    assert calls[1] == 0 < calls[2] < calls[3]
    assert "harbour" in readgraph("show").out
    assert readgraph(*READ_WHOLE, "--json").json["status"] == "answered"
    asked = {request.key for request in server.requests}
    assert server.calls <= len(asked) + IN_FLIGHT * len(calls), "only calls that had begun are paid twice"


def test_no_embeddings_are_paid_for_that_cannot_be_kept(
    readgraph: Command, server: ModelServer, disk: SmallDisk
) -> None:
    library = ("--library", disk.folder / "library")
    readgraph("read", STORY, "--method", "dense", *library)
    ask = ("ask", "Wer nahm das Logbuch?", STORY, "--method", "dense", "--embeddings", "openai:vectors", *library)
    for left in (100, 1100):
        disk.leave(left)
        assert_refused(readgraph(*ask), ROOM)
        assert server.embedding_calls == 0
    disk.ballast.unlink()
    assert not readgraph(*ask).code and server.embedding_calls


def test_a_reply_that_cannot_be_kept_is_told(
    readgraph: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object) -> None:
        raise LibraryError("The disk is full.")

    with monkeypatch.context() as full:
        full.setattr(PageStore, "put_replies", refused)
        assert_refused(readgraph(*READ, "--concurrency", 1), "was not kept: it is asked for again.")
    assert 0 < server.calls <= IN_FLIGHT
    assert readgraph(*READ, "--json").json["status"] == "answered"


def test_no_room_for_a_temporary_file_is_told(
    readgraph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("ask", "Was fand der Müller?", tmp_path / "chronik.md")
    asked[-1].write_text(
        "Der Müller hob den Stein vom Brunnen und fand darunter eine Kassette aus Zinn.", encoding="utf-8"
    )

    def refused(_: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    classifier.cache_clear()
    with monkeypatch.context() as full:
        full.setattr("py3langid.classify", refused)
        assert_refused(readgraph(*asked), "temporary file (No space left on device): make room")
    assert "Kassette" in readgraph(*asked).text

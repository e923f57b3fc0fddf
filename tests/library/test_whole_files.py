"""What is written for a person appears whole or not at all."""

import json
import os
from pathlib import Path

import pytest

from readgraph.library.upkeep.archives import HEADER
from readgraph.state.files import replace_file
from tests.library.test_full_disk import longest_file
from tests.support.command import STORY, Command, assert_refused

SHARED_MEMORY = 32_768
"""Bytes that SQLite needs beside a library's file."""

REPLY = {"cut": False, "asked": "gist", "document": "d"}


@pytest.mark.parametrize("before", [None, "of before"])
def test_what_fails_half_way_leaves_what_was_there(tmp_path: Path, before: str | None) -> None:
    file = tmp_path / "file"
    if before:
        file.write_text(before)
    with pytest.raises(KeyboardInterrupt), replace_file(file) as opened:
        opened.write("half")
        raise KeyboardInterrupt
    assert [path.read_text() for path in tmp_path.iterdir()] == ([before] if before else [])


def test_a_link_stays_a_link_and_a_mode_a_mode(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept", tmp_path / "link"
    kept.touch(0o640)
    link.symlink_to(kept)
    with replace_file(link) as opened:
        opened.write("new")
    assert link.is_symlink() and kept.read_text() == "new" and kept.stat().st_mode & 0o777 == 0o640


def test_what_is_no_file_is_written_in_its_place(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with replace_file(Path(f"/dev/fd/{writing}"), "wb") as opened:
        opened.write(b"through the pipe")
    os.close(writing)
    with os.fdopen(reading, "rb") as read:
        assert read.read() == b"through the pipe"


def test_a_failed_export_does_not_block_the_next(readgraph: Command, tmp_path: Path) -> None:
    replies = [{"key": f"{number:040}", "said": "Seven. " * 20, **REPLY} for number in range(300)]
    (tmp_path / "given.jsonl").write_text("\n".join(map(json.dumps, [HEADER, *replies])))
    assert readgraph("replies", "import", tmp_path / "given.jsonl").code == readgraph("read", STORY).code == 0
    out = tmp_path / "out"
    out.mkdir()
    lines = [("replies", "export", out / "replies.jsonl"), ("show", STORY, "--report", out / "report.html")]
    for line in lines:
        with longest_file(SHARED_MEMORY):
            assert_refused(readgraph(*line), "can't be written")
    assert not any(out.iterdir())
    for line in lines:
        assert readgraph(*line).code == 0

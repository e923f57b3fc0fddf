"""The command `readgraph corpus`."""

import json
import sys
from pathlib import Path

import pytest

from tests.doubles.model_server import ModelServer
from tests.doubles.own_workers import own_workers
from tests.doubles.reader import reader
from tests.support.command import DOUBLE, Command, assert_refused


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two texts, one of them in a folder inside; they are read in this process."""
    monkeypatch.setattr("readgraph.doors.corpus.run.processes", own_workers)
    (tmp_path / "corpus" / "inside").mkdir(parents=True)
    (tmp_path / "corpus" / "goat.txt").write_text("The goat stood on the gallery.")
    (tmp_path / "corpus" / "inside" / "lamp.md").write_text("The lamp was lit. The keeper slept.")
    return tmp_path / "corpus"


def test_a_folder_is_read_and_a_rerun_reads_what_is_missing(
    readgraph: Command, folder: Path, server: ModelServer
) -> None:
    first = readgraph("corpus", folder, *DOUBLE, "--price", "1/2")
    assert first.text.startswith("2 documents: 2 read 13 words, 2 parts, notes of ") and "$0.0" in first.out
    calls = server.calls
    (folder / "new.txt").write_text("The gander was late.")
    (folder / "empty.txt").touch()
    again = readgraph("corpus", folder, *DOUBLE)
    assert again.text.startswith("4 documents: 1 read, 2 read before, 1 left out") and server.calls == calls + 1
    assert again.err.startswith("readgraph: Left out: ") and "is empty" in again.err and again.err.count("\n") == 1


def test_substitutes_of_all_documents_are_counted_and_can_be_asked_again(
    readgraph: Command, folder: Path, server: ModelServer
) -> None:
    server.respond = lambda request: ""
    told = readgraph("corpus", folder, *DOUBLE, "--method", "mem-walker")
    assert "no usable reply for summary 2; --again asks the model again" in told.text
    server.respond = reader
    again = readgraph("corpus", folder, *DOUBLE, "--method", "mem-walker", "--again", "--json")
    *lines, last = map(json.loads, again.out.splitlines())
    assert [line["fallbacks"] for line in [*lines, last["sum"]]] == [{}] * 3 and last["sum"]["usage"]["calls"] == 2


def test_json_is_a_line_for_each_document_and_the_sum(readgraph: Command, folder: Path) -> None:
    *lines, last = map(json.loads, readgraph("corpus", folder, "--json").out.splitlines())
    assert {Path(line["file"]).name for line in lines} == {"goat.txt", "lamp.md"}
    assert all(line["complete"] and not line["problem"] and line["usage"]["calls"] == 0 for line in lines)
    assert (last["sum"]["documents"], last["sum"]["read"], last["sum"]["words"]) == (2, 2, 13)


def test_what_cannot_be_done_is_refused_in_one_line(
    readgraph: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_refused(readgraph("corpus", folder / "goat.txt"), "goat.txt is no folder")
    assert_refused(readgraph("corpus", folder, "--address", "auto"), "add --on ray")
    assert_refused(readgraph("corpus", folder, "--glob", "*.pdf"), "holds no file of a known kind that matches")
    assert_refused(readgraph("corpus", folder, "--max-hops", 3), "--max-hops")
    assert_refused(readgraph("corpus", folder, "--list"), "was watched: 'readgraph corpus FOLDER --watch'")
    assert_refused(readgraph("corpus", folder / "gone", "--list", "--json"), "There is no folder")
    assert_refused(readgraph("corpus", folder, "--watch", "--on", "ray"), "--on")
    assert_refused(readgraph("corpus", folder, "--method", "nonsense"), "There is no method 'nonsense'")
    monkeypatch.setitem(sys.modules, "ray", None)
    assert_refused(readgraph("corpus", folder, "--on", "ray"), "pip install 'readgraph[ray]'")
    (folder / "goat.txt").write_text(" ")
    (folder / "inside" / "lamp.md").write_text(" ")
    ran = readgraph("corpus", folder)
    assert (ran.code, ran.out) == (2, "") and ran.err.count("is empty") == 3, "nothing could be read"
    as_json = readgraph("corpus", folder, "--json")
    assert as_json.code == 2 and json.loads(as_json.out.splitlines()[-1])["sum"]["left_out"] == 2

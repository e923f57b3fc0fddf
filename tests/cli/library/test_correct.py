"""`correct`: a part's note is replaced by the user's, shown as theirs, used, said, and put back."""

from pathlib import Path

import pytest
from pytest import MonkeyPatch

from tests.doubles.model_server import ModelServer
from tests.support.command import ASK, DOUBLE, STORY, Command, assert_refused
from tests.support.systems import needs_posix
from tests.support.typeset_report import typeset

pytestmark = pytest.mark.quick

MINE = "A pelican took the log book."


def test_a_correction_is_shown_used_said_and_taken_back(
    readgraph: Command, server: ModelServer, tmp_path: Path
) -> None:
    readgraph("read", STORY, *DOUBLE)
    before = readgraph("show", STORY, "--json").json["pages"]
    last = len(before) - 1
    line = ("correct", STORY, "--part", last)
    assert f"Corrected the note on part {last} of" in readgraph(*line, "--text", MINE).text
    shown = readgraph("show", STORY, "--json").json["pages"]
    assert shown[:-1] == before[:-1]
    assert (shown[-1]["gist"], shown[-1]["corrected"], shown[-1]["replaced"]) == (MINE, True, before[-1]["gist"])
    assert "gist corrected by hand" in readgraph("show", STORY).text

    report, asking = tmp_path / "report.html", (*ASK, *DOUBLE, "--method", "read-agent", "--max-pages", 1)
    asked = readgraph(*asking, "--report", report)
    assert f"used your correction of part {last}" in asked.text
    assert f'"corrected_notes":[{last}]' in report.read_text().replace(" ", "")
    assert readgraph(*asking, "--json").json["corrected_notes"] == [last]
    assert MINE in server.requests[-1].text

    undone = readgraph(*line, "--restore", "--json").json
    assert (undone["part"], undone["gist"], undone["replaced"]) == (last, before[-1]["gist"], None)
    assert readgraph("show", STORY, "--json").json["pages"] == before
    assert "correction" not in readgraph(*asking).text


@needs_posix
def test_an_editor_gets_the_note(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    readgraph("read", STORY)
    line = ("correct", STORY, "--part", 0)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    assert_refused(readgraph(*line), "There is no editor: set EDITOR, or give the note with --text.")
    for editor, reason in (("true", "Nothing was changed"), ("false", "'false' failed"), ("no-such-editor", "failed")):
        monkeypatch.setenv("EDITOR", editor)
        assert_refused(readgraph(*line), reason)
    monkeypatch.setenv("EDITOR", "sed -i '1s/^/By me. /'")
    own = readgraph("show", STORY, "--json").json["pages"][0]["gist"]
    assert readgraph(*line, "--json").json["gist"] == f"By me. {own}"


def test_a_part_is_named_by_a_place_of_the_source(readgraph: Command, tmp_path: Path) -> None:
    report = typeset(tmp_path / "report.pdf", 4)
    readgraph("read", report.path)
    readgraph("read", report.path, "--method", "mem-walker")
    line = ("correct", "vell", "--method", "read-agent", "--text", MINE, "--json")
    assert_refused(readgraph(*line, "--page", 1), "The place is in parts 0, 1: say with --part")
    done = readgraph(*line, "--at", "discharge").json
    assert (done["part"], done["method"], done["gist"], done["renewed"]) == (5, "read-agent", MINE, [])
    walked = readgraph("correct", "vell", "--part", 0, "--text", MINE)
    assert "Corrected the note on part 0" in walked.text


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ((), "Say which note: give --part N"),
        (("--part", 0, "--page", 1), "--page and --part each say where"),
        (("--part", 99, "--text", MINE), "has no part 99"),
        (("--part", 0, "--text", " "), "is empty"),
        (("--part", 0, "--restore"), "nothing to restore"),
        (("--part", 0, "--restore", "--text", MINE), "leave one of them out"),
        (("--part", 0, "--method", "gam", "--text", MINE), "has not been read with gam"),
        (("--at", "nowhere", "--text", MINE), "has no place 'nowhere'"),
    ],
)
def test_bad_input_is_refused_in_one_line(readgraph: Command, given: tuple[object, ...], reason: str) -> None:
    readgraph("read", STORY)
    assert_refused(readgraph("correct", STORY, *given), reason)

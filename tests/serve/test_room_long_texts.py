"""A text of many pages in the room: a page gets what it shows, and asks for the rest."""

from pathlib import Path

import pytest

from readgraph.doors.report import page as report_page
from tests.support.examples import WHOLE_STORY
from tests.support.reading_room import OpenRoom, said

pytestmark = pytest.mark.quick


def test_of_many_pages_some_come_and_the_marks_of_all_once(room: OpenRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_page, "MOST_SENT", 10)
    document = room.added("story.txt", Path(WHOLE_STORY).read_bytes()[:30_000])["id"]
    room.ran(documents=[document], settings={"model": ""})
    told = room.ran(documents=[document], question="Who took the log book?", settings={"model": ""})
    (result,) = [event for event in told if event["type"] == "result"]
    report, memory = result["report"], f"/api/documents/{document}/memories/{result['memory']}"
    assert not [event for event in told if event["type"] == "pages"]

    answer = room.client.get(f"{memory}/marks")
    marks = said(answer)
    assert report["found"]["citations"] and 0 < len(report["numbers"]) < len(marks["start"])
    for number, page in zip(report["numbers"], report["pages"], strict=True):
        assert page["text"] and (page["start"], page["end"]) == (marks["start"][number], marks["end"][number])
    same = room.client.get(f"{memory}/marks", headers={"if-none-match": answer.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"") and "no-store" not in answer.headers["cache-control"]

    assert room.get(memory)["numbers"] == [0]
    (kept,) = room.get("/api/questions", document=document)["questions"]
    whole = room.client.get(f"/api/questions/{kept['thread']}/report.html").text
    assert whole.count('"fallback":') == len(marks["start"]), "the file that is kept has all"

"""The reading room's API knows a text up to a place: no request, answer or hit has what follows."""

import json
from pathlib import Path

import pytest

from tests.api.test_up_to import QUESTION, TEXT
from tests.doubles.model_server import ModelServer
from tests.look.reports import write_report
from tests.support.reading_room import OpenRoom


def test_what_follows_a_place_is_in_nothing(room: OpenRoom, server: ModelServer) -> None:
    document = room.added("log.md", TEXT.encode())["id"]
    asked = {"documents": [document], "method": "read-agent"}
    whole = room.ran(**asked, question="Who ate the keeper?")
    server.reset()
    with pytest.raises(AssertionError, match="about the same document"):
        thread = whole[-1]["run"]["thread"]
        room.post("/api/runs", **asked, question="And why?", follow_up=thread, up_to="chapter 2")
    begun = room.ran(**asked, question=QUESTION, up_to="chapter 2")
    hits = room.get("/api/search", query="quagga keeper", documents=document, up_to="chapter 2")["hits"]
    sent = [request.body for request in server.requests]
    assert sent and hits and "quagga" not in json.dumps([begun, hits, sent]).lower()


def test_no_picture_of_a_page_has_what_follows(room: OpenRoom, tmp_path: Path) -> None:
    report = room.added("report.pdf", write_report(tmp_path / "report.pdf").read_bytes())["id"]
    for up_to, last in (("page 2", 2), ("30%", 1), ("page 4", None)):
        (result,) = [
            event
            for event in room.ran(documents=[report], question="Who writes?", method="read-agent", up_to=up_to)
            if event["type"] == "result"
        ]
        parts = room.get(f"/api/documents/{result['document']}")["parts"]
        assert [part["last_page"] for part in parts] == ([last] if last else []), up_to

"""What the room refuses, and how: in one line, whatever the request holds, and without an error of its own."""

import asyncio
import json
import threading
from pathlib import Path

import pytest
from httpx import get, post

from readgraph.serve.event_stream import event_stream
from readgraph.serve.run import Run
from readgraph.state.context import ReaderContext
from tests.support.reading_room import OpenRoom, reading_room, said

TOO_DEEP = b"[" * 100_000
TEXT = "The goat stood there.\n\nThe lamp went out."


def test_what_makes_no_sense_gets_a_line(room: OpenRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.serve.guard.AFTER_WRONG_PASSWORD", 0.0)
    for origin in ("http://[", "http://evil.example", "x", "null", "http://127.0.0.1:1"):
        answer = room.client.post("/api/texts", json={"text": "a"}, headers={"origin": origin})
        assert answer.status_code == 403 and "content-security-policy" in answer.headers
    for body in (b"", b"[]", b"{", b'{"password": 1}', b'{"password": "\\ud800"}', TOO_DEEP, b"a" * 20_000):
        answer = post(f"{room.base}/api/login", content=body)
        assert (answer.status_code, answer.json()["problem"]) == (401, "This is not the password.")
    for path, body in (
        ("/api/runs", b'{"documents": ["\\ud800"]}'),
        ("/api/runs", b'{"question": "a", "settings": {"\\ud800": "\\ud800"}}'),
        ("/api/runs", b'{"question": "a", "settings": {"language": "\\ud800"}}'),
        ("/api/runs", b'{"documents": ["a"], "\\ud800": 1}'),
        ("/api/addresses", b'{"address": "\\ud800"}'),
        ("/api/texts", TOO_DEEP),
    ):
        answer = room.client.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422) and "\n" not in answer.json()["problem"]
    assert room.client.get("/api/questions", params={"offset": "9" * 30}).status_code == 422
    run = room.post("/api/texts", text=TEXT)["id"]
    room.until(run, "end")
    told = room.client.get(f"/api/runs/{run}/events", headers={"last-event-id": "9" * 5000})
    assert told.status_code == 200 and told.text.count("data: ") > 0


def test_pages_that_are_not_there_are_refused_and_the_run_still_waits(room: OpenRoom) -> None:
    run = room.post("/api/runs", documents=added(room), question="What went out?", pause_before=["answer"])
    room.until(run["id"], "paused")
    for pages in ([-1], [10**30], [0, 99]):
        refused = room.client.post(f"/api/runs/{run['id']}/go-on", json={"pages": pages})
        assert refused.status_code == 400 and f"no page {pages[-1]}" in refused.json()["problem"]
    said(room.client.post(f"/api/runs/{run['id']}/go-on", json={"pages": [0]}))
    told = room.until(run["id"], "end")
    assert told[-2]["report"]["found"]["pages_read"] == [0]
    again = room.client.post(f"/api/runs/{run['id']}/go-on")
    assert again.status_code == 400 and "done" in again.json()["problem"]
    thread = told[-1]["run"]["thread"]
    steps = room.get(f"/api/questions/{thread}")["checkpoints"]
    for step, body, problem in (
        (steps[0], {}, "Nothing comes behind"),
        (steps[1], {"question": "Who stood?"}, "the answer is written"),
        (steps[2], {"pages": [99]}, "no page"),
        (steps[2], {"settings": {"colour": 1}}, "colour"),
    ):
        gone = room.client.post(f"/api/questions/{thread}/fork", json={"checkpoint": step["checkpoint"], **body})
        assert gone.status_code == 400 and problem in gone.json()["problem"]
    assert room.get(f"/api/questions/{thread}")["checkpoints"] == steps


def test_a_question_shows_the_steps_of_its_own_branch(room: OpenRoom) -> None:
    thread = room.ran(documents=added(room), question="What went out?")[-1]["run"]["thread"]
    first = room.get(f"/api/questions/{thread}")["checkpoints"]
    nodes = [step["node"] for step in first]
    assert nodes == ["cite", "answer", "look_up", "merge", "read", "open"]
    for step in first[1:4]:
        fork = room.post(f"/api/questions/{thread}/fork", checkpoint=step["checkpoint"])
        assert room.until(fork["id"], "end")[-1]["run"]["state"] == "done"
        shown = room.get(f"/api/questions/{thread}")["checkpoints"]
        assert [each["node"] for each in shown] == nodes
        assert shown[0]["checkpoint"] != first[0]["checkpoint"]


def test_a_password_is_not_locked_out_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.serve.guard.AFTER_WRONG_PASSWORD", 0.05)
    codes = list[int]()
    with reading_room(tmp_path / "library", ReaderContext(), password="a long one") as room:

        def wrong(number: int) -> None:
            codes.append(post(f"{room.base}/api/login", json={"password": f"wrong {number}"}).status_code)

        threads = [threading.Thread(target=wrong, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 401 in codes and {*codes} <= {401, 429}
        right = post(f"{room.base}/api/login", json={"password": "a long one"})
        assert right.status_code == 200
        cookie = {"cookie": right.headers["set-cookie"].split(";")[0]}
        assert get(f"{room.base}/api/about", headers=cookie).status_code == 200


async def test_events_are_one_line_of_json_each_whatever_they_hold() -> None:
    run = Run("add", asyncio.get_running_loop())
    hostile = "<b>\u2028\r\nid: 7\r\ndata: {}\n\n\ud800\x00"
    run.tell({"type": "left_out", "problem": hostile})
    run.change(state="done", title=hostile)
    await asyncio.sleep(0)
    pieces = [piece async for piece in event_stream(run, 0).body_iterator if isinstance(piece, bytes)]
    told = [json.loads(line[6:]) for line in b"".join(pieces).decode().split("\n") if line.startswith("data: ")]
    assert [event["type"] for event in told] == ["left_out", "end"]
    assert told[0]["problem"] == hostile.replace("\ud800", "?")


def added(room: OpenRoom) -> list[str]:
    """The ids of a document that is added."""
    run = room.post("/api/texts", text=TEXT)["id"]
    return list(room.until(run, "end")[-1]["run"]["documents"])

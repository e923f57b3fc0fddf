"""What the room refuses, and how: in one line, whatever the request holds, and without an error of its own."""

import asyncio
import json
import socket
import threading
from pathlib import Path

import pytest
from httpx import get, post

from readgraph.serve.event_stream import event_stream
from readgraph.serve.run import Run
from readgraph.state.context import ReaderContext
from tests.doubles.agent import Script, say
from tests.doubles.model_server import ModelServer
from tests.support.reading_room import OpenRoom, reading_room, said

TOO_DEEP = b"[" * 100_000
TEXT = "The goat stood there.\n\nThe lamp went out."


def added(room: OpenRoom, text: str = TEXT) -> list[str]:
    """The ids of a document that is added."""
    run = room.post("/api/texts", text=text)["id"]
    return list(room.until(run, "end")[-1]["run"]["documents"])


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


def test_a_question_follows_only_one_of_its_own_kind(room: OpenRoom) -> None:
    documents, other = added(room), added(room, "Something else is told here.")
    thread = room.ran(documents=documents, question="What went out?")[-1]["run"]["thread"]
    for body, problem in (
        ({"documents": documents, "follow_up": "nothing"}, "no question to follow"),
        ({"documents": other, "follow_up": thread}, "the same document"),
        ({"documents": documents, "method": "bm25", "follow_up": thread}, "by the same method (read-agent)"),
    ):
        answer = room.client.post("/api/runs", json={"question": "And then?", **body})
        assert answer.status_code == 400 and problem in answer.json()["problem"]
    room.ran(documents=documents + other, question="What is told?")
    assert len(room.get("/api/documents", query="told")["documents"]) == 1  # not what the question joined
    told = room.ran(documents=documents, question="And then?", follow_up=thread)
    assert told[-1]["run"]["state"] == "done" and told[-1]["run"]["thread"] == thread


def test_a_file_that_is_too_large_or_comes_in_part_is_no_document(
    room: OpenRoom, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "1")
    head = f"PUT /api/files/a.txt HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {room.guard.token}\r\n"
    with socket.create_connection(("127.0.0.1", room.guard.port), timeout=30) as large:
        large.sendall(f"{head}Content-Length: 9000000000\r\n\r\n".encode())
        assert large.recv(12) == b"HTTP/1.1 400"  # before any of it was sent
    with socket.create_connection(("127.0.0.1", room.guard.port), timeout=30) as part:
        part.sendall(f"{head}Content-Length: 1000\r\n\r\nThe goat".encode())
    memory = added(room)  # the room goes on
    assert [run["documents"] for run in room.get("/api/runs")["runs"]] == [memory] and not caplog.records
    path = f"/api/documents/{memory[0]}/memories"
    room.ran(documents=memory)
    known = room.get(f"/api/documents/{memory[0]}")["memories"][0]["id"]
    assert len(room.get(f"{path}/{known}/pages", numbers="0," + "9" * 5000)["pages"]) == 1


def test_an_agent_is_reached_by_a_name_with_a_slash(room: OpenRoom, server: ModelServer) -> None:
    server.respond = Script(say("Hello."))
    run = room.post("/api/agents/team%2Fada/messages", text="I like goats.")
    assert room.until(run["id"], "end")[-1]["run"]["state"] == "done"
    assert room.get("/api/agents/team%2Fada")["name"] == "team/ada"
    assert room.get("/api/agents/team%2Fada/search", query="goats")["found"] == 1


def test_each_operation_says_how_it_refuses(room: OpenRoom) -> None:
    described = room.get("/openapi.json")
    operations = [each for path in described["paths"].values() for each in path.values()]
    assert len(operations) > 25 and all(each["description"] and "4XX" in each["responses"] for each in operations)
    assert [*described["components"]["schemas"]["Problem"]["properties"]] == ["problem"]

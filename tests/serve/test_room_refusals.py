"""What the room refuses, and how: in one line, whatever the request holds, and without an error of its own."""

import asyncio
import json
import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPConnection
from itertools import product
from pathlib import Path

import pytest
from httpx2 import Client, get, post

from readgraph.api.running import RunThread, run_method
from readgraph.doors.serve.room import Run
from readgraph.doors.serve.runs import event_stream
from readgraph.graphs.methods import METHODS, method_named
from readgraph.library.opening import open_library
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from tests.doubles.agent import Script, say
from tests.doubles.model_faults import JsonObject
from tests.doubles.model_server import ChatRequest, Fault, ModelServer, ToolCall
from tests.doubles.reader import reader
from tests.support.reading_room import OpenRoom, reading_room, said

TOO_DEEP = b"[" * 100_000
TEXT = "The goat stood there.\n\nThe lamp went out."


def added(room: OpenRoom, text: str = TEXT) -> list[str]:
    """The ids of a document that is added."""
    run = room.post("/api/texts", text=text)["id"]
    return list(room.until(run, "end")[-1]["run"]["documents"])


def test_what_makes_no_sense_gets_a_line(room: OpenRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.doors.serve.guard.AFTER_WRONG_PASSWORD", 0.0)
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
    for path, unknown in (
        ("/api/search?query=a&upto=b", "upto"),
        ("/api/runs?x=1", "x"),
        ("/api/about?model=a", "model"),
    ):
        answer = room.client.get(path)
        assert answer.status_code == 400 and f"takes no parameter '{unknown}': it takes" in answer.json()["problem"]
    run = room.post("/api/texts", text=TEXT)["id"]
    room.until(run, "end")
    told = room.client.get(f"/api/runs/{run}/events", headers={"last-event-id": "9" * 5000})
    assert told.status_code == 200 and told.text.count("data: ") > 0


def test_errors_speak_of_the_page_and_not_of_commands(room: OpenRoom) -> None:
    for body, line in (
        ({"question": "Wann?"}, "There is nothing to read: add a document, since the library is empty."),
        ({"question": "Xylophon?"}, "shares a word with the question: choose a document, or other words."),
        ({"question": "Wann?", "method": "summary"}, ": choose another method."),
    ):
        assert room.client.post("/api/runs", json=body).json()["problem"].endswith(line)
        added(room, "Wann stand die Ziege im Hof?")
    unknown = room.client.get("/api/search", params={"query": "Ziege", "documents": "nix"}).json()["problem"]
    assert unknown.endswith(": the list of documents names those that it holds.")
    unknown = room.client.delete("/api/collections/nix").json()["problem"]
    assert unknown.endswith(": the list of collections names those that there are.")


def test_a_run_that_waits_takes_no_reply_if_it_asks_nothing_and_says_that_it_was_stopped(room: OpenRoom) -> None:
    run = room.post("/api/runs", documents=added(room), question="What went out?", pause_before=["answer"])["id"]
    room.until(run, "paused")
    refused = room.client.post(f"/api/runs/{run}/go-on", json={"reply": {"accept": True}})
    assert (refused.status_code, refused.json()["problem"]) == (400, "This run asks nothing: leave the reply out.")
    assert room.get(f"/api/runs/{run}")["state"] == "paused"
    stopped = room.post(f"/api/runs/{run}/stop")
    assert stopped["state"] == "stopped" and stopped["ended"]


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
    thread = room.ran(documents=added(room), method="read-agent", question="What went out?")[-1]["run"]["thread"]
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
    monkeypatch.setattr("readgraph.doors.serve.guard.AFTER_WRONG_PASSWORD", 0.05)
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
    thread = room.ran(documents=documents, method="read-agent", question="What went out?")[-1]["run"]["thread"]
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


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What went out?", 60_000),
        pytest.param("What is the plot?", 1000, marks=pytest.mark.slow),
        pytest.param("How many lamps went out?", 1000, marks=pytest.mark.slow),
    ],
)
def test_a_question_follows_one_whose_method_was_chosen(room: OpenRoom, question: str, words: int) -> None:
    documents, settings = added(room, TEXT * 80), {"window_words": words}
    asked = room.ran(documents=documents, question=question, settings=settings)[-1]["run"]
    for method in ("", asked["method"]):  # the page names the one that answered
        body = {"documents": documents, "question": "And then?", "method": method, "settings": settings}
        said(room.client.post("/api/estimate", json={**body, "follow_up": asked["thread"]}))
        told = room.ran(**body, follow_up=asked["thread"])[-1]["run"]
        assert (told["state"], told["thread"]) == ("done", asked["thread"])
        assert room.get(f"/api/questions/{asked['thread']}")["report"]


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


def test_a_question_that_failed_before_anything_was_read_is_listed_and_goes_on(
    tmp_path: Path, server: ModelServer
) -> None:
    server.fault_for = lambda request, call: Fault("no such key", status=401)
    context = ReaderContext(model="openai:double", min_page_words=40, max_page_words=90)
    with reading_room(tmp_path / "library", context) as room:
        documents = added(room, "Die Ziege stand im Hof. " * 20)
        ended = room.ran(documents=documents, method="read-agent", question="Wo stand die Ziege?")[-1]["run"]
        assert ended["state"] == "failed" and "refused the key" in ended["problem"]
        assert [each["state"] for each in room.get("/api/runs")["runs"]] == ["failed", "done"]
        for memory in room.get(f"/api/documents/{documents[0]}")["memories"]:
            assert room.get(f"/api/documents/{documents[0]}/memories/{memory['id']}")["read_to"] > 0
        path = f"/api/questions/{ended['thread']}"
        assert room.get("/api/questions")["questions"][0]["status"] == "failed"
        assert (room.get(path)["status"], room.get(path)["report"]) == ("failed", None)
        refused = room.client.get(f"{path}/report.html")
        assert refused.status_code == 400 and "before anything was read" in refused.json()["problem"]
    server.fault_for = None
    with reading_room(tmp_path / "library", context) as room:  # a server that knows nothing of the run
        assert room.get("/api/questions")["questions"][0]["status"] == "failed"
        fork = room.post(f"{path}/fork", checkpoint=room.get(path)["checkpoints"][0]["checkpoint"])
        assert room.until(fork["id"], "end")[-1]["run"]["state"] == "done"
        assert room.get("/api/questions")["questions"][0]["status"] == "answered" == room.get(path)["status"]
        assert room.get(path)["report"]["found"]["answer"] == "It says so."


def test_a_question_says_what_becomes_of_it_while_it_waits_for_a_person(room: OpenRoom) -> None:
    run = room.post("/api/runs", documents=added(room), question="What went out?", pause_before=["cite"])
    room.until(run["id"], "paused")
    assert room.get("/api/questions")["questions"][0]["status"] == "paused"  # though its answer is written
    said(room.client.post(f"/api/runs/{run['id']}/stop"))
    assert room.get("/api/questions")["questions"][0]["status"] == "stopped"


async def test_a_question_that_another_process_answers_is_at_work(tmp_path: Path, server: ModelServer) -> None:
    context, asked, seen = ReaderContext(model="openai:double"), "Wo stand die Ziege?", list[tuple[str, str]]()
    with reading_room(tmp_path, context) as room:
        documents = added(room, "Die Ziege stand im Hof.")

        def look(request: ChatRequest) -> str | JsonObject | ToolCall:
            for question in room.get("/api/questions")["questions"]:
                follow_up = {"documents": documents, "question": "Und dann?", "follow_up": question["thread"]}
                refused = room.client.post("/api/runs", json=follow_up).json()
                seen.append((question["status"], refused["problem"]))
            return reader(request)

        server.respond = look
        method = method_named("read-agent")
        async with open_library(tmp_path) as other:
            document = await other.pages.document(documents[0])
            run = (other.pages, method.build(), method.name, document, Question(question=asked), context)
            await run_method(*run, thread=RunThread(saver=other.checkpointer))
        assert {*seen} == {("working", "This question is still at work: wait for its answer.")}
        assert room.get("/api/questions")["questions"][0]["status"] == "answered"


async def test_a_question_that_can_t_be_asked_joins_no_documents(tmp_path: Path) -> None:
    with reading_room(tmp_path, ReaderContext()) as room:
        documents = added(room) + added(room, "Die Glocke hängt im Turm.")
        for wrong in ({"method": "telepathy"}, {"pause_before": ["sleep"]}):
            body = {"documents": documents, "question": "Was hängt im Turm?", **wrong}
            assert room.client.post("/api/runs", json=body).status_code == 400
    async with open_library(tmp_path) as library:
        assert {each.id for each in await library.pages.documents()} == {*documents}


def test_an_agent_without_an_event_is_shown_and_corrected(room: OpenRoom, server: ModelServer) -> None:
    server.fault_for = lambda request, call: Fault("no such key", status=401)
    assert room.until(room.post("/api/agents/ada/messages", text="Hallo.")["id"], "end")[-1]["run"]["state"] == "failed"
    assert room.post("/api/agents/ada/undo")["undone"] == [{"kind": "user", "text": "Hallo."}]
    assert room.post("/api/agents/ada/undo")["undone"] == []
    assert room.get("/api/agents")["agents"][0]["events"] == 0
    for query in ({}, {"query": "Ziege"}, {"store": "archival"}, {"store": "archival", "query": "Ziege"}):
        assert room.get("/api/agents/ada/search", **query) == {"found": 0, "items": []}
    blocks = said(room.client.put("/api/agents/ada/blocks/human", json={"text": "Mag Ziegen."}))["blocks"]
    assert [block["text"] for block in blocks if block["label"] == "human"] == ["Mag Ziegen."]
    server.fault_for, server.respond = None, Script(say("Hallo."))
    assert room.until(room.post("/api/agents/ada/messages", text="Hallo.")["id"], "end")[-1]["run"]["state"] == "done"
    assert "Mag Ziegen." in server.requests[-1].text


def test_a_body_that_is_too_large_is_refused_before_it_is_held(
    room: OpenRoom, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("readgraph.doors.serve.requests.MOST_JSON_MB", 1)

    def pieces() -> Iterator[bytes]:
        yield b'{"text": "'
        for _ in range(40):
            yield b"a" * 100_000
        yield b'"}'

    headers = {"content-type": "application/json"}
    for path in ("/api/texts", "/api/runs", "/api/estimate", "/api/agents/ada/messages"):
        for body in (b'{"text": "' + b"a" * 1_000_000 + b'"}', pieces()):
            answer = room.client.post(path, content=body, headers=headers)
            assert (answer.status_code, answer.json()["problem"]) == (
                413,
                "The request has more than 1 MB: send a long text as a file, by PUT /api/files/NAME.txt.",
            )
    head = f"POST /api/texts HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {room.guard.token}\r\n"
    with socket.create_connection(("127.0.0.1", room.guard.port), timeout=30) as large:
        large.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 9000000000\r\n\r\n".encode())
        assert large.recv(12) == b"HTTP/1.1 413"
    assert room.added("long.txt", b"The goat stood there. " * 60_000)["words"] == 240_000  # files have their own limit
    assert len(room.get("/api/documents")["documents"]) == 1 and not caplog.records


def test_an_error_of_ours_is_one_line_too(room: OpenRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("readgraph.doors.serve.app.OFFERED")
    answer = room.client.get("/api/about")
    assert (answer.status_code, answer.json()) == (500, {"problem": "An unexpected NameError ended it."})
    assert "content-security-policy" in answer.headers


def test_methods_of_other_packages_are_offered_if_they_can_be_used(
    room: OpenRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = replace(METHODS["read-agent"], name="own", graph="readgraph.graphs.read_agent:graph", package="other")
    others = [own, replace(own, name="away", graph="no_such_module:graph")]
    monkeypatch.setattr("readgraph.doors.serve.app.every_method", lambda: [METHODS["bm25"], *others])
    assert [method["name"] for method in room.get("/api/about")["methods"]] == ["bm25", "own"]


def test_a_browser_has_a_session_of_its_own_that_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ReaderContext()
    with reading_room(tmp_path / "one", context) as one, reading_room(tmp_path / "two", context) as two:
        with Client(follow_redirects=True) as browser:  # which sends its cookies to every port
            assert browser.get(one.url).status_code == browser.get(two.url).status_code == 200
            kept = {name: str(value) for name, value in browser.cookies.items()}
            assert {*kept} == {f"readgraph-{one.guard.port}", f"readgraph-{two.guard.port}"}
            for room in (one, two):
                assert browser.get(f"{room.base}/api/about").status_code == 200
        cookie = kept[one.guard.cookie]
        assert one.guard.token not in kept.values() and cookie != kept[two.guard.cookie]
        for base, headers in (
            (one.base, {"authorization": f"Bearer {cookie}"}),
            (one.base, {"cookie": f"{one.guard.cookie}={one.guard.token}"}),
            (one.base, {"cookie": f"{one.guard.cookie}={kept[two.guard.cookie]}"}),
            (two.base, {"cookie": f"{one.guard.cookie}={cookie}"}),
            (two.base, {"cookie": f"{two.guard.cookie}={cookie}"}),
        ):
            assert get(f"{base}/api/about", headers=headers).status_code == 401
        inside = {"cookie": f"{one.guard.cookie}={cookie}"}
        monkeypatch.setattr("readgraph.doors.serve.guard.MOST_SESSIONS", 2)
        get(one.url)
        assert get(f"{one.base}/api/about", headers=inside).status_code == 200
        get(one.url)  # the first one asked last, so the second is let out
        assert get(f"{one.base}/api/about", headers=inside).status_code == 200
        monkeypatch.setattr("readgraph.doors.serve.guard.SESSION_SECONDS", -1.0)
        assert get(f"{one.base}/api/about", headers=inside).status_code == 401


def test_each_operation_says_how_it_refuses(room: OpenRoom) -> None:
    described = room.get("/openapi.json")
    operations = [each for path in described["paths"].values() for each in path.values()]
    assert len(operations) > 25 and all(each["description"] and "4XX" in each["responses"] for each in operations)
    assert [*described["components"]["schemas"]["Problem"]["properties"]] == ["problem"]


NO_IDS = ["%2e%2e", "%00", "a%00b", "%c0%ae%c0%ae", "%252e%252e", "%2e%2e%2f%2e%2e", "%5c..", "a.b", "x%0a"]


BELOW = ["", "/memories/x", "/memories/%2e%2e/pages?numbers=1", "/original/1.png"]


@pytest.mark.parametrize("holds", [False, True])
def test_a_path_that_names_no_document_is_not_found(room: OpenRoom, holds: bool) -> None:
    if holds:
        added(room)
    for name, below in product(NO_IDS, BELOW):
        connection = HTTPConnection("127.0.0.1", room.guard.port)  # which leaves the path as it is
        headers = {"authorization": f"Bearer {room.guard.token}"}
        connection.request("GET", f"/api/documents/{name}{below}", headers=headers)
        answer = connection.getresponse()
        assert answer.status == 404 and "\n" not in json.load(answer)["problem"], (name, below)
        connection.close()


def test_a_body_of_too_many_values_is_refused_and_leaves_no_memory_behind(room: OpenRoom) -> None:
    many = b'{"question": "a", "settings": {' + b",".join(b'"k%d": 1' % key for key in range(300_000)) + b"}}"
    headers = {"content-type": "application/json"}
    for path in ("/api/runs", "/api/texts", "/v1/chat/completions", "/api/agents/a/messages"):
        answer = room.client.post(path, content=many, headers=headers)
        assert answer.status_code == 400 and "more than 100,000 keys and values" in answer.text

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    if Path("/proc/self/statm").exists():
        before = resident()
        for _ in range(8):
            room.client.post("/api/runs", content=many, headers=headers)
        assert resident() - before < 5 * len(many)


def test_a_library_that_can_only_be_read_takes_questions_and_no_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reading_room(tmp_path / "library", ReaderContext()) as room:
        documents = added(room)
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)  # root may write whatever the mode
    before = (tmp_path / "library" / "library.sqlite").read_bytes()
    with reading_room(tmp_path / "library", ReaderContext()) as room:
        for more in ({"question": "What went out?"}, {"question": "The goat lay there.", "task": "check"}):
            told = room.ran(documents=documents, **more)
            assert told[-1]["run"]["state"] == "done"
        for method, path in (
            ("DELETE", f"/api/documents/{documents[0]}"),
            ("PUT", "/api/files/a.txt"),
            ("POST", "/api/texts"),
            ("POST", "/api/example"),
            ("POST", "/api/agents/a/messages"),
        ):
            refused = room.client.request(method, path, json={"text": "Something."})
            assert refused.status_code == 403 and "can only be read" in refused.json()["problem"]
    assert (tmp_path / "library" / "library.sqlite").read_bytes() == before

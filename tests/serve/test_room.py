"""The room as programs use it: documents come in, are read and asked about, and all of it can be followed."""

import json
from itertools import islice
from pathlib import Path

import pytest

from readgraph.doors.serve.wording import in_page_words
from tests.doubles.agent import Script, call, say
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.support.examples import STORY, WHOLE_STORY
from tests.support.reading_room import OpenRoom, said
from tests.support.source_files import TWO_CHATS

pytestmark = pytest.mark.quick

TEXT = Path(STORY).read_text(encoding="utf-8")


def test_a_file_is_read_and_asked_about(room: OpenRoom) -> None:
    document = room.added("lamp.txt", TEXT.encode())
    assert document["title"] == "lamp" and not document["memories"]
    told = room.ran(documents=[document["id"]])
    pages = {page["number"]: page for event in told if event["type"] == "pages" for page in event["pages"]}
    (result,) = [event for event in told if event["type"] == "result"]
    shown = result["report"]["pages"]
    assert len(shown) > 3 and [*pages] == [*range(len(shown))]
    for number, page in pages.items():
        assert page["note"] == shown[number]["note"] and page["note"].startswith("In short:")
    progress = [event for event in told if event["type"] == "progress"]
    assert progress[-1]["usage"]["calls"] > 0 and progress[-1]["doing"] == "Reading"
    assert told[-1]["run"]["state"] == "done"

    whole = room.ran(documents=[document["id"]], question="Who took the log book?")
    chosen = next(event for event in whole if event["type"] == "result")["report"]["found"]
    assert (chosen["method"], chosen["way"]) == ("full-text", "read whole")
    for asked in room.get("/api/questions")["questions"]:
        room.client.delete(f"/api/questions/{asked['thread']}")

    told = room.ran(documents=[document["id"]], question="Who took the log book?", method="read-agent")
    steps = [event["node"] for event in told if event["type"] == "step"]
    assert steps == ["open", "read", "merge", "look_up", "answer", "cite"]
    found = next(event for event in told if event["type"] == "result")["report"]["found"]
    assert found["answer"] == "It says so." and found["citations"][0]["quote"] in TEXT
    assert "".join(event["text"] for event in told if event["type"] == "text") in ("", found["answer"])
    (asked,) = room.get("/api/questions")["questions"]
    assert (asked["question"], asked["answer"], asked["title"]) == ("Who took the log book?", "It says so.", "lamp")
    again = room.get(f"/api/questions/{asked['thread']}")
    assert again["report"]["found"]["citations"] == found["citations"]
    assert again["checkpoints"][0]["next"] == []
    assert {"answer"} <= {name for step in again["checkpoints"] for name in step["next"]}


def test_a_file_that_supersedes_none_of_the_library_says_so(room: OpenRoom) -> None:
    run = said(room.client.put("/api/files/new.md", content=b"---\nsupersedes: old\n---\n\nThe mill made 450 tons."))
    told = [event["text"] for event in room.until(run["id"], "end") if event["type"] == "notice"]
    assert told == ["new supersedes 'old', which is not in the library: read that first."]


def test_what_was_left_out_of_a_file_is_told_with_the_document_and_each_answer(room: OpenRoom) -> None:
    file, told = (
        rb"{\rtf1 Agnes keeps the lamp at Sarn Head.{\v secret}\par}",
        ["keep.rtf: left out: 1 passage that is hidden and not printed."],
    )
    for _ in range(2):
        run = said(room.client.put("/api/files/keep.rtf", content=file))
        events = room.until(run["id"], "end")
        assert [event["problem"] for event in events if event["type"] == "left_out"] == told
    (document,) = room.get("/api/documents")["documents"]
    assert document["notices"] == room.get(f"/api/documents/{document['id']}")["notices"] == told
    other = room.added("other.md", b"Brandt keeps the door.")
    for documents in ([document["id"]], [document["id"], other["id"]]):
        for asked in (
            {"question": "Who keeps the lamp?"},
            {"task": "summary"},
            {"task": "check", "question": "Agnes lost it."},
            {"task": "table", "question": "every person: name"},
        ):
            (result,) = [each for each in room.ran(documents=documents, **asked) if each["type"] == "result"]
            report = result["report"]
            assert report["found"]["notices"][:1] == report["notices"] == told
    (result,) = [each for each in room.ran(documents=[document["id"]]) if each["type"] == "result"]
    assert result["report"]["notices"] == told
    question, *_ = room.get("/api/questions")["questions"]
    assert room.get(f"/api/questions/{question['thread']}")["report"]["notices"] == told
    chat = {"model": "readgraph", "messages": [{"role": "user", "content": "Who keeps the lamp?"}]}
    answered = room.post("/v1/chat/completions", **chat)
    assert answered["choices"][0]["message"]["content"].count(told[0]) == 1


def test_a_run_has_the_same_id_in_the_log(room: OpenRoom, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "readgraph")
    document = room.added("lamp.txt", TEXT[:2000].encode())
    run = room.post("/api/runs", documents=[document["id"]], method="full-text", question="Who took the log book?")
    room.until(run["id"], "end")
    work = room.room.runs[run["id"]].work
    assert work and work.result() is None  # the end is logged after it is told
    told = [vars(each) for each in caplog.records if vars(each).get("run") == run["id"]]
    assert [each["event"] for each in told if each["event"].startswith("run_")] == ["run_begun", "run_ended"]
    assert {"node_ended", "call"} <= {each["event"] for each in told}
    assert {each["method"] for each in told} == {"full-text"} and told[-1]["state"] == "done"
    assert "Who took" not in caplog.text


@pytest.mark.slow
def test_a_run_is_stopped_and_goes_on_without_paying_twice(room: OpenRoom, server: ModelServer) -> None:
    document = room.added("story.txt", Path(WHOLE_STORY).read_bytes())
    server.latency = 0.05
    run = room.post("/api/runs", documents=[document["id"]])
    noted = (page for event in room.events(run["id"]) if event["type"] == "pages" for page in event["pages"])
    assert next(page for page in noted if page["note"])
    room.client.post(f"/api/runs/{run['id']}/stop")
    assert room.until(run["id"], "end")[-1]["run"]["state"] == "stopped"
    server.latency, paid = 0.0, {*server.answered}
    assert paid
    asked = len(server.requests)
    said(room.client.post(f"/api/runs/{run['id']}/go-on"))
    told = room.until(run["id"], "end")  # the end of the first part is none any more
    assert told[-1]["run"]["state"] == "done" and told[-2]["report"]["pages"]
    repeated = [request for request in server.requests[asked:] if request.key in paid]
    assert len(repeated) <= room.room.context.concurrency


@pytest.mark.slow
def test_a_person_chooses_the_pages(room: OpenRoom) -> None:
    document = room.added("lamp.txt", TEXT.encode())
    body = {"documents": [document["id"]], "question": "Who took the log book?", "pause_before": ["look_up"]}
    run = room.post("/api/runs", **body)
    told = room.until(run["id"], "paused")
    assert told[-1]["before"] == ["look_up"]
    said(room.client.post(f"/api/runs/{run['id']}/go-on", json={"pages": [2]}))
    result = room.until(run["id"], "result")[-1]
    assert result["report"]["found"]["pages_read"][0] == 2


@pytest.mark.slow
def test_a_person_is_asked_at_each_step_where_one_can_decide(room: OpenRoom) -> None:
    document = room.added("lamp.txt", TEXT.encode())
    body = {"documents": [document["id"]], "question": "Who took the log book?", "review": True}
    run = room.post("/api/runs", **body)
    assert room.until(run["id"], "asked")[-1]["asked"]["kind"] == "choose_pages"
    path = f"/api/runs/{run['id']}/go-on"
    assert "give a reply" in room.client.post(path, json={}).json()["problem"]
    replies = [{"pages": [999]}, {"pages": [2]}, {"accept": "maybe"}]
    told = [("choose_pages", "no page 999"), ("review_answer", ""), ("review_answer", "accept")]
    for number, (reply, (kind, problem)) in enumerate(zip(replies, told, strict=True), 1):
        said(room.client.post(path, json={"reply": reply}))
        asked = (event["asked"] for event in room.events(run["id"]) if event["type"] == "asked")
        now = next(islice(asked, number, None))
        assert now["kind"] == kind and problem in now["problem"] and bool(problem) == bool(now["problem"])
    said(room.client.post(path, json={"reply": {"accept": False, "answer": "Dora."}}))
    found = room.until(run["id"], "result")[-1]["report"]["found"]
    assert (found["answer"], found["citations"], found["pages_read"]) == ("Dora.", [], [2])
    refused = room.client.post("/api/runs", json=body | {"task": "summary"})
    assert refused.status_code == 400 and "stops nowhere" in refused.json()["problem"]


def test_a_wiki_of_several_texts_tells_how_far_it_is_whenever_that_is_looked_at(
    room: OpenRoom, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.respond = reader
    texts = [b"The lamp of Anna Berg burned.", b"Anna Berg saw the lamp on the moor."]
    documents = [room.added(f"{number}.txt", text)["id"] for number, text in enumerate(texts)]
    monkeypatch.setattr("readgraph.doors.serve.reading.EVERY", 60)  # but for the beginning only the end is looked at
    told = room.ran(task="wiki", documents=documents)
    assert told[-1]["run"]["state"] == "done", told[-1]
    assert "Anna Berg" in told[-2]["report"]["found"]["answer"]


def test_notes_can_be_corrected(room: OpenRoom) -> None:
    document = room.added("lamp.txt", TEXT.encode())
    room.ran(documents=[document["id"]])
    memory = room.get(f"/api/documents/{document['id']}")["memories"][0]
    path = f"/api/documents/{document['id']}/memories/{memory['id']}"
    said(room.client.put(f"{path}/notes/1", json={"text": "The goat was seen."}))
    page = room.get(path)["pages"][1]
    assert (page["note"], page["corrected"]) == ("The goat was seen.", True)
    said(room.client.delete(f"{path}/notes/1"))
    (page,) = room.get(f"{path}/pages", numbers="1")["pages"]
    assert page["note"].startswith("In short:") and page["text"] in TEXT


def test_what_can_not_be_done_is_said_in_one_line(room: OpenRoom) -> None:
    refused: list[tuple[str, dict[str, object], str]] = [
        ("/api/runs", {}, "Name a document"),
        ("/api/runs", {"documents": ["nothing"]}, "holds no document"),
        ("/api/runs", {"question": "Who took the log book?", "method": "os:system"}, "os:system"),
        ("/api/runs", {"question": "Who took the log book?", "settings": {"prompts": "/"}}, "prompts"),
        ("/api/runs", {"question": "Who took the log book?", "settings": {"max_pages": -1}}, "max_pages"),
        ("/api/runs", {"question": "Who took the log book?", "options": ["one"]}, "at least two"),
        ("/api/runs", {"question": "Who took the log book?", "colour": "red"}, "colour"),
        ("/api/texts", {"text": " "}, ""),
        ("/api/addresses", {"address": "file:///etc/passwd"}, "https://"),
    ]
    room.added("lamp.txt", TEXT.encode())
    for path, body, problem in refused:
        answer = room.client.post(path, json=body)
        if answer.status_code == 200:  # it is said when it is tried
            said_line = room.until(answer.json()["id"], "end")[-1]["run"]["problem"]
        else:
            assert answer.status_code in (400, 422)
            said_line = answer.json()["problem"]
        assert problem in said_line and "\n" not in said_line, (path, body)


def test_only_who_is_let_in_sees_anything(room: OpenRoom) -> None:
    from httpx2 import get, post

    assert get(room.base).status_code == 401 and "Open the address" in get(room.base).text
    assert get(f"{room.base}/api/documents").status_code == 401
    assert get(f"{room.base}/?token=wrong").status_code == 401
    opened = get(room.url)
    assert opened.status_code == 303 and opened.headers["location"] == "/"
    assert "HttpOnly" in opened.headers["set-cookie"] and "strict" in opened.headers["set-cookie"].lower()
    inside = {"cookie": opened.headers["set-cookie"].split(";")[0]}
    page = get(room.base, headers=inside)
    assert page.status_code == 200 and "default-src 'none'" in page.headers["content-security-policy"]
    assert get(f"{room.base}/api/documents", headers=inside).status_code == 200
    elsewhere = inside | {"origin": "https://example.org"}
    assert post(f"{room.base}/api/texts", headers=elsewhere, json={"text": "a"}).status_code == 403
    assert get(f"{room.base}/api/documents", headers=inside | {"host": "evil.example"}).status_code == 403
    assert get(f"{room.base}/api/documents", headers=inside | {"sec-fetch-site": "cross-site"}).status_code == 403


@pytest.mark.slow
def test_a_question_goes_on_from_one_of_its_steps(room: OpenRoom) -> None:
    document = room.added("lamp.txt", TEXT.encode())
    told = room.ran(documents=[document["id"]], question="Who took the log book?", method="read-agent")
    thread = told[-1]["run"]["thread"]
    before = next(step for step in room.get(f"/api/questions/{thread}")["checkpoints"] if step["next"] == ["answer"])
    body = {"checkpoint": before["checkpoint"], "question": "Who lit the lamp?", "pages": [1, 3]}
    run = room.post(f"/api/questions/{thread}/fork", **body)
    result = room.until(run["id"], "result")[-1]["report"]
    assert (result["question"], result["found"]["pages_read"]) == ("Who lit the lamp?", [1, 3])
    assert "answer" in [step["node"] for step in result["found"]["steps"]]
    gone = room.client.post(f"/api/questions/{thread}/fork", json=body | {"checkpoint": "nothing"})
    assert gone.status_code == 400 and "no such step" in gone.json()["problem"]


def test_an_agent_is_talked_with(room: OpenRoom, server: ModelServer) -> None:
    server.respond = Script(
        call("memory_append", True, block="human", text="Likes goats."), say("Hello."), say("Yes, goats.")
    )
    assert room.get("/api/agents/ada")["exists"] is False
    run = room.post("/api/agents/ada/messages", text="I like goats.")
    told = room.until(run["id"], "end")
    assert told[-1]["run"]["state"] == "done"
    events = [event["event"] for event in told if event["type"] == "event"]
    assert events[0]["kind"] == "user"
    assert events[-1]["function"] == "send_message" and events[-1]["arguments"] == {"message": "Hello."}
    ada = room.get("/api/agents/ada")
    block = next(block for block in ada["blocks"] if block["label"] == "human")
    assert block["text"] == "Likes goats." and 0 < ada["pressure"]["used"] < ada["pressure"]["room"]
    said(room.client.put("/api/agents/ada/blocks/human", json={"text": "Likes sheep."}))
    run = room.post("/api/agents/ada/messages", text="Do I like sheep?")
    room.until(run["id"], "end")
    assert (
        "Likes sheep." in server.requests[-1].text
        and "Likes goats." not in server.requests[-1].text.split("<events>")[0]
    )
    found = room.get("/api/agents/ada/search", query="sheep")
    assert found["found"] == 1 and found["items"][0]["text"] == "Do I like sheep?"
    newest = room.get("/api/agents/ada/search")
    assert newest["found"] == len(newest["items"]) > 4 and newest["items"][0]["function"] == "send_message"
    assert room.get("/api/agents")["agents"][0]["name"] == "ada"
    assert [event["text"] for event in room.post("/api/agents/ada/undo")["undone"]] == ["Do I like sheep?"]
    assert room.get("/api/agents/ada")["events"] == ada["events"]


def test_what_was_asked_of_the_others_alone_stays_when_a_document_is_deleted(room: OpenRoom) -> None:
    keeper = room.added("keeper.txt", b"The keeper Marian counted forty gulls.")["id"]
    baker = room.added("baker.txt", b"The baker Tobias sold ninety loaves.")["id"]
    assert [one["read_together"] for one in room.get("/api/documents")["documents"]] == [0, 0]
    asked = [
        room.ran(documents=[keeper, baker], question=question, method="bm25", settings={"model": ""})[-1]["run"]
        for question in ("What did the baker Tobias sell?", "What did Marian count?")
    ]
    listed = room.get("/api/documents")
    assert listed["total"] == 2 and [one["read_together"] for one in listed["documents"]] == [1, 1]
    (joint,) = room.get(f"/api/documents/{keeper}/joint")["joint"]
    assert (joint["documents"], joint["questions"], joint["kept"]) == (2, 2, 1)
    assert said(room.client.delete(f"/api/documents/{keeper}"))["kept"] == 1
    (left,) = room.get("/api/questions", document=baker)["questions"]
    assert left["thread"] == asked[0]["thread"] and left["status"] and room.get("/api/questions")["total"] == 1
    shown = room.get(f"/api/questions/{left['thread']}")
    assert shown["document"] == baker and "ninety loaves" in shown["report"]["found"]["answer"]
    assert room.client.get(f"/api/questions/{left['thread']}/report.html").status_code == 200
    assert "Marian" not in room.client.get(f"/api/questions/{left['thread']}").text


@pytest.mark.slow
def test_what_is_not_in_use_can_be_deleted(room: OpenRoom, server: ModelServer) -> None:
    document = room.added("lamp.txt", TEXT[:3000].encode())["id"]
    ask = {"documents": [document], "question": "Who took the log book?", "method": "bm25"}
    kept, gone = [room.ran(**ask)[-1]["run"] for _ in range(2)]
    said(room.client.delete(f"/api/questions/{gone['thread']}"))
    assert [each["thread"] for each in room.get("/api/questions")["questions"]] == [kept["thread"]]
    assert room.client.delete(f"/api/questions/{gone['thread']}").status_code == 400
    waits = room.post("/api/runs", **(ask | {"method": "read-agent", "pause_before": ["look_up"]}))
    room.until(waits["id"], "paused")
    refused = room.client.delete(f"/api/documents/{document}")
    assert refused.status_code == 400 and "stop that run first" in refused.json()["problem"]
    assert "stop it first" in room.client.delete(f"/api/runs/{waits['id']}").json()["problem"]
    said(room.client.post(f"/api/runs/{waits['id']}/stop"))
    room.until(waits["id"], "end")
    said(room.client.delete(f"/api/runs/{waits['id']}"))
    assert waits["id"] not in [run["id"] for run in room.get("/api/runs")["runs"]]
    assert said(room.client.delete(f"/api/documents/{document}"))["threads"] == 2
    assert room.get("/api/documents")["total"] == room.get("/api/questions")["total"] == 0
    assert [run["kind"] for run in room.get("/api/runs")["runs"]] == []

    server.respond = Script(say("Hello."))
    room.until(room.post("/api/agents/ada/messages", text="Hello!")["id"], "end")
    said(room.client.delete("/api/agents/ada"))
    assert room.get("/api/agents")["agents"] == [] and not room.get("/api/agents/ada")["exists"]


@pytest.mark.slow
def test_a_summary_and_a_table_are_made_and_texts_are_searched(room: OpenRoom) -> None:
    document = room.added("lamp.txt", TEXT.encode())["id"]
    free = {"documents": [document], "settings": {"model": ""}}
    about = room.ran(task="summary", words=40, question="the log book", **free)
    found = next(event for event in about if event["type"] == "result")["report"]["found"]
    assert found["status"] == "extracted" and 0 < len(found["answer"].split()) <= 40 and found["citations"]
    checked = room.ran(task="check", question=f"{TEXT}\n\nSeven bishops kept bees.", **free)
    found = next(event for event in checked if event["type"] == "result")["report"]["found"]
    assert [claim["verdict"] for claim in found["claims"]][-2:] == ["supported", "not found"] and found["flags"]
    wiki = room.ran(task="wiki", **free)
    found = next(event for event in wiki if event["type"] == "result")["report"]["found"]
    assert found["answer"].startswith("lamp\n\n") and found["citations"]
    assert all(TEXT[each["start"] : each["end"]] == each["quote"] for each in found["citations"])
    assert room.post("/api/estimate", documents=[document], task="wiki")["calls"]["expected"] > 0
    wanted = {"task": "table", "question": "every person: name, role"}
    estimate = room.post("/api/estimate", documents=[document], **wanted)
    assert estimate["calls"]["expected"] > 0
    made = room.ran(**wanted, **free)
    table = next(event for event in made if event["type"] == "result")["report"]["found"]["table"]
    assert table["columns"] == ["name", "role"] and table["rows"][0]["citations"]
    sheet = room.client.get(f"/api/runs/{made[-1]['run']['id']}/table.csv")
    assert sheet.text.splitlines()[0].endswith('"name","role","quote","place"')
    for body, problem in (({"task": "summary"}, "Choose the texts"), (wanted | {"question": " "}, "Choose the texts")):
        refused = room.client.post("/api/runs", json=body)
        assert refused.status_code == 400 and problem in refused.json()["problem"]

    assert room.get("/api/watched") == {"folders": []}
    said(room.client.put("/api/collections/Sarn", json={"documents": [document]}))
    room.added("sheep.txt", b"Sheep stand on the moor by the lamp.")
    (named,) = room.get("/api/collections")["collections"]
    assert (named["name"], [each["id"] for each in named["documents"]]) == ("Sarn", [document])
    hits = room.get("/api/search", query="lamp", collection="Sarn")["hits"]
    assert hits and {hit["document"] for hit in hits} == {document} and hits[0]["page"] is not None
    assert {hit["title"] for hit in room.get("/api/search", query="lamp")["hits"]} == {"lamp", "sheep"}
    asked = room.ran(question="What of the lamp?", collection="Sarn", method="bm25", settings={"model": ""})
    assert asked[-1]["run"]["documents"] == [document]
    later = room.client.post("/api/runs", json={"documents": [document], "question": "Lamp?", "as_of": "2020-13"})
    assert later.status_code == 400 and "The day '2020-13'" in later.json()["problem"]
    assert room.client.delete("/api/collections/sarn", params={"document": document}).status_code == 204
    assert room.get("/api/collections")["collections"] == []


def test_a_pasted_text_is_cited_by_its_places(room: OpenRoom) -> None:
    run = room.post("/api/texts", text="The keeper left.\n\nThe goat ate the log book.", title="a note")
    document = room.until(run["id"], "end")[-1]["run"]["documents"][0]
    told = room.ran(documents=[document], question="What did the goat eat?", settings={"model": ""})
    found = next(event for event in told if event["type"] == "result")["report"]["found"]
    assert [citation["place"] for citation in found["citations"]] == ["line 3"]
    assert room.get(f"/api/documents/{document}/suggestions") == {"questions": []}, "it says nothing often"


def test_each_chat_of_an_export_is_a_document(room: OpenRoom) -> None:
    run = said(room.client.put("/api/files/result.json", content=json.dumps(TWO_CHATS).encode()))
    told = room.until(run["id"], "end")
    assert [event["document"]["title"] for event in told if event["type"] == "document"] == ["Boat", "Shed"]
    assert told[-1]["run"]["title"] == "Boat, Shed" and len(told[-1]["run"]["documents"]) == 2


def test_the_example_story_comes_with_the_program_and_with_questions(room: OpenRoom) -> None:
    ended = room.until(room.post("/api/example")["id"], "end")[-1]["run"]
    assert (ended["state"], ended["title"]) == ("done", "The Lamp at Sarn Head")
    questions = room.get(f"/api/documents/{ended['documents'][0]}/suggestions")["questions"]
    assert len(questions) == 3 and all(question.endswith("?") for question in questions)
    assert room.get("/api/documents")["documents"][0]["memories"] == [], "nothing was read for them"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("too slow: raise --timeout, or lower --concurrency.", "too slow: raise “Timeout”, or lower “Concurrency”."),
        ("raise the limit with --max-reply-mb.", "raise the limit with “Max reply mb”."),
        ("'readgraph summarise' gives its most telling sentences.", "“Summarise” gives its most telling sentences."),
        ("such as 'readgraph table FILE \"every person: name, place\"'.", "such as “Make a table”."),
        ("'readgraph library repair' mends it.", "whoever runs this server mends it."),
        ("left out: to recognise their text, pip install 'readgraph[scans]'.", None),
        ("The keeper's log -- and 'the goat' -- of 1963.", "The keeper's log -- and 'the goat' -- of 1963."),
    ],
)
def test_no_word_of_the_command_line_stands_on_the_page(told: str, said: str | None) -> None:
    shown = in_page_words(told)
    assert shown == (said or "left out: to recognise their text, the package 'readgraph[scans]' is needed.")


def test_texts_of_the_settings_name_no_option(room: OpenRoom) -> None:
    about = room.get("/api/about")
    texts = [setting["help"] for setting in about["settings"]] + [method["line"] for method in about["methods"]]
    assert [text for text in texts if " --" in text or "'readgraph " in text or "pip " in text] == []
    details = room.get("/api/methods/read-agent")
    assert "look_up" in details["steps"] and {*details["reading_settings"]} < {*details["settings"]}

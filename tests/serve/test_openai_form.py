"""The library for clients of OpenAI's protocol: its own SDK asks, streamed or not, in both forms."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import APIError, AsyncOpenAI, BadRequestError, InternalServerError, NotFoundError, OpenAI, OpenAIError
from openai.types.chat import ChatCompletionMessageParam

from readgraph.state.context import ReaderContext
from tests.doubles.model_server import Fault, ModelServer
from tests.serve.browsing import OpenPage
from tests.support.examples import STORY
from tests.support.reading_room import OpenRoom, reading_room

pytestmark = pytest.mark.quick

QUESTION = "Who took the log book?"
GERMAN = "Die Ziege stand im Hof.\n\nDer Wärter nahm das Logbuch mit in den Turm.\n\nDann ging die Lampe aus."
ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]


def client_of(room: OpenRoom) -> OpenAI:
    return OpenAI(base_url=f"{room.base}/v1", api_key=room.guard.token, max_retries=0)


@pytest.fixture
def client(room: OpenRoom) -> OpenAI:
    room.added("lamp.txt", Path(STORY).read_bytes()[:6000])
    return client_of(room)


@pytest.fixture
def quiet(tmp_path: Path) -> Iterator[OpenRoom]:
    """A room without a model."""
    with reading_room(tmp_path / "library", ReaderContext(min_page_words=5, max_page_words=20)) as opened:
        yield opened


def test_models_are_listed_and_named(client: OpenAI, room: OpenRoom) -> None:
    (document,) = room.get("/api/documents")["documents"]
    room.client.put("/api/collections/Logs", json={"documents": [document["id"]]})
    names = [model.id for model in client.models.list()]
    assert names[0] == "readgraph" and {"readgraph/gam", "readgraph/read-agent", "readgraph:Logs"} <= {*names}
    assert client.models.retrieve("readgraph/gam:lamp").id == "readgraph/gam:lamp"
    for name, said in (
        ("gpt-4o", "Their names begin with 'readgraph'."),
        ("readgraph/gamm", "'gam'"),
        ("readgraf/gam", "'readgraph/gam'"),
        ("readgraph:lam", ""),
        ("readgraph:lamb", "'lamp'"),
        ("readgraph/gam:Loggs", "'Logs'"),
    ):
        with pytest.raises(NotFoundError) if said else pytest.raises(OpenAIError) as refused:
            client.chat.completions.create(model=name, messages=ASKED)
            raise OpenAIError  # a beginning of a title names the document
        if said:
            assert isinstance(refused.value, NotFoundError)
            assert said in refused.value.message and refused.value.code == "model_not_found"


def test_a_chat_completion_has_the_answer_and_its_places(client: OpenAI, room: OpenRoom) -> None:
    told = client.chat.completions.create(model="readgraph:lamp", messages=ASKED)
    (choice,) = told.choices
    assert (choice.finish_reason, choice.message.content) == ("stop", "It says so. [1]")
    (cited,) = [each.url_citation for each in choice.message.annotations or []]
    assert (choice.message.content or "")[cited.start_index : cited.end_index] == "[1]"
    (asked,) = room.get("/api/questions")["questions"]
    report = room.get(f"/api/questions/{asked['thread']}")
    page = report["report"]["found"]["citations"][0]["page"]
    assert cited.url == f"{room.base}/#/document/{asked['document']}/{report['memory']}/part/{page}"
    assert cited.title.startswith("lamp, ")
    used = report["report"]["found"]["usage"]
    assert told.usage and told.usage.prompt_tokens == used["input_tokens"] > 0
    assert told.usage.completion_tokens == used["output_tokens"] > 0


def test_a_streamed_completion_says_the_same(
    client: OpenAI, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readgraph.doors.serve.openai_form.ALIVE", 0.01)
    monkeypatch.setattr("readgraph.doors.serve.openai_answers.PIECE", 4)
    server.latency = 0.02
    asked: dict[str, Any] = {"model": "readgraph/full-text:lamp", "messages": ASKED}
    with client.chat.completions.with_streaming_response.create(**asked, stream=True) as raw:
        lines = [*raw.iter_lines()]
    assert ": keep-alive" in lines and lines[-2:] == ["data: [DONE]", ""]
    chunks = [*client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True})]
    first, *deltas, last, used = chunks
    whole = client.chat.completions.create(**asked)
    assert first.choices[0].delta.role == "assistant" and len(deltas) > 2
    assert "".join(chunk.choices[0].delta.content or "" for chunk in deltas) == whole.choices[0].message.content
    assert last.choices[0].finish_reason == "stop"
    annotations = getattr(last.choices[0].delta, "annotations")  # noqa: B009 - the SDK declares it for whole messages
    assert annotations == [each.model_dump() for each in whole.choices[0].message.annotations or []]
    assert not used.choices and used.usage and {chunk.id for chunk in chunks} == {first.id}


def test_responses_are_answered_whole_and_streamed(client: OpenAI) -> None:
    whole = client.responses.create(model="readgraph/full-text:lamp", input=QUESTION, instructions="Be brief.")
    assert (whole.status, whole.output_text) == ("completed", "It says so. [1]")
    assert whole.usage and whole.usage.total_tokens > 0
    with client.responses.stream(
        model="readgraph/full-text:lamp",
        input=[
            {"type": "function_call_output", "call_id": "1", "output": "passed over"},
            {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
        ],
    ) as stream:
        events = [*stream]
        final = stream.get_final_response()
    assert final.output_text == whole.output_text
    assert [event.sequence_number for event in events] == [*range(len(events))]
    (message,) = final.model_dump()["output"]
    assert message["content"][0]["annotations"] == whole.model_dump()["output"][0]["content"][0]["annotations"] != []


def test_a_conversation_goes_on(client: OpenAI, room: OpenRoom) -> None:
    said: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "You are a pirate."},
        *ASKED,
        {"role": "assistant", "content": "The keeper. [1]"},
        {"role": "user", "content": [{"type": "text", "text": "And why?"}]},
    ]
    told = client.chat.completions.create(model="readgraph/full-text", messages=said)
    assert told.choices[0].message.content
    (asked,) = room.get("/api/questions")["questions"]
    assert (asked["question"], asked["title"]) == ("And why?", "lamp")
    report = room.get(f"/api/questions/{asked['thread']}")
    assert report["question"] == f"Asked before: {QUESTION}\nAnswered: The keeper. [1]\n\nAsked now: And why?"
    more = room.ran(documents=[asked["document"]], method="full-text", question="And then?", follow_up=asked["thread"])
    assert more[-1]["run"]["state"] == "done"


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({"n": 2}, "n"),
        ({"tools": [{"type": "function", "function": {"name": "look"}}]}, "tools"),
        ({"logprobs": True}, "logprobs"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"messages": [{"role": "system", "content": "You are a pirate."}]}, "messages"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages"),
        ({"messages": [*ASKED, {"role": "assistant", "content": "Nobody."}]}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}, "messages"),
    ],
)
@pytest.mark.slow
def test_what_is_not_supported_is_refused(client: OpenAI, given: dict[str, Any], param: str) -> None:
    with pytest.raises(BadRequestError) as refused:
        client.chat.completions.create(**{"model": "readgraph", "messages": ASKED, **given})
    assert refused.value.param == param and refused.value.type == "invalid_request_error" and refused.value.message


def test_who_is_not_let_in_and_what_is_too_large_get_errors_of_the_same_form(
    room: OpenRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    def error(answer: Any) -> tuple[int, str, str]:
        said = answer.json()["error"]
        return answer.status_code, said["type"], said["code"]

    path = "/v1/chat/completions"
    wrong = {"authorization": "Bearer wrong"}
    assert error(room.client.get("/v1/models", headers=wrong)) == (401, "authentication_error", "invalid_api_key")
    assert error(room.client.get("/v1/models", headers={"origin": "http://evil.example"}))[0] == 403
    assert error(room.client.get("/v1/embeddings"))[0] == 404
    assert error(room.client.post(path, content=b"[" * 100_000))[0] == 400
    monkeypatch.setattr("readgraph.doors.serve.requests.MOST_JSON_MB", 0.0001)
    assert error(room.client.post(path, json={"model": "x" * 200}))[0] == 413
    assert error(room.client.get("/v1/models/readgraph", headers={"host": "evil.example"}))[0] == 403


@pytest.mark.parametrize("reply", ["", "nonsense", "{}"])
def test_a_model_that_gives_no_answer_is_an_error_in_each_way(client: OpenAI, server: ModelServer, reply: str) -> None:
    server.respond = lambda request: reply
    model = "readgraph/full-text:lamp"
    for ask in (
        lambda: client.chat.completions.create(model=model, messages=ASKED),
        lambda: client.responses.create(model=model, input=QUESTION),
    ):
        with pytest.raises(InternalServerError, match="gave no answer") as failed:
            ask()
        assert (failed.value.status_code, failed.value.code) == (502, "run_failed")
    with pytest.raises(APIError, match="gave no answer"):
        [*client.chat.completions.create(model=model, messages=ASKED, stream=True)]
    *_, last = client.responses.create(model=model, input=QUESTION, stream=True)
    assert last.type == "response.failed" and last.response.error


def test_where_the_budget_ended_first_each_form_says_so(server: ModelServer, tmp_path: Path) -> None:
    context = ReaderContext(model="openai:double", max_calls=1, min_page_words=40, max_page_words=90)
    with reading_room(tmp_path / "library", context) as room:
        room.added("lamp.txt", Path(STORY).read_bytes()[:6000])
        client, model = client_of(room), "readgraph/read-agent:lamp"
        assert client.chat.completions.create(model=model, messages=ASKED).choices[0].finish_reason == "length"
        *_, chunk = client.chat.completions.create(model=model, messages=ASKED, stream=True)
        assert chunk.choices[0].finish_reason == "length"
        whole = client.responses.create(model=model, input=QUESTION)
        *_, last = client.responses.create(model=model, input=QUESTION, stream=True)
        assert last.type == "response.incomplete"
        for given in (whole, last.response):
            assert given.status == "incomplete" and given.incomplete_details
            assert given.incomplete_details.reason == "max_output_tokens" and given.output_text


def test_a_run_that_fails_is_an_error_in_both_ways(client: OpenAI, room: OpenRoom, server: ModelServer) -> None:
    server.fault_for = lambda request, call: Fault("no such key", status=401)
    with pytest.raises(InternalServerError) as failed:
        client.chat.completions.create(model="readgraph/full-text:lamp", messages=ASKED)
    assert failed.value.code == "run_failed" and failed.value.response.headers["x-should-retry"] == "false"
    with pytest.raises(APIError) as broken:
        [*client.chat.completions.create(model="readgraph/full-text:lamp", messages=ASKED, stream=True)]
    assert failed.value.message.endswith(broken.value.message)
    events = [*client.responses.create(model="readgraph/full-text:lamp", input=QUESTION, stream=True)]
    assert events[-1].type == "response.failed" and events[-1].response.error
    with pytest.raises(BadRequestError, match="needs an embedding model"):
        client.chat.completions.create(model="readgraph/dense:lamp", messages=ASKED)
    room.room.closed = True
    with pytest.raises(InternalServerError, match="The server is ending") as ending:
        client.chat.completions.create(model="readgraph", messages=ASKED)
    assert ending.value.status_code == 503


@pytest.mark.slow
def test_two_ask_at_once_and_one_who_leaves_stops_the_run(client: OpenAI, room: OpenRoom, server: ModelServer) -> None:
    async def ask() -> list[str | None]:
        async with AsyncOpenAI(base_url=client.base_url, api_key=client.api_key, max_retries=0) as asking:
            both = await asyncio.gather(
                asking.chat.completions.create(model="readgraph/full-text:lamp", messages=ASKED),
                asking.responses.create(model="readgraph:lamp", input=QUESTION),
            )
            said = [both[0].choices[0].message.content, both[1].output_text]
            server.latency = 30.0
            leaving = await asking.chat.completions.create(
                model="readgraph/full-text:lamp", messages=[{"role": "user", "content": "Why?"}], stream=True
            )
            await anext(aiter(leaving))
            await leaving.close()
            waiting = asyncio.ensure_future(asking.responses.create(model="readgraph/full-text:lamp", input="When?"))
            while len(room.room.runs) < 5:
                await asyncio.sleep(0.01)
            waiting.cancel()
            return said

    assert asyncio.run(ask()) == ["It says so. [1]", "It says so. [1]"]
    for run in room.get("/api/runs")["runs"][:2]:
        assert room.until(run["id"], "end")[-1]["run"]["state"] == "stopped"


def test_without_a_model_the_text_says_so_and_nothing_is_counted(quiet: OpenRoom) -> None:
    client = client_of(quiet)
    with pytest.raises(BadRequestError, match="the library is empty"):
        client.chat.completions.create(model="readgraph", messages=ASKED)
    quiet.added("Turm.txt", GERMAN.encode())
    told = client.chat.completions.create(
        model="readgraph/read-agent", messages=[{"role": "user", "content": "Was nahm der Wärter mit in den Turm?"}]
    )
    message = told.choices[0].message
    assert message.content and "Logbuch" in message.content and message.content.startswith("The text says: “")
    cited = [each.url_citation for each in message.annotations or []]
    assert [message.content[each.start_index : each.end_index] for each in cited] == [
        f"[{number}]" for number in range(1, len(cited) + 1)
    ]
    assert cited and cited[0].title.startswith("Turm, ")
    assert told.usage and told.usage.total_tokens == 0
    nothing = client.responses.create(model="readgraph:Turm", input="Xylophon?")
    assert "is near your question" in nothing.output_text
    other = client.responses.create(model="readgraph:Turm", input="Who took the log book to the tower?")
    assert "\n\nThe question is in English and the text in German" in other.output_text


def test_all_sentences_that_are_nearest_stand_in_the_text_with_their_marks(quiet: OpenRoom) -> None:
    quiet.added(
        "goat.txt", b"The keeper had a goat.\n\nIts name was Mirabelle, and it fell down.\n\nThen the lamp went out."
    )
    asked: list[ChatCompletionMessageParam] = [{"role": "user", "content": "What name had the goat of the keeper?"}]
    message = client_of(quiet).chat.completions.create(model="readgraph", messages=asked).choices[0].message
    lead, *quotes = (message.content or "").split("\n\n")
    assert lead == "Nearest sentences:"
    assert quotes == ["“The keeper had a goat.” [1]", "“Its name was Mirabelle, and it fell down.” [2]"]
    cited = [each.url_citation for each in message.annotations or []]
    assert [(message.content or "")[each.start_index : each.end_index] for each in cited] == ["[1]", "[2]"]


def test_a_citation_of_several_documents_names_its_own_once(quiet: OpenRoom) -> None:
    for name, text in {"shed": "The goat stood in the shed.", "house": "The lamp of the house went out."}.items():
        quiet.added(f"{name}.txt", text.encode())
    asked: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Where stood the goat, and the lamp?"}]
    message = client_of(quiet).chat.completions.create(model="readgraph", messages=asked).choices[0].message
    titles = [each.url_citation.title for each in message.annotations or []]
    assert titles and {*titles} <= {"shed, line 1", "house, line 1", "shed", "house"}


def test_what_is_no_request_gets_a_line_that_says_why(quiet: OpenRoom) -> None:
    def refused(method: str, path: str, **given: Any) -> tuple[int, Any]:
        response = quiet.client.request(method, path, **given)
        return response.status_code, response.json()["error"]

    status, broken = refused("POST", "/v1/responses", content=b"{bad", headers={"content-type": "application/json"})
    assert status == 400 and broken["param"] is None
    assert broken["message"].startswith("The request is no valid JSON, from character 1 on: ")
    wrong: list[dict[str, Any]] = [{"json": []}, {"content": b"{}", "headers": {"content-type": "text/plain"}}, {}]
    for given in wrong:
        status, error = refused("POST", "/v1/responses", **given)
        assert status == 400 and error["message"].startswith("The request must be a JSON object"), given
    status, unknown = refused("POST", "/v1/embeddings", json={})
    assert status == 404 and unknown["message"].startswith("There is no POST /v1/embeddings: ")
    assert refused("GET", "/v1/responses")[0] == 405


@pytest.mark.browser
def test_a_citation_leads_to_its_part(page: OpenPage) -> None:
    page.room.added("lamp.txt", Path(STORY).read_bytes())
    told = client_of(page.room).chat.completions.create(model="readgraph:lamp", messages=ASKED)
    (cited,) = [each.url_citation for each in told.choices[0].message.annotations or []]
    tab = page.open(cited.url.partition("#")[2])
    tab.until("document.querySelector('.shown')")

"""The double itself, seen through the real client libraries."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import IncompleteRead
from typing import Annotated, Any, Literal
from urllib.request import Request, urlopen

import openai
import pytest
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field, SecretStr

from tests.doubles.model_server import ChatRequest, Fault, ModelServer, minimal_instance


class Part(BaseModel):
    kind: Literal["fact", "guess"]
    weight: Annotated[int, Field(ge=3)]
    child: "Part | None"


class Notes(BaseModel):
    title: str
    parts: Annotated[list[Part], Field(min_length=2)]
    pair: tuple[float, bool]


NOTES: Any = {"type": "json_schema", "json_schema": {"name": "Notes", "schema": Notes.model_json_schema()}}
TOOLS: Any = [{"type": "function", "function": {"name": name, "parameters": NOTES}} for name in ("other", "note")]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def client(server: ModelServer) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)


def ask(server: ModelServer, text: str = "one two", **options: Any) -> Any:
    messages: Any = [{"role": "user", "content": text}]
    return client(server).chat.completions.create(model="m", messages=messages, **options)


def wait_for(server: ModelServer, in_flight: int) -> None:
    deadline = time.monotonic() + 3
    while json.load(urlopen(server.url.replace("/v1", "/stats")))["in_flight"] != in_flight:
        assert time.monotonic() < deadline


def test_echo_counts_words_and_logs_the_request(server: ModelServer) -> None:
    answer = ask(server, " ".join(map(str, range(40))))
    assert answer.choices[0].message.content == " ".join(map(str, range(30)))
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (40, 30, 70)
    assert (server.calls, server.in_flight, server.answered) == (1, 0, [server.requests[0].key])
    assert [model.id for model in client(server).models.list()] == ["test-model"]


def test_request_reads_parts_and_names() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": parts}]
    request = ChatRequest({"messages": messages, "response_format": NOTES})
    assert (request.text, request.last, request.schema_name) == ("s\na\nb", "a\nb", "Notes")
    assert request.key == ChatRequest(dict(request.body)).key != ChatRequest({"messages": messages}).key


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_langchain_gets_minimal_instances_and_streams(server: ModelServer, method: Any) -> None:
    model = ChatOpenAI(base_url=server.url, api_key=SecretStr("none"), model="m", max_retries=0)
    notes = model.with_structured_output(Notes, method=method).invoke("go")
    assert notes == Notes.model_validate(minimal_instance(Notes.model_json_schema()))
    assert bool(server.requests[0].tools) == (method == "function_calling")
    pieces = list(model.stream("three short words", stream_usage=True))
    assert [piece.text for piece in pieces if piece.text] == ["three", " short", " words"]
    assert [piece.usage_metadata["total_tokens"] for piece in pieces if piece.usage_metadata] == [6]


def test_stream_of_a_call_of_the_forced_tool(server: ModelServer) -> None:
    server.respond = lambda request: {"title": "so it is"}
    forced = {"type": "function", "function": {"name": "note"}}
    chunks = list(ask(server, tools=TOOLS, tool_choice=forced, stream=True, stream_options={"include_usage": True}))
    calls = [call for chunk in chunks[:-1] for call in chunk.choices[0].delta.tool_calls or []]
    assert calls[0].function.name == "note"
    assert json.loads("".join(call.function.arguments for call in calls)) == {"title": "so it is"}
    assert chunks[-2].choices[0].finish_reason == "tool_calls" and chunks[-1].usage.completion_tokens == 4


def test_embeddings_are_the_same_in_both_encodings(server: ModelServer) -> None:
    texts, api = ["the cat sat", "sat the CAT", "other"], client(server).embeddings
    coded = [item.embedding for item in api.create(model="m", input=texts).data]
    plain = [item.embedding for item in api.create(model="m", input=texts, encoding_format="float").data]
    assert coded[0] == pytest.approx(plain[0]) and len(plain[0]) == 64 and server.embedding_calls == 2
    assert plain[0] == plain[1] != plain[2] and sum(x * x for x in plain[0]) == pytest.approx(1)
    assert [len(item.embedding) for item in api.create(model="m", input=[1, 2], dimensions=8).data] == [8]


def test_cut_shows_half_of_the_promised_body(server: ModelServer) -> None:
    server.fault_for = lambda request, number: Fault.cut()
    body = json.dumps({"messages": [{"role": "user", "content": "one two"}]}).encode()
    with urlopen(Request(f"{server.url}/chat/completions", body)) as response, pytest.raises(IncompleteRead) as short:
        response.read()
    assert len(short.value.partial) == int(response.headers["content-length"]) // 2
    with pytest.raises(openai.APIConnectionError):
        list(ask(server, stream=True))


def test_spoilt_answers(server: ModelServer) -> None:
    server.faults.extend([Fault.truncated(4), Fault.empty(), Fault.wrong_schema(), Fault.not_json()])
    cut, empty, wrong, prose = (ask(server, response_format=NOTES).choices[0] for _ in range(4))
    assert (cut.finish_reason, len(cut.message.content), empty.message.content) == ("length", 4, "")
    assert wrong.message.content == '{"unexpected": true}' and not prose.message.content.startswith("{")
    server.faults.extend([Fault.wrong_schema(), Fault.not_json()])
    wrong, prose = (ask(server, tools=TOOLS).choices[0].message for _ in range(2))
    assert wrong.tool_calls[0].function.arguments == '{"unexpected": true}' and prose.tool_calls is None
    assert server.answered == []


def test_reset_ends_waits_and_zeroes_all(server: ModelServer) -> None:
    server.faults.extend([Fault.hang(), Fault.empty()])
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(ask, server)
        wait_for(server, in_flight=1)
        urlopen(Request(server.url.replace("/v1", "/reset"), method="POST")).close()
        assert waiting.result().choices[0].message.content == "one two"
    assert (server.calls, server.in_flight, server.requests, server.answered, len(server.faults)) == (0, 0, [], [], 0)


def test_stop_drops_waiting_calls_at_once() -> None:
    with ThreadPoolExecutor() as pool:
        with ModelServer(latency=3600) as server:
            waiting = [pool.submit(ask, server) for _ in range(3)]
            wait_for(server, in_flight=3)
            begun = time.monotonic()
        assert time.monotonic() - begun < 0.5 and server.most_in_flight == 3
        assert {type(each.exception()) for each in waiting} == {openai.APIConnectionError}


def test_foreground_process_serves_until_a_signal() -> None:
    command = [sys.executable, "-m", "tests.doubles.model_server", "--latency", "0.01"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        urlopen(process.stdout.readline().removeprefix("serving ").strip() + "/models").close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=3) == 0

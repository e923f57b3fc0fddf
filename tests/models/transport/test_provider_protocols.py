"""Providers of other protocols, each through its own package and a server of this test: what their caches held."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router

from readgraph.graphs import read_agent
from readgraph.models.asking import ask_reply, ask_text
from readgraph.nodes.answering.in_view import FreeAnswer
from readgraph.nodes.look_up import PagesToRead
from readgraph.state.context import ReaderContext
from tests.doubles.loopback import LoopbackServer, loopback_listener
from tests.doubles.model_faults import JsonObject, minimal_instance
from tests.models.test_asking import PROMPT, make_runtime
from tests.models.transport.test_shared_heads import ANSWER, LOOK_UP
from tests.support.examples import STORY

pytestmark = pytest.mark.quick

SENT, READ, WRITTEN, RECEIVED = 1000, 700, 200, 10
"""Tokens of each call: those sent, of these the ones that the cache held and took in; those received."""


def speak_anthropic(body: JsonObject) -> JsonObject:
    """A message; Anthropic counts what its cache held and took in beside the others."""
    tools = body.get("tools")
    said: JsonObject = {"type": "text", "text": "The keeper was late."}
    if tools:
        made = minimal_instance(tools[0]["input_schema"])
        said = {"type": "tool_use", "id": "call", "name": tools[0]["name"], "input": made}
    usage = {
        "input_tokens": SENT - READ - WRITTEN,
        "cache_read_input_tokens": READ,
        "cache_creation_input_tokens": WRITTEN,
        "output_tokens": RECEIVED,
    }
    message = {"id": "message", "type": "message", "role": "assistant", "model": body["model"], "stop_sequence": None}
    return {**message, "content": [said], "stop_reason": "tool_use" if tools else "end_turn", "usage": usage}


def speak_gemini(body: JsonObject) -> JsonObject:
    """Content; what Gemini's cache took in has no count."""
    part: JsonObject = {"text": "The keeper was late."}
    if tools := body.get("tools"):
        (function,) = tools[0]["functionDeclarations"]
        made = minimal_instance(with_small_types(function["parameters"]))
        part = {"functionCall": {"name": function["name"], "args": made}}
    usage = {
        "promptTokenCount": SENT,
        "cachedContentTokenCount": READ,
        "candidatesTokenCount": RECEIVED,
        "totalTokenCount": SENT + RECEIVED,
    }
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "double"}


def with_small_types(schema: Any) -> Any:
    """A schema whose types have small letters: Gemini writes "OBJECT"."""
    if isinstance(schema, dict):
        return {
            key: value.lower() if key == "type" and isinstance(value, str) else with_small_types(value)
            for key, value in schema.items()
        }
    return [with_small_types(each) for each in schema] if isinstance(schema, list) else schema


def speak_deepseek(body: JsonObject) -> JsonObject:
    """A chat completion as OpenAI's, with DeepSeek's own names of what its cache held."""
    message: JsonObject = {"role": "assistant", "content": "The keeper was late."}
    if tools := body.get("tools"):
        function = tools[0]["function"]
        arguments = json.dumps(minimal_instance(function["parameters"]))
        call = {"id": "call", "type": "function", "function": {"name": function["name"], "arguments": arguments}}
        message |= {"content": None, "tool_calls": [call]}
    usage = {
        "prompt_tokens": SENT,
        "prompt_cache_hit_tokens": READ,
        "prompt_cache_miss_tokens": SENT - READ,
        "completion_tokens": RECEIVED,
        "total_tokens": SENT + RECEIVED,
    }
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    head = {"id": "chat", "object": "chat.completion", "created": 0, "model": body["model"]}
    return {**head, "choices": [choice], "usage": usage}


@dataclass(frozen=True)
class Provider:
    """A provider: the module of its package, a model, the variables of its address and key, and how it speaks."""

    module: str
    model: str
    address: str
    key: str
    speak: Callable[[JsonObject], JsonObject]
    written: int = 0


ANTHROPIC = ("langchain_anthropic", "anthropic:claude-double", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")
GEMINI = ("langchain_google_genai", "google_genai:gemini-double", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY")
DEEPSEEK = ("langchain_deepseek", "deepseek:double", "DEEPSEEK_API_BASE", "DEEPSEEK_API_KEY")
PROVIDERS = [
    Provider(*ANTHROPIC, speak_anthropic, WRITTEN),
    Provider(*GEMINI, speak_gemini),
    Provider(*DEEPSEEK, speak_deepseek),
]


@contextmanager
def serving(speak: Callable[[JsonObject], JsonObject]) -> Iterator[tuple[str, list[JsonObject]]]:
    """A server that answers every request so; its address, and what arrived."""
    arrived = list[JsonObject]()

    async def answer(http: Request) -> Response:
        arrived.append(await http.json())
        return JSONResponse(speak(arrived[-1]))

    listener, loop = loopback_listener(0), asyncio.new_event_loop()
    server = LoopbackServer(Router([Route("/{path:path}", answer, methods=["POST"])]))
    thread = threading.Thread(target=loop.run_until_complete, args=(server.serve(sockets=[listener]),), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", arrived
    finally:
        loop.call_soon_threadsafe(server.told_to_stop.set)
        thread.join()
        loop.close()


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.module)
def test_what_a_providers_cache_held_is_counted(monkeypatch: pytest.MonkeyPatch, provider: Provider) -> None:
    pytest.importorskip(provider.module)
    with serving(provider.speak) as (address, arrived):
        monkeypatch.setenv(provider.address, address)
        monkeypatch.setenv(provider.key, "none")
        graph = read_agent.build().compile(store=InMemoryStore())
        given: Any = {"text": Path(STORY).read_text(encoding="utf-8"), "question": "Who was late?"}
        found = graph.invoke(given, context=ReaderContext(model=provider.model))
    used, calls = found["usage"], len(arrived)
    assert used["input_tokens"] == SENT * calls > 0 and used["output_tokens"] == RECEIVED * calls
    assert (used["cache_read_tokens"], used["cache_write_tokens"]) == (READ * calls, provider.written * calls)


def speak_json(body: JsonObject) -> JsonObject:
    """Anthropic's message with a typed reply in its text."""
    said = {"reason": "the oil", "pages": [3], "quotes": [], "answer": "The keeper."}
    counted = {"input_tokens": len(json.dumps(body)) // 4, "output_tokens": RECEIVED}  # as of prompts that are not cut
    spoken = speak_anthropic({**body, "tools": None})
    return {**spoken, "usage": counted, "content": [{"type": "text", "text": json.dumps(said)}]}


async def test_what_prompts_begin_with_is_marked_for_anthropic(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langchain_anthropic")
    runtime = make_runtime(model="anthropic:claude-double")
    with serving(speak_json) as (address, arrived):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        assert (await ask_reply(runtime, LOOK_UP, PagesToRead)).pages == [3]
        assert (await ask_reply(runtime, ANSWER, FreeAnswer)).answer == "The keeper."
        await ask_text(runtime, PROMPT)
    looking, answering, other = (body["messages"][0]["content"] for body in arrived)
    marked = {"type": "text", "text": LOOK_UP.user[: LOOK_UP.head], "cache_control": {"type": "ephemeral"}}
    assert looking[0] == answering[0] == marked and arrived[0]["system"] == arrived[1]["system"]
    assert not any("tools" in body for body in arrived), "they would stand before what is kept"
    assert other == PROMPT.user

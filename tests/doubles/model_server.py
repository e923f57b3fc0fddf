"""A language model double: an OpenAI-compatible loopback server that answers by a rule, without delay."""

import argparse
import asyncio
import hashlib
import itertools
import json
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from tests.doubles.batch_endpoint import BatchEndpoint
from tests.doubles.loopback import LoopbackServer, loopback_listener
from tests.doubles.model_faults import (
    Fault,
    JsonObject,
    ToolCall,
    completion,
    embeddings,
    error_response,
    json_response,
    minimal_instance,
    unsupported,
)

__all__ = ["ChatRequest", "Fault", "ModelServer", "Responder", "ToolCall", "echo", "minimal_instance"]


def plain_text(content: Any) -> str:
    """The text of a message's content, which is a string, a list of parts, or nothing."""
    if isinstance(content, list):
        return "\n".join(part if isinstance(part, str) else part.get("text", "") for part in content)
    return content or ""


@dataclass(frozen=True)
class ChatRequest:
    """One chat completion request as it arrived."""

    body: JsonObject
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def messages(self) -> list[JsonObject]:
        """The messages as they were sent."""
        return list(self.body["messages"])

    @cached_property
    def text(self) -> str:
        """All message contents, joined by newlines."""
        return "\n".join(plain_text(message.get("content")) for message in self.messages)

    @property
    def last(self) -> str:
        """The content of the last user message."""
        users = [message for message in self.messages if message["role"] == "user"]
        return plain_text(users[-1].get("content")) if users else ""

    @property
    def _format(self) -> JsonObject:
        asked = self.body.get("response_format") or {}
        return dict(asked["json_schema"]) if asked.get("type") == "json_schema" else {}

    @property
    def schema(self) -> JsonObject | None:
        """The JSON schema that the response format asks for."""
        return self._format.get("schema")

    @property
    def schema_name(self) -> str | None:
        """The name of that schema."""
        return self._format.get("name")

    @property
    def tools(self) -> list[JsonObject]:
        """The tools that were offered."""
        return list(self.body.get("tools") or [])

    @property
    def tool(self) -> JsonObject | None:
        """The function that a JSON answer calls: the required one, or else the first."""
        functions: list[JsonObject] = [tool["function"] for tool in self.tools]
        choice = self.body.get("tool_choice")
        forced = choice["function"]["name"] if isinstance(choice, dict) else None
        return next((each for each in functions if forced in (None, each["name"])), None)

    @cached_property
    def key(self) -> str:
        """A digest of the messages and the schema name: equal for equal questions."""
        canonical = json.dumps([self.messages, self.schema_name], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


Responder = Callable[[ChatRequest], str | JsonObject | ToolCall]


def echo(request: ChatRequest) -> str | JsonObject:
    """Answer with the first words of the question, or with a minimal instance of what was asked for."""
    schema = request.tool.get("parameters", {}) if request.tool else request.schema
    if schema is None:
        return " ".join(request.last.split()[:30])
    instance: JsonObject = minimal_instance(schema)
    return instance


class ModelServer:
    """The double: a context manager that serves from a thread of its own.

    The responder runs on the serving thread, so it must not block. All attributes can be read, and `latency`,
    `respond`, `refuses` (fields of requests), `faults`, `fault_for` and `embed` (which makes the response to a request
    for embeddings; `embedded` holds the texts of each) changed, while the server runs.
    """

    def __init__(
        self,
        respond: Responder = echo,
        *,
        latency: float = 0.0,
        supports: frozenset[str] = frozenset({"json_schema", "tools"}),
        port: int = 0,
    ) -> None:
        """Prepare a server that answers with the responder, `latency` seconds after a call arrives."""
        self.respond = respond
        self.latency = latency
        self.supports = supports
        self.refuses: frozenset[str] = frozenset()
        self.faults: deque[Fault] = deque()
        self._port = port
        self._epoch = 0
        self._marks = itertools.count(1)
        self._watchers: set[asyncio.Task[Any]] = set()
        self.batching = BatchEndpoint(self._answer_line)
        self._thread: threading.Thread | None = None
        self._clear()

    def _clear(self) -> None:
        self._epoch += 1
        self.calls = self.in_flight = self.most_in_flight = self.embedding_calls = 0
        self.requests: list[ChatRequest] = []
        self.answered: list[str] = []
        self.faults.clear()
        self.batching.clear()
        self.fault_for: Callable[[ChatRequest, int], Fault | None] | None = None
        self.embedded: list[list[str]] = []
        self.embed: Callable[[JsonObject], Response] = embeddings
        for watcher in self._watchers:
            watcher.cancel()

    def reset(self) -> None:
        """Clear counters, logs and faults and end all waits; calls in flight no longer count."""
        if self._thread is None or threading.current_thread() is self._thread:
            self._clear()
            return
        cleared = threading.Event()
        self._loop.call_soon_threadsafe(self._clear)
        self._loop.call_soon_threadsafe(cleared.set)
        cleared.wait()

    def __enter__(self) -> "ModelServer":
        """Start to serve; connections are accepted from now on."""
        listener = loopback_listener(self._port)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        self._loop = asyncio.new_event_loop()
        self._server = LoopbackServer(self._router())
        self._thread = threading.Thread(target=self._serve, args=(listener,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop without delay; calls in flight see a dropped connection."""
        if self._thread:
            self._loop.call_soon_threadsafe(self._server.told_to_stop.set)
            self._thread.join()
            self._thread = None

    def _router(self) -> Router:
        return Router(
            [
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/embeddings", self._embed, methods=["POST"]),
                Route("/v1/models", self._models),
                *self.batching.routes(),
                Route("/stats", self._stats),
                Route("/reset", self._reset, methods=["POST"]),
            ]
        )

    def _serve(self, listener: socket.socket) -> None:
        self._loop.run_until_complete(self._server.serve(sockets=[listener]))
        self._loop.close()

    async def _chat(self, http: Request) -> Response:
        request = ChatRequest(json.loads(await http.body()), dict(http.headers))
        epoch = self._epoch
        self.calls += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self.requests.append(request)
        try:
            fault = self._next_fault(request)
            response = await self._answer(request, fault, http)
        finally:
            # Counted before the response is sent, so that a client with its answer never sees an old count.
            if epoch == self._epoch:
                self.in_flight -= 1
        if response.status_code == 200 and not fault.spoils and epoch == self._epoch:
            self.answered.append(request.key)
        return response

    async def _answer_line(self, body: JsonObject) -> Response:
        """Answer a line of a batch; `calls` counts only ordinary calls."""
        request = ChatRequest(body)
        fault = self._next_fault(request)
        return await self._answer(request, fault, None)

    def _next_fault(self, request: ChatRequest) -> Fault:
        if self.faults:
            return self.faults.popleft()
        return (self.fault_for and self.fault_for(request, self.calls)) or Fault.passing()

    async def _answer(self, request: ChatRequest, fault: Fault, http: Request | None) -> Response:
        if fault.status != 200 and fault.body is None:
            return error_response(fault.status, fault.name, retry_after=fault.retry_after)
        if request.schema is not None and "json_schema" not in self.supports:
            return unsupported("response_format")
        if request.tools and "tools" not in self.supports:
            return unsupported("tools")
        for refused in self.refuses & {*request.body}:
            return unsupported(refused)
        if http and not await self._client_waits(self.latency + fault.wait, http):
            return Response(status_code=499)
        try:
            answer = self.respond(request) if fault.answer is None else fault.answer
            tool = request.tool["name"] if request.tool else None
            return completion(request.body, request.text, tool, answer, fault, next(self._marks))
        except Exception as error:
            return error_response(500, str(error))

    async def _client_waits(self, seconds: float, http: Request) -> bool:
        """Wait; returns whether the client is still connected. A reset ends the wait early."""
        if seconds <= 0:
            return True
        # After the body, the next message to receive is that the client has disconnected.
        watcher = asyncio.ensure_future(http.receive())
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)
        await asyncio.wait({watcher}, timeout=seconds)
        if not watcher.done():
            watcher.cancel()
            return True
        return watcher.cancelled()

    async def _embed(self, http: Request) -> Response:
        body = json.loads(await http.body())
        self.embedding_calls += 1
        self.embedded.append([body["input"]] if isinstance(body["input"], str) else body["input"])
        return self.embed(body)

    async def _models(self, http: Request) -> Response:
        model = {"id": "test-model", "object": "model", "created": 0, "owned_by": "tests"}
        return json_response({"object": "list", "data": [model]})

    async def _stats(self, http: Request) -> Response:
        names = ("calls", "in_flight", "most_in_flight", "embedding_calls")
        return json_response({name: getattr(self, name) for name in names})

    async def _reset(self, http: Request) -> Response:
        self.reset()
        return json_response({})


def main() -> None:
    """Serve in the foreground until a signal ends it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--respond", default="tests.doubles.model_server:echo", help="MODULE:FUNCTION that answers")
    options = parser.parse_args()
    module, _, function = options.respond.partition(":")
    respond: Responder = getattr(import_module(module), function)
    endings = {signal.SIGTERM, signal.SIGINT}
    # Blocked before the serving thread starts, so that no thread but this one ever takes them.
    signal.pthread_sigmask(signal.SIG_BLOCK, endings)
    with ModelServer(respond, latency=options.latency, port=options.port) as server:
        sys.stdout.write(f"serving {server.url}\n")
        sys.stdout.flush()
        signal.sigwait(endings)


if __name__ == "__main__":
    main()

"""The responses of the model double: faults, response bodies, minimal answers, vectors."""

import asyncio
import base64
import json
import math
import re
import zlib
from array import array
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

JsonObject = dict[str, Any]

PROSE = "I am sorry, but here is what I think about it in plain words."

ERROR_KINDS = {
    400: ("invalid_request_error", "unsupported_parameter"),
    401: ("invalid_request_error", "invalid_api_key"),
    429: ("requests", "rate_limit_exceeded"),
}


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one chat call; made with the constructors below.

    The fields say what happens, so that a server needs no case per fault.
    """

    name: str
    status: int = 200
    retry_after: float | str | None = None
    wait: float = 0.0
    breaks_off: bool = False
    limit: int | None = None
    body: str | bytes | None = None
    media_type: str = ""
    change: Callable[[JsonObject], None] | None = None
    drip: float | None = None
    answer: str | JsonObject | None = field(default=None, hash=False)

    @property
    def spoils(self) -> bool:
        """Whether the client gets anything but the complete and correct answer."""
        spoilt = (self.limit, self.answer, self.body, self.change, self.drip)
        return self.status != 200 or self.breaks_off or any(part is not None for part in spoilt)

    @staticmethod
    def passing() -> "Fault":
        """Do nothing; lets a test place a fault at a later call."""
        return Fault("passing")

    @staticmethod
    def rate_limited(retry_after: float | str | None = None) -> "Fault":
        """Answer 429, with a Retry-After header when one is given."""
        return Fault("rate limit reached", status=429, retry_after=retry_after)

    @staticmethod
    def server_error(status: int = 500) -> "Fault":
        """Answer with a status for a server error."""
        return Fault("the server had an error", status=status)

    @staticmethod
    def unauthorized() -> "Fault":
        """Answer 401."""
        return Fault("incorrect API key provided", status=401)

    @staticmethod
    def hang(seconds: float = 3600.0) -> "Fault":
        """Wait, then answer as usual; a reset ends the wait, and stopping the server drops the call."""
        return Fault("hang", wait=seconds)

    @staticmethod
    def cut() -> "Fault":
        """Promise the whole body, send half of it, and close the connection."""
        return Fault("cut", breaks_off=True)

    @staticmethod
    def dripping(seconds: float) -> "Fault":
        """Send the whole answer slowly, at this many seconds per byte."""
        return Fault("dripping", drip=seconds)

    @staticmethod
    def changed(change: Callable[[JsonObject], None]) -> "Fault":
        """Answer with a completion that was changed in place."""
        return Fault("changed", change=change)

    @staticmethod
    def foreign(body: str | bytes) -> "Fault":
        """Answer with this body instead of a completion."""
        return Fault("foreign", body=body)

    @staticmethod
    def truncated(n: int) -> "Fault":
        """Answer with the first n characters (of the content or the tool arguments) and finish reason "length"."""
        return Fault("truncated", limit=n)

    @staticmethod
    def empty() -> "Fault":
        """Answer with empty content."""
        return Fault("empty", answer="")

    @staticmethod
    def not_json() -> "Fault":
        """Answer in prose, whatever form was asked for."""
        return Fault("not JSON", answer=PROSE)

    @staticmethod
    def wrong_schema() -> "Fault":
        """Answer with valid JSON that does not fit the schema."""
        return Fault("wrong schema", answer={"unexpected": True})


class CutResponse(Response):
    """A response whose body breaks off in the middle: an unfinished response makes the server close the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the headers of the whole response, then half of its body."""
        half = bytes(self.body)[: len(self.body) // 2]
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": half, "more_body": True})


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as a JSON response."""
    return Response(json.dumps(value, ensure_ascii=False), status, headers, "application/json")


def error_response(
    status: int, message: str, param: str | None = None, retry_after: float | str | None = None
) -> Response:
    """An error in OpenAI's format."""
    kind, code = ERROR_KINDS.get(status, ("server_error", "server_error"))
    error = {"message": message, "type": kind, "param": param, "code": code}
    headers = None if retry_after is None else {"retry-after": str(retry_after)}
    return json_response({"error": error}, status, headers)


def unsupported(param: str) -> Response:
    """Refuse a request for one of its parameters."""
    return error_response(400, f"Unsupported parameter: '{param}' is not supported with this model.", param)


def words(text: str) -> int:
    """Count words, which stand for tokens."""
    return len(text.split())


@dataclass(frozen=True)
class ToolCall:
    """An answer that calls this tool, where several are offered."""

    name: str
    arguments: JsonObject


Answer = str | JsonObject | ToolCall


def assistant_message(answer: Answer, tool: str | None, limit: int | None, mark: int) -> JsonObject:
    """An answer as a message: as content, or as a call of the tool if it is an object and there is a tool."""
    if isinstance(answer, ToolCall):
        tool, answer = answer.name, answer.arguments
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    if isinstance(answer, str) or tool is None:
        return {"role": "assistant", "content": text[:limit], "refusal": None}
    call = {"id": f"call_{mark}", "type": "function", "function": {"name": tool, "arguments": text[:limit]}}
    return {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}


def deltas(message: JsonObject) -> Iterator[JsonObject]:
    """Split a message into the pieces of a stream, word by word."""
    if "tool_calls" not in message:
        yield {"role": "assistant", "content": ""}
        yield from ({"content": piece} for piece in re.findall(r"\s*\S+|\s+", message["content"]))
        return
    call = message["tool_calls"][0]
    opening = {**call, "index": 0, "function": {**call["function"], "arguments": ""}}
    yield {"role": "assistant", "content": None, "tool_calls": [opening]}
    for piece in re.findall(r"\s*\S+|\s+", call["function"]["arguments"]):
        yield {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}


def event_stream(head: JsonObject, message: JsonObject, finish: str, usage: JsonObject | None) -> str:
    """A completion as server-sent events; the last event has the usage, if given."""
    head = {**head, "object": "chat.completion.chunk"}
    choices: list[JsonObject] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas(message)]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    chunks = [{**head, "choices": [choice]} for choice in choices]
    if usage:
        chunks.append({**head, "choices": [], "usage": usage})
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def completion(body: JsonObject, question: str, tool: str | None, answer: Answer, fault: Fault, mark: int) -> Response:
    """The response to a request, with the answer changed by the fault, in the form that the request's body asks for."""
    if fault.body is not None:
        kind_of_body = fault.media_type or ("text/html" if fault.body[:1] in ("<", b"<") else "application/json")
        return Response(fault.body, fault.status, media_type=kind_of_body)
    message = assistant_message(answer, tool, fault.limit, mark)
    kind = CutResponse if fault.breaks_off else Response
    calls = message.get("tool_calls")
    finish = "length" if fault.limit is not None else "tool_calls" if calls else "stop"
    asked, told = words(question), words(calls[0]["function"]["arguments"] if calls else message["content"])
    usage = {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told}
    head = {"id": f"chatcmpl-{mark}", "object": "chat.completion", "created": 0, "model": body.get("model")}
    if body.get("stream"):
        counted = (body.get("stream_options") or {}).get("include_usage")
        events = event_stream(head, message, finish, usage if counted else None)
        return _sent(kind(events, media_type="text/event-stream"), fault.drip)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    whole = {**head, "choices": [choice], "usage": usage}
    if fault.change:
        fault.change(whole)
    return _sent(kind(json.dumps(whole, ensure_ascii=bool(fault.change)), media_type="application/json"), fault.drip)


def _sent(response: Response, drip: float | None) -> Response:
    """The response, or one that sends its body slowly."""
    if drip is None:
        return response

    async def slowly() -> AsyncIterator[bytes]:
        for byte in bytes(response.body):
            yield bytes([byte])
            await asyncio.sleep(drip)

    return StreamingResponse(slowly(), media_type=response.media_type)


def minimal_instance(schema: JsonObject, root: JsonObject | None = None) -> Any:
    """A smallest value that fits a JSON schema; references are looked up in the root schema."""
    root = schema if root is None else root
    if "$ref" in schema:
        target: Any = root
        for step in schema["$ref"].split("/")[1:]:
            target = target[step]
        return minimal_instance(target, root)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            options = schema[union]
            return minimal_instance(next((each for each in options if each.get("type") == "null"), options[0]), root)
    kind = schema.get("type", "object" if "properties" in schema else "null")
    if isinstance(kind, list):
        kind = "null" if "null" in kind else kind[0]
    if kind == "object":
        return {name: minimal_instance(schema["properties"][name], root) for name in schema.get("required", [])}
    if kind == "array":
        places = schema.get("prefixItems", []) + [schema.get("items") or {}] * schema.get("minItems", 0)
        return [minimal_instance(place, root) for place in places[: schema.get("minItems", 0)]]
    return minimal_scalar(kind, schema)


def minimal_scalar(kind: str, schema: JsonObject) -> str | int | float | bool | None:
    """A smallest text, number or boolean that fits a JSON schema."""
    if kind == "string":
        return "x" * int(schema.get("minLength", 0))
    if kind == "boolean":
        return False
    if kind == "null":
        return None
    lowest: float = schema.get("minimum", min(0, schema.get("maximum", 0)))
    above: float | None = schema.get("exclusiveMinimum")
    return lowest if above is None else above + (1 if kind == "integer" else 0.5)


def vector(text: str, dimensions: int = 64) -> list[float]:
    """The words of a text as a vector of length 1; each word counts in the component given by its checksum."""
    counts = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()):
        counts[zlib.crc32(word.encode()) % dimensions] += 1.0
    if not any(counts):
        counts[0] = 1.0
    length = math.hypot(*counts)
    return [count / length for count in counts]


def embeddings(body: JsonObject, vector_of: Callable[[str, int], list[float]] = vector) -> Response:
    """The response to an embeddings request, whose vectors `vector_of` makes of a text and a number of dimensions."""
    given = body["input"]
    # A text may also come as a list of token numbers.
    one = isinstance(given, str) or (given and isinstance(given[0], int))
    texts = [text if isinstance(text, str) else " ".join(map(str, text)) for text in ([given] if one else given)]
    vectors: list[Any] = [vector_of(text, body.get("dimensions") or 64) for text in texts]
    if body.get("encoding_format") == "base64":
        vectors = [base64.b64encode(array("f", each).tobytes()).decode() for each in vectors]
    data = [{"object": "embedding", "index": index, "embedding": each} for index, each in enumerate(vectors)]
    total = sum(map(words, texts))
    usage = {"prompt_tokens": total, "total_tokens": total}
    return json_response({"object": "list", "data": data, "model": body.get("model"), "usage": usage})

"""What a server of OpenAI's protocol sends, in the form in which LangChain can read it, or the error that it is."""

import json
import re
import zlib
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, TypeVar

import httpx2
from langchain_core import exceptions as kinds
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI, AsyncStream
from openai._streaming import ServerSentEvent

from readgraph.models.failures.failure import (
    UNDECODED,
    UnreadableReply,
    broke_off,
    error_of_refusal,
    kind_of,
    names_of,
    own_error,
    too_long,
)
from readgraph.models.failures.refusals import Refusal, read_refusal
from readgraph.models.reply import BLOCKED, CUT, fold_ending, names_no_end
from readgraph.state.declaring import LARGEST

T = TypeVar("T")
PATH = "/chat/completions"
ONLY_KEY: Any = {"security": {"bearer_auth": True}}  # else an administrator's key would be sent too
DONE, GZIP = "[DONE]", b"\x1f\x8b"  # what a stream ends with, and what packed bytes begin with
MOST_UNPACKED = 20_000_000  # bytes of a body that came packed though nobody asked for it
_NAMES_ENDING = re.compile(r'"finish_reason"\s*:\s*"')
_SAYING = {"message", "msg", "detail", "errors", "error_msg", "base_resp"}  # fields of an error without an `error`
BROKEN_STREAM = "incomplete"  # how a streamed reply ended whose server says neither why nor that it is done


async def with_model_errors(sent: Awaitable[T], fields: Iterable[str] = ()) -> T:
    """The response to a request with these fields; raises LangChain's errors in the place of those of OpenAI's SDK."""
    try:
        return await sent
    except APIError as problem:
        if own := own_error(problem):
            raise own from None
        error = _model_error(problem, fields)
    raise error  # outside of `except`, so that the SDK's error, with the server's text, is not chained to it


def _model_error(problem: APIError, fields: Iterable[str]) -> kinds.ModelError:
    if isinstance(problem, APIStatusError):
        status, waits = problem.status_code, "retry-after" in problem.response.headers
        refusal = read_refusal(status, problem.body, fields, waits=waits)
    else:
        status, refusal = _read_error(problem.body, fields)
    sent = ""
    if isinstance(problem, APITimeoutError):
        known = kind_of(problem)
        kind = known if issubclass(known, kinds.ModelError) else kinds.ModelTimeoutError
        error: kinds.ModelError = kind(kind.__name__)
    elif isinstance(problem, APIConnectionError) and not (sent := _name_undecoded(problem)):
        error = kinds.ModelConnectionError("ModelConnectionError")
    else:
        error = error_of_refusal(status or 500, refusal)
    about = {"refusal": refusal, "most_mb": too_long(problem), "broke_off": broke_off(problem), "sent": sent}
    vars(error).update(about, code=problem.code, status_code=status)
    if isinstance(problem, APIStatusError):  # the response is kept for its headers
        vars(error).update(response=problem.response)
    return error


def _name_undecoded(problem: APIError) -> str:
    return "a body that is not compressed as it says" if names_of(problem) & UNDECODED else ""


def _read_error(error: Any, fields: Iterable[str]) -> tuple[int, Refusal]:
    """The HTTP status that an error in a body of the status 200 stands for, 0 if it is not known, and what it says."""
    code = error.get("code", error.get("status")) if isinstance(error, Mapping) else 0
    number = int(code) if isinstance(code, str) and code.isdecimal() else code
    status = number if isinstance(number, int) and 400 <= number < 600 else 0
    refusal = read_refusal(status or 400, error, fields) if error else Refusal()
    return status or (400 if refusal.kind else 0), refusal


class WholeStream(AsyncStream[Any]):
    """The pieces of a streamed reply; one that ends before its end gets a last piece that says so."""

    async def _iter_events(self) -> AsyncIterator[ServerSentEvent]:
        ended, event = False, None
        async for event in super()._iter_events():
            ended = ended or event.data.startswith(DONE) or bool(_NAMES_ENDING.search(event.data))
            yield _show_error(event)
        if event is None:
            raise UnreadableReply("no events")
        if not ended:
            yield ServerSentEvent(data=json.dumps({"choices": [{"delta": {}, "finish_reason": BROKEN_STREAM}]}))

    async def __stream__(self) -> AsyncIterator[Any]:
        if "json" in self.response.headers.get("content-type", ""):  # it streams nothing, or says so
            await self.response.aread()
            yield read_completion(self.response, ())
            return
        try:
            async for piece in super().__stream__():
                yield piece
            return
        except APIError as problem:
            if own := own_error(problem):
                raise own from None
            error = _model_error(problem, ())
        raise error


class WholeStreams:
    """What LangChain asks for streamed replies: the SDK's `chat.completions`, without its walk through the request."""

    def __init__(self, sdk: AsyncOpenAI) -> None:
        self._sdk = sdk

    async def create(self, *, extra_body: Mapping[str, Any] = MappingProxyType({}), **payload: Any) -> WholeStream:
        """The pieces of the reply to a request; raises LangChain's errors."""
        body = {**payload, **extra_body}
        sent = self._sdk.post(PATH, body=body, cast_to=object, stream=True, stream_cls=WholeStream, options=ONLY_KEY)
        return await with_model_errors(sent, body)


def read_completion(response: httpx2.Response, fields: Iterable[str]) -> Any:
    """The completion in a response, as JSON, also where it came as events that nobody asked for.

    Raises:
        UnreadableReply: It holds something else.
        ModelError: It holds an error that names its status.
    """
    content, coding = response.content, response.headers.get("content-encoding", "").lower()
    if content.startswith(GZIP):
        content = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(content, MOST_UNPACKED)
    text = content.decode(errors="replace").lstrip("\ufeff").strip()
    try:
        content.decode()  # what is no UTF-8 is not guessed
        value = json.loads(text) if text.startswith(("{", "[")) and not text.endswith(DONE) else _join_events(text)
    except (ValueError, RecursionError):
        raise UnreadableReply(_name_content(text, coding)) from None
    error = _error_in(value)
    status, refusal = _read_error(error, fields)
    if status:
        raise error_of_refusal(status, refusal)
    if not isinstance(value, dict) or (error and not value.get("choices")):
        raise UnreadableReply("an error without a status" if error else "something else than a completion")
    return value


def _error_in(value: Any) -> Any:
    """The error in a body: in its field, or the whole of what has no choices, such as `{"detail": …}`."""
    if not isinstance(value, dict):
        return None
    return value.get("error") or (value if not value.get("choices") and {*value} & _SAYING else None)


def _show_error(event: ServerSentEvent) -> ServerSentEvent:
    """The event; an error in other words has the field by which the SDK knows one."""
    if '"delta"' in event.data or not event.data.startswith("{"):
        return event
    with suppress(ValueError, RecursionError):
        if error := _error_in(json.loads(event.data)):
            return ServerSentEvent(data=json.dumps({"error": error}))
    return event


def _name_content(text: str, coding: str) -> str:
    """What stands where a completion was expected, in a few words."""
    if coding not in ("", "identity", "gzip", "deflate"):
        return f"a body compressed as '{coding:.20}'"
    return "a web page" if text.startswith("<") else "an empty body" if not text else "something else than JSON"


def _join_events(text: str) -> Any:
    """The completion in server-sent events: pieces of one, or a whole one; raises `ValueError` for anything else."""
    lines = [line.removeprefix("data:").strip() for line in text.splitlines() if line.startswith(("data:", "{", DONE))]
    pieces = [json.loads(line) for line in lines if line and not line.startswith(DONE)]
    choices = [_name_error(piece["choices"][0]) for piece in pieces if isinstance(piece, dict) and piece.get("choices")]
    if len(pieces) == 1 and (not choices or "message" in choices[0]):
        return pieces[0]
    deltas = [delta for choice in choices if isinstance(delta := choice.get("delta"), dict)]
    if not deltas:
        raise ValueError
    endings = [choice["finish_reason"] for choice in choices if choice.get("finish_reason")]
    is_done = any(line.startswith(DONE) for line in lines)
    message: dict[str, Any] = {"role": "assistant", "content": "".join(_texts(each.get("content") for each in deltas))}
    calls = [call for delta in deltas for call in delta.get("tool_calls") or () if not call.get("index")]
    if calls:  # only the first call is used
        given = "".join(_texts((call.get("function") or {}).get("arguments") for call in calls))
        message["tool_calls"] = [{**calls[0], "function": {**(calls[0].get("function") or {}), "arguments": given}}]
    bad = [ending for ending in endings if isinstance(ending, str) and names_no_end(ending)]
    ending = [*endings, *bad][-1] if endings else None if is_done else BROKEN_STREAM
    usage = next((piece["usage"] for piece in reversed(pieces) if piece.get("usage")), None)
    return {"choices": [{"message": message, "finish_reason": ending}], "usage": usage}


def _texts(values: Iterable[Any]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def repair_response(response: Any, part: str = "message") -> Any:
    """The response as LangChain can parse it, arguments as text; `part` is a choice's message, "delta" in a chunk."""
    if not isinstance(response, dict):
        return response
    choices = response.get("choices")
    mended = [_repair_choice(choice, part) for choice in choices] if isinstance(choices, list) else choices
    return {**response, "choices": mended, "usage": _counts(response.get("usage"))}


def _repair_choice(choice: Any, part: str) -> Any:
    if part == "delta" and isinstance(choice, dict) and choice.get(part) is None:  # a whole reply in one piece, or none
        choice = {**choice, part: choice.get("message") or {}}
    choice = _name_call(_repair_content(_name_error(choice), part), part)
    try:
        call = choice[part]["tool_calls"][0]
        if part == "message":
            arguments = call["function"]["arguments"]
        else:  # only the first call is used, and its first chunk may add no arguments
            given = (call.get("function") or {}).get("arguments")
            arguments = "" if call.get("index") or given is None else given
    except (TypeError, LookupError, AttributeError):
        return choice
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {**choice, part: {**choice[part], "content": text, "tool_calls": None}}


def _name_error(choice: Any) -> Any:
    """The choice, which ends with the error, or the limit, that is told beside an ending of a whole reply."""
    if not isinstance(choice, dict):
        return choice
    said = choice.get("message")
    inside: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
    if choice.get("error") or inside.get("error"):
        return {**choice, "finish_reason": "error"}
    native, stopped = choice.get("native_finish_reason"), choice.get("stop_reason")
    if isinstance(native, str) and names_no_end(native):
        return {**choice, "finish_reason": native}
    is_limit = isinstance(stopped, str) and fold_ending(stopped) in CUT | BLOCKED  # else it may be what it stopped at
    if is_limit or (not choice.get("finish_reason") and inside.get("finish_reason")):
        return {**choice, "finish_reason": stopped if is_limit else inside["finish_reason"]}
    return choice


def _repair_content(choice: Any, part: str) -> Any:
    """The choice with a content that is text: of an object, its text."""
    message: Any = choice.get(part) if isinstance(choice, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, dict) or not content:
        return choice
    text = next((content[name] for name in ("text", "content") if isinstance(content.get(name), str)), None)
    return choice if text is None else {**choice, part: {**message, "content": text}}


def _name_call(choice: Any, part: str) -> Any:
    """The choice with its function call in the field of today's protocol, also where a server uses the older one."""
    message: Any = choice.get(part) if isinstance(choice, dict) else None
    call = message.get("function_call") if isinstance(message, dict) else None
    if not isinstance(call, dict) or message.get("tool_calls"):
        return choice
    return {**choice, part: {**message, "function_call": None, "tool_calls": [{"function": call}]}}


def _counts(usage: Any) -> dict[str, Any]:
    """The token counts of a call that are valid, with those of a cache; DeepSeek has a field of its own for these."""
    reported = usage if isinstance(usage, dict) else {}
    counts = _valid_counts(reported, "prompt_tokens", "completion_tokens")
    hits = reported.get("prompt_cache_hit_tokens")
    details = reported.get("prompt_tokens_details") or {"cached_tokens": hits}
    cached = _valid_counts(details, "cached_tokens", "cache_write_tokens") if isinstance(details, dict) else {}
    if sum(cached.values()) > counts.get("prompt_tokens", 0):  # it can't be a part of them
        return counts
    return counts | ({"prompt_tokens_details": cached} if cached else {})


def _valid_counts(reported: Mapping[str, Any], *names: str) -> dict[str, int]:
    counts = {name: reported.get(name) for name in names}
    return {name: count for name, count in counts.items() if type(count) is int and 0 <= count <= LARGEST}

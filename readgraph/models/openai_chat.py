"""OpenAI's protocol with less overhead for each call, and with a bound for what a server sends."""

import json
import os
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeVar

from langchain_core import exceptions as kinds
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    DefaultAioHttpClient,
    DefaultAsyncHttpxClient,
)
from openai import BaseModel as UntypedResponse
from pydantic import PrivateAttr

from readgraph.models.failures import ReplyTooLong, broke_off, kind_of, kind_of_status, status_of, too_long
from readgraph.models.marks import names_thinking
from readgraph.models.thinking import FIELD
from readgraph.state.declaring import LARGEST
from readgraph.state.errors import BadInput, ModelUnavailable

MOST_BYTES = 20_000_000  # of one response, unpacked, where no setting says otherwise: 64 embeddings of 4,096 take 6 MB
OVERFLOWS = ("context_length_exceeded", "prompt is too long", "ContextWindowExceededError")  # what LangChain looks for
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")  # variables of the environment that name certificates


def make_http_client(timeout: float, most_bytes: int = MOST_BYTES, **settings: Any) -> Any:
    """OpenAI's client of a server; a response of more than `most_bytes` counts as one that broke off.

    Where aiohttp is installed, requests go over it, which takes less of the processor's time.
    """

    async def limit_response(response: Any) -> None:
        unbounded = response.aiter_bytes

        async def read_within_limit(chunk_size: int | None = None) -> AsyncIterator[bytes]:
            left = most_bytes
            async for part in unbounded(chunk_size):
                left -= len(part)
                if left < 0:
                    raise ReplyTooLong(most_bytes // 1_000_000)
                yield part

        response.aiter_bytes = read_within_limit  # all that reads a response, whole or as a stream, takes it from here

    certificates = _certificates(*map(os.environ.get, CERTIFICATES))
    over_aiohttp = bool(find_spec("aiohttp"))
    hooks: dict[str, Any] = {"request": [_drop_userinfo] if over_aiohttp else [], "response": [limit_response]}
    kind = DefaultAioHttpClient if over_aiohttp else DefaultAsyncHttpxClient
    return kind(timeout=timeout, event_hooks=hooks, verify=certificates, **settings)


async def _drop_userinfo(request: Any) -> None:
    """Leave a user and password out of a request's address: its header holds them, and aiohttp takes them once."""
    if request.url.userinfo:
        request.url = request.url.copy_with(userinfo=b"")


@cache
def _certificates(*named: str | None) -> ssl.SSLContext:
    """The certificates that the HTTP package trusts: half a megabyte, read once in a process and not for each loop."""
    package = DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]
    try:
        trusted: ssl.SSLContext = sys.modules[package].create_ssl_context()
    except OSError as problem:
        raise BadInput(f"The certificates that {' or '.join(CERTIFICATES)} names can't be read: {problem}.") from None
    return trusted


NO_KEY = "none"  # a server of one's own needs no key, but the client does


def openai_key() -> str:
    """The key of the environment; raises `ModelUnavailable` where there is none, and no server of one's own either."""
    key = os.environ.get("OPENAI_API_KEY", "")
    if not key.isascii():
        raise BadInput("OPENAI_API_KEY holds characters that no key has: copy it again.")
    if not key and not os.environ.get("OPENAI_BASE_URL"):
        raise ModelUnavailable(
            "There is no key for openai: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."
        )
    return key or NO_KEY


NO_REPLY = {"message": {"role": "assistant", "content": ""}, "finish_reason": ""}  # of a response that broke off
T = TypeVar("T")
Send = Callable[[dict[str, Any]], Awaitable[Any]]  # sends the body of a request; returns the response as JSON


class InLoopChatOpenAI(ChatOpenAI):
    """A ChatOpenAI that makes its result in the event loop, from the JSON that the server sent.

    It avoids a switch to a thread, the wrapping of raw responses, and the SDK's walk through typed requests and
    responses: the payload is plain JSON already, and LangChain parses the response itself.
    """

    stream_usage: bool | None = True
    _send: Send | None = PrivateAttr(default=None)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        if self._use_responses_api(payload):
            if self._send:
                raise BadInput(f"'{self.model_name}' is asked by OpenAI's Responses API, which --batch doesn't use.")
            return await super()._agenerate(messages, stop, run_manager, **kwargs)
        extra = payload.pop("extra_body", {})
        return self.result_of(await (self._send or self._post)({**payload, **extra}))

    def send_by(self, send: Send) -> None:
        """From now on, let `send` bring the responses to the requests' bodies; nothing is streamed then."""
        self._send, self.disable_streaming = send, True

    def result_of(self, content: Any) -> ChatResult:
        """The result in a server's response; raises LangChain's errors for one without a reply and without counts."""
        mended = _repair_response(content)
        counted = isinstance(mended, dict) and any(mended["usage"].values())
        try:
            result = self._create_chat_result(mended)
        except Exception:
            if not counted:
                raise
        else:
            if result.generations or not counted:
                return _name_thinking(result, mended)
        return self._create_chat_result({"choices": [NO_REPLY], "usage": mended["usage"]})

    async def _post(self, body: dict[str, Any]) -> Any:
        sent = self.root_async_client.post(
            "/chat/completions",
            body=body,
            cast_to=UntypedResponse,
            options={"security": {"bearer_auth": True}},  # else an administrator's key would be sent too
        )
        response = await with_model_errors(sent)
        return response.model_dump() if isinstance(response, UntypedResponse) else response

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        """A streamed reply, with its token counts; a server that refuses to send them is not asked again."""
        begun = False
        try:
            async for chunk in super()._astream(*args, **kwargs):
                begun = True
                yield chunk
            return
        except Exception as problem:
            refused = status_of(problem) in (400, 422) and "stream_options" in str(problem)
            if begun or not (self.stream_usage and refused):
                raise
        self.stream_usage = False
        async for chunk in super()._astream(*args, **kwargs):
            yield chunk

    def _convert_chunk_to_generation_chunk(self, chunk: dict[str, Any], *args: Any) -> ChatGenerationChunk | None:
        """A chunk, mended as a reply is: LangChain would parse arguments anew for each of them, in unbounded time."""
        return super()._convert_chunk_to_generation_chunk(_repair_response(chunk, "delta"), *args)


def _name_thinking(result: ChatResult, response: Any) -> ChatResult:
    """The result, its messages with the names of the fields of the response that hold thinking."""
    for made, choice in zip(result.generations, response["choices"], strict=False):
        fields = [name for name, value in choice["message"].items() if value and names_thinking(name)]
        if fields:
            made.message.response_metadata[FIELD] = fields[0]
    return result


async def with_model_errors(sent: Awaitable[T]) -> T:
    """The response to a request of OpenAI's SDK; raises LangChain's errors of models in the place of the SDK's."""
    try:
        return await sent
    except APIError as problem:
        kind: type[kinds.ModelError] = kinds.ModelAPIError
        if isinstance(problem, APITimeoutError):
            known = kind_of(problem)
            kind = known if issubclass(known, kinds.ModelError) else kinds.ModelTimeoutError
        elif isinstance(problem, APIConnectionError):
            kind = kinds.ModelConnectionError
        elif problem.code == OVERFLOWS[0] or (status_of(problem) == 400 and any(map(str(problem).count, OVERFLOWS))):
            kind = kinds.ContextOverflowError
        elif isinstance(problem, APIStatusError):
            kind = kind_of_status(problem.status_code)
        error = kind(kind.__name__)
        vars(error).update(most_mb=too_long(problem), broke_off=broke_off(problem))
        if isinstance(problem, APIStatusError):  # the response is kept for its headers
            vars(error).update(response=problem.response, status_code=problem.status_code, code=problem.code)
    raise error  # outside of `except`, so that the SDK's error, with the server's text, is not chained to it


def _repair_response(response: Any, part: str = "message") -> Any:
    """The response as LangChain can parse it, arguments as text; `part` is a choice's message, "delta" in a chunk."""
    if not isinstance(response, dict):
        return response
    choices = response.get("choices")
    mended = [_repair_choice(choice, part) for choice in choices] if isinstance(choices, list) else choices
    return {**response, "choices": mended, "usage": _counts(response.get("usage"))}


def _repair_choice(choice: Any, part: str) -> Any:
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

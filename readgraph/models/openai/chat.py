"""OpenAI's protocol with less overhead for each call."""

import os
from collections.abc import Awaitable, Callable
from typing import Any, Self

import httpx2
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import APIConnectionError, APITimeoutError
from openai._httpx2 import request_exceptions, timeout_exceptions
from pydantic import PrivateAttr, model_validator
from pydantic_core import to_json

from readgraph.models.failures.refusals import FORM_FIELDS, NEEDED, OTHER_NAMES
from readgraph.models.openai.completions import (
    ONLY_KEY,
    PATH,
    WholeStreams,
    read_completion,
    repair_response,
    with_model_errors,
)
from readgraph.models.replies.marks import names_thinking
from readgraph.models.replies.thinking import FIELD
from readgraph.state.errors import BadInput, ModelUnavailable

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
Send = Callable[[dict[str, Any]], Awaitable[Any]]  # sends the body of a request; returns the response as JSON


class InLoopChatOpenAI(ChatOpenAI):
    """A ChatOpenAI that makes its result in the event loop, from the JSON that the server sent.

    It avoids a switch to a thread, the wrapping of raw responses, and the SDK's walk through typed requests and
    responses: the payload is plain JSON already, and LangChain parses the response itself. The SDK makes its first
    request, and the others differ from that in their bodies.
    """

    stream_usage: bool | None = True
    _send: Send | None = PrivateAttr(default=None)
    _sent_by: str = PrivateAttr(default="")  # the option that chose this
    _first: httpx2.Request | None = PrivateAttr(default=None)
    _names: dict[str, str] = PrivateAttr(default_factory=dict)  # other names of fields that were refused; "": left out

    @model_validator(mode="after")
    def _watch_streams(self) -> Self:
        """Let streamed replies say whether they came to their end."""
        self.async_client = WholeStreams(self.root_async_client)
        return self

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
                named = f"'{self.model_name}' is asked by OpenAI's Responses API"
                raise BadInput(f"{named}, which {self._sent_by} doesn't use.")
            return await super()._agenerate(messages, stop, run_manager, **kwargs)
        extra = payload.pop("extra_body", {})
        return self.result_of(await (self._send or self._post)({**payload, **extra}))

    def send_by(self, send: Send, option: str) -> None:
        """From now on, as an option has chosen, let `send` bring the responses to requests; nothing is streamed then.

        It is given the bodies of requests, and returns those of responses.
        """
        self._send, self._sent_by, self.disable_streaming = send, option, True

    def result_of(self, content: Any) -> ChatResult:
        """The result in a server's response; raises LangChain's errors for one without a reply and without counts."""
        mended = repair_response(content)
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
        sent = self._post_again(self._first, body) if self._first else self._post_by_sdk(body)
        return read_completion(await with_model_errors(sent, body), body)

    async def _post_by_sdk(self, body: dict[str, Any]) -> httpx2.Response:
        sdk = self.root_async_client
        response: httpx2.Response = await sdk.post(PATH, body=body, cast_to=httpx2.Response, options=ONLY_KEY)
        request = response.request
        if f"{request.url}".partition("?")[0] == f"{sdk.base_url}".rstrip("/") + PATH:  # it was not sent on
            self._first = request
            for name in ("content-length", "cookie"):
                request.headers.pop(name, None)
        return response

    async def _post_again(self, first: httpx2.Request, body: dict[str, Any]) -> httpx2.Response:
        """The response to a request like the first; raises OpenAI's errors."""
        http: Any = self.http_async_client
        parts = {"headers": first.headers, "extensions": {**first.extensions}, "cookies": http.cookies}
        request = type(first)(first.method, first.url, content=to_json(body), **parts)
        try:
            response: httpx2.Response = await http.send(request)
        except timeout_exceptions() as problem:
            raise APITimeoutError(request=request) from problem
        except request_exceptions() as problem:
            raise APIConnectionError(request=request) from problem
        if response.is_error:
            raise self.root_async_client._make_status_error_from_response(response)
        return response

    def leave_out(self, field: str) -> str | None:
        """From now on, name a field of requests otherwise, or leave it out.

        Returns:
            Its other name, "" if it is left out, None if it was not sent any more or can't be left out.
        """
        if field == "stream" and self.disable_streaming is not True:
            self.disable_streaming, self.streaming = True, False
            return ""
        name = next((name for name, sent in self._names.items() if sent == field), field)
        if field in self._names or name in NEEDED or field in FORM_FIELDS:
            return None
        self._names[name] = "" if name in self._names else OTHER_NAMES.get(name, "")
        return self._names[name]

    def _get_request_payload(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        payload = super()._get_request_payload(*args, **kwargs)
        for name in self._names.keys() & payload.keys():
            value = payload.pop(name)
            if sent := self._names[name]:
                payload[sent] = value
        return payload

    def _convert_chunk_to_generation_chunk(self, chunk: dict[str, Any], *args: Any) -> ChatGenerationChunk | None:
        """A chunk, mended as a reply is: LangChain would parse arguments anew for each of them, in unbounded time."""
        return super()._convert_chunk_to_generation_chunk(repair_response(chunk, "delta"), *args)


def _name_thinking(result: ChatResult, response: Any) -> ChatResult:
    """The result, its messages with the names of the fields of the response that hold thinking."""
    for chat_generation, choice in zip(result.generations, response["choices"], strict=False):
        fields = [name for name, value in choice["message"].items() if value and names_thinking(name)]
        if fields:
            chat_generation.message.response_metadata[FIELD] = fields[0]
    return result

"""OpenAI's protocol with less time of its own a call."""

import json
from typing import Any

from langchain_core import exceptions as kinds
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError
from openai import BaseModel as UntypedResponse

from readgraph.models.failures import kind_of_status
from readgraph.state.declaring import LARGEST


class InLoopChatOpenAI(ChatOpenAI):
    """ChatOpenAI that makes its result in the event loop, from the JSON as the server sent it.

    The hop to a thread and the wrapping of raw responses that it saves are half of what ChatOpenAI adds to the SDK's
    own time a call. The SDK's walk through the types of a request, and of its response, is a third of that time; the
    payload is JSON-plain before it, and LangChain takes the response apart itself.
    """

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        if self._use_responses_api(payload):
            return await super()._agenerate(messages, stop, run_manager, **kwargs)
        extra = payload.pop("extra_body", {})
        try:
            said = await self.root_async_client.post(
                "/chat/completions",
                body={**payload, **extra},
                cast_to=UntypedResponse,
                options={"security": {"bearer_auth": True}},  # else an administrator's key would go with it
            )
        except APIError as caught:
            problem = _as_model_error(caught)
        else:
            return self._create_chat_result(_mended(said.model_dump() if isinstance(said, UntypedResponse) else said))
        raise problem  # not inside `except`: the SDK's error, which would hang on it, holds the server's words

    def _convert_chunk_to_generation_chunk(self, chunk: dict[str, Any], *args: Any) -> ChatGenerationChunk | None:
        """A piece of a streamed reply, without odd counts of tokens."""
        return super()._convert_chunk_to_generation_chunk({**chunk, "usage": _counts(chunk.get("usage"))}, *args)


def _as_model_error(problem: APIError) -> kinds.ModelError:
    """LangChain's name for what went wrong, without the server's words; it keeps the response, whose headers count."""
    kind: type[kinds.ModelError] = kinds.ModelAPIError
    if isinstance(problem, APITimeoutError):
        kind = kinds.ModelTimeoutError
    elif isinstance(problem, APIConnectionError):
        kind = kinds.ModelConnectionError
    elif problem.code == "context_length_exceeded":
        kind = kinds.ContextOverflowError
    elif isinstance(problem, APIStatusError):
        kind = kind_of_status(problem.status_code)
    error = kind(kind.__name__)
    if isinstance(problem, APIStatusError):
        vars(error).update(response=problem.response, status_code=problem.status_code, code=problem.code)
    return error


def _mended(said: Any) -> Any:
    """The response as LangChain can take it apart: it stumbles over odd counts, and arguments that are no object.

    The arguments of a function call become the reply's text, whatever they are.
    """
    if not isinstance(said, dict):
        return said
    choices = said.get("choices")
    mended = [_mended_choice(choice) for choice in choices] if isinstance(choices, list) else choices
    return {**said, "choices": mended, "usage": _counts(said.get("usage"))}


def _mended_choice(choice: Any) -> Any:
    try:
        arguments = choice["message"]["tool_calls"][0]["function"]["arguments"]
    except (TypeError, LookupError):
        return choice
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {**choice, "message": {**choice["message"], "content": text, "tool_calls": None}}


def _counts(usage: Any) -> dict[str, int]:
    """The tokens of a call, as far as they are counts."""
    given = usage if isinstance(usage, dict) else {}
    counts = {name: given.get(name) for name in ("prompt_tokens", "completion_tokens")}
    return {name: count for name, count in counts.items() if type(count) is int and 0 <= count <= LARGEST}

"""OpenAI's protocol with less time of its own a call."""

from typing import Any

from langchain_core import exceptions as kinds
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError
from openai import BaseModel as UntypedResponse

_BY_STATUS = {
    400: kinds.ModelInvalidRequestError,
    401: kinds.ModelAuthenticationError,
    403: kinds.ModelPermissionDeniedError,
    404: kinds.ModelNotFoundError,
    408: kinds.ModelTimeoutError,
    422: kinds.ModelInvalidRequestError,
    429: kinds.ModelRateLimitError,
}


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
        except APIError as problem:
            raise _as_model_error(problem) from problem
        return self._create_chat_result(said.model_dump() if isinstance(said, UntypedResponse) else said)


def _as_model_error(problem: APIError) -> kinds.ModelError:
    """LangChain's name for what went wrong; it keeps the response, whose Retry-After counts."""
    error: kinds.ModelError = kinds.ModelAPIError(str(problem))
    if isinstance(problem, APITimeoutError):
        error = kinds.ModelTimeoutError(str(problem))
    elif isinstance(problem, APIConnectionError):
        error = kinds.ModelConnectionError(str(problem))
    elif problem.code == "context_length_exceeded":
        error = kinds.ContextOverflowError(str(problem))
    elif isinstance(problem, APIStatusError):
        error = _BY_STATUS.get(problem.status_code, kinds.ModelAPIError)(str(problem))
        vars(error).update(response=problem.response, status_code=problem.status_code)
    return error

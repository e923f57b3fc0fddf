"""One call to a model server: the right reply form, bounded retries, errors as one clear line."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from langchain_core.exceptions import (
    ContextOverflowError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelError,
    ModelInvalidRequestError,
    ModelNotFoundError,
    ModelPermissionDeniedError,
    ModelRateLimitError,
    ModelTimeoutError,
)
from langchain_core.messages import AIMessage
from langchain_core.utils.function_calling import convert_to_openai_function
from pydantic import BaseModel
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from readgraph.nodes.local.model_file import is_local
from readgraph.nodes.metering import current_meter
from readgraph.nodes.models import ModelClient
from readgraph.nodes.plain_replies import is_plain, plain_messages
from readgraph.nodes.prompting import Messages, with_instructions
from readgraph.nodes.reply_parsing import reply_instructions
from readgraph.state.errors import ModelUnavailable

TRANSPORT_TRIES = 4
LONGEST_WAIT = 60.0
"""Seconds: a server that asks for a longer pause (Retry-After) is asked again after this."""

END_OF_PLAIN = "\n\n"
"""What ends a reply of one line; small models go on."""

_backing_off = wait_exponential_jitter(multiplier=0.5, max=20)


@dataclass(frozen=True, slots=True)
class Said:
    """What the model said; `cut`: the server stopped it before it was done; `tokens` (in, out): as it counts them."""

    text: str
    cut: bool
    tokens: tuple[int, int] = (0, 0)


async def call_model(client: ModelClient, messages: Messages, reply: type[BaseModel] | None) -> Said:
    """What the model says; for a typed reply the JSON, in the best form that the server takes."""
    while True:
        try:
            async for attempt in AsyncRetrying(
                retry=retry_if_exception(lambda problem: isinstance(problem, ModelError) and problem.is_retryable),
                stop=stop_after_attempt(TRANSPORT_TRIES),
                wait=_pause,
                before_sleep=_tell_wait,
                reraise=True,
            ):
                with attempt:
                    return await _say(client, messages, reply)
        except ContextOverflowError as problem:
            raise _unavailable(client, problem) from None
        except ModelInvalidRequestError as problem:
            if reply is None or not client.step_down():
                raise _unavailable(client, problem) from None
        except ModelError as problem:
            raise _unavailable(client, problem) from None
        except Exception as problem:  # the client stumbles over what is no model server
            raise ModelUnavailable(
                f"The model server{_at(client)} doesn't speak its provider's protocol ({type(problem).__name__}): "
                "check its address."
            ) from problem


async def _say(client: ModelClient, messages: Messages, reply: type[BaseModel] | None) -> Said:
    if reply is None:
        return _said(await client.chat.ainvoke(messages))
    if is_plain(client.form, reply):
        return _said(await client.chat.ainvoke(plain_messages(messages, reply), stop=[END_OF_PLAIN]))
    if client.form in ("text", "plain"):
        return _said(await client.chat.ainvoke(with_instructions(messages, reply_instructions(reply))))
    if client.form == "function":
        tools = client.chat.bind_tools([reply], tool_choice=reply.__name__)
        return _said(await tools.ainvoke(messages))
    # In the extra body: given as an argument, the SDK parses the reply itself and raises where we retry.
    return _said(await client.chat.ainvoke(messages, extra_body={"response_format": _response_format(reply)}))


@lru_cache(256)
def _response_format(reply: type[BaseModel]) -> dict[str, Any]:
    function = convert_to_openai_function(reply, strict=True)
    schema = {"name": function["name"], "schema": function["parameters"], "strict": True}
    return {"type": "json_schema", "json_schema": schema}


def _said(message: AIMessage) -> Said:
    cut = message.response_metadata.get("finish_reason") in ("length", "max_tokens")
    used = message.usage_metadata
    return Said(_text(message), cut, (used["input_tokens"], used["output_tokens"]) if used else (0, 0))


def _text(message: AIMessage) -> str:
    """The arguments of the function call, else the text."""
    raw_calls = message.additional_kwargs.get("tool_calls")
    if raw_calls:
        return str(raw_calls[0]["function"]["arguments"])
    if message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"])
    if message.invalid_tool_calls:
        return message.invalid_tool_calls[0]["args"] or ""
    return str(message.text)


def _pause(state: RetryCallState) -> float:
    problem = state.outcome.exception() if state.outcome else None
    headers = getattr(getattr(problem, "response", None), "headers", {})
    try:
        return min(float(headers["retry-after"]), LONGEST_WAIT)
    except (KeyError, ValueError):
        return float(_backing_off(state))


def _tell_wait(state: RetryCallState) -> None:
    problem = state.outcome.exception() if state.outcome else None
    status = getattr(problem, "status_code", None)
    reason = f"the model server says {status}" if status else "the model server gave no answer"
    current_meter().wait(state.upcoming_sleep, reason)


def _unavailable(client: ModelClient, problem: ModelError) -> ModelUnavailable:
    """One line without the server's own words: they may hold a part of the key."""
    at = _at(client)
    reasons: list[tuple[type[ModelError], str]] = [
        (ModelAuthenticationError, f"The model server{at} refused the key: set a valid one in the environment."),
        (ModelPermissionDeniedError, f"The key may not use the model '{client.name}'{at}."),
        (
            ModelNotFoundError,
            f"The model server{at} does not know the model '{client.name}': "
            "check its name, and the address, which often ends in /v1.",
        ),
        (
            ModelTimeoutError,
            f"The model server{at} did not answer in time: raise the timeout.",
        ),
        (
            ModelConnectionError,
            f"The process that runs '{client.name}' has ended: go on with the same command, nothing is lost."
            if is_local(client.name)
            else f"No model server answers{at}: start it, or check OPENAI_BASE_URL.",
        ),
        (
            ModelRateLimitError,
            f"The model server{at} takes no more calls for now: go on later, or see to your credit there; "
            "nothing is lost.",
        ),
        (
            ContextOverflowError,
            f"A prompt is too long for '{client.name}': take one with a larger window.",
        ),
        (ModelInvalidRequestError, f"The model server{at} refused a request to '{client.name}' as invalid."),
    ]
    for kind, line in reasons:
        if isinstance(problem, kind):
            return ModelUnavailable(line)
    status = getattr(problem, "status_code", "an error")
    return ModelUnavailable(
        f"The model server{at} failed {TRANSPORT_TRIES} times ({status}): go on later, nothing is lost."
    )


def _at(client: ModelClient) -> str:
    return f" at {client.server}" if client.server else ""

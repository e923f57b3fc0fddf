"""One call to a model server: the right reply form, retries for a limited time, errors as one clear line."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from langchain_core import exceptions as kinds
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_function
from pydantic import BaseModel

from readgraph.models.client import ModelClient, simpler_form
from readgraph.models.failures import Failure, is_of_callback, is_of_network
from readgraph.models.functions import FUNCTION, is_function
from readgraph.models.json_form import reply_instructions
from readgraph.models.local import how_it_ended, is_local
from readgraph.models.metering import current_meter
from readgraph.models.plain_form import is_plain, plain_messages
from readgraph.models.prompt import Messages, Prompt, with_instructions
from readgraph.models.reply import ModelReply, reply_of
from readgraph.models.streaming import call_config
from readgraph.models.thinking import thinking_form
from readgraph.models.waiting import LONGEST_PAUSE, CallTurns, RetryPauses, clock
from readgraph.state.errors import ModelUnavailable, ReadgraphError
from readgraph.state.settings import ReplyForm

FIRST_TRIES, FIRST_PAUSE = 12, 1.0  # tries, and longest pause, where none was ever answered: it may be no model server
BATCH_TRIES = 4  # in how many batches a request is sent before its failure counts: a batch takes up to a day
TOO_LARGE = "token limit exceeded"  # in why a batch failed: it is more than an account may have under way
TOO_LONG_TRIES = 3  # how often in a row a reply may have more bytes than it may before its server is given up
LONG_HEAD = 4000  # characters of a head, about 1,000 tokens: providers' caches keep no shorter ones
GOOGLE = "langchain_google"  # what the modules of Google's packages begin with
END_OF_PLAIN = "\n\n"  # what ends a reply of one line: small models would go on
CORRECT_IT = "correct it and run the same again, nothing is lost."


async def call_model(
    client: ModelClient,
    messages: Messages,
    reply: type[BaseModel] | None,
    prompt: Prompt,
    turns: CallTurns | None = None,
) -> ModelReply:
    """Call the model; a typed reply comes as JSON, in the best form that the server accepts. Traces name the prompt.

    If other prompts begin with the same long head, the server's cache is helped to find it: it is marked for
    Anthropic's where the same question goes on with it, and the form of the reply is asked for after it.

    Each try waits for its turn, where there are limits; the caller settles that of the reply, once this is kept. Raises
    `ModelUnavailable` with one line and without a chained error.
    """
    long = prompt.head >= LONG_HEAD
    at_end = long and reply is not None and client.forms_come_first
    form: ReplyForm = "text" if at_end else client.form
    config, tries = call_config(prompt.name, reply, prompt.source), CallTries(client)
    while True:
        await client.hold.wait_until_over()
        if turns:
            await turns.wait()
        simpler = simpler_form(form) if reply else None
        try:
            # The client's own timeout bounds only silence; slow trickles would never end.
            async with asyncio.timeout(None if client.batches else client.timeout):
                chat, shown, options = _in_form(client.chat, messages, reply, form)
                shown = _mark_head(shown, prompt.head) if long and prompt.goes_on and client.marks_heads else shown
                message = await chat.ainvoke(shown, config, **options)
                client.thinking = client.thinking or thinking_form(message)
                response = reply_of(message, None if reply is None or is_plain(form, reply) else form)
        except Exception as problem:  # also a client's own, such as for a response that is not a chat completion
            if isinstance(problem, ReadgraphError) or is_of_callback(problem):  # such as: a function returned no string
                raise
            failure = _failure(client, problem, takes_simpler=simpler is not None)
        else:
            client.remember_form(form if reply and not at_end else None)
            return response
        if pause := tries.pause_after(failure):
            await clock().sleep(pause)
        elif simpler and failure.refused_form:
            form, tries = simpler, CallTries(client)
        else:
            break
    line = _line(client, failure)
    if failure.no_answer:
        current_meter().unavailable = line
    raise ModelUnavailable(line)


def _failure(client: ModelClient, problem: Exception, *, takes_simpler: bool) -> Failure:
    """What went wrong; a fault in the code of the caller's own model is raised, since its traceback is needed."""
    if isinstance(problem, NotImplementedError) and takes_simpler:  # such as: the model takes no functions
        return Failure(kinds.ModelInvalidRequestError, passing=False)
    if client.own and not is_of_network(problem):
        what = f"The {_own_name(client)} raised {type(problem).__name__}"
        line = current_meter().unavailable = f"{what}: {CORRECT_IT}"
        raise ModelUnavailable(line) from problem
    return Failure.of(problem)


class CallTries:
    """The tries of a call in one form: repeated while failures are temporary and there is time."""

    def __init__(self, client: ModelClient) -> None:
        self.client, self.pauses, self.too_long = client, RetryPauses(client.retry_seconds), 0

    def pause_after(self, failure: Failure) -> float:
        """Seconds until the next try, which is told to whoever watches; 0 if there is none."""
        client = self.client
        here = is_local(client.name) or is_function(client.name)
        new = failure.no_answer and (not client.worked or here)
        pause, late = self.pauses.next(failure.retry_after, FIRST_PAUSE if new else LONGEST_PAUSE)
        failures = self.pauses.failures
        failure.tries = max(failures, failure.tries)
        self.too_long = self.too_long + 1 if failure.too_long else 0
        late = late or (new and failures >= FIRST_TRIES) or self.too_long >= TOO_LONG_TRIES
        if not failure.passing or (failures >= BATCH_TRIES if client.batches else late):
            return 0.0
        if failure.retry_after or issubclass(failure.kind, kinds.ModelRateLimitError):
            client.hold.extend(pause)
        reason = "the model server gave no answer"
        if not issubclass(failure.kind, kinds.ModelError):
            reason = "the model server gave no usable answer"
        if failure.status:
            reason = f"the model server says {failure.status}"
        if failure.too_long:
            reason = f"the model server sent more than {failure.too_long} MB"
        current_meter().wait(pause, failure.cause or reason, "its batch brought no reply" if failure.cause else "")
        return pause


def _mark_head(messages: Sequence[Any], head: int) -> list[Any]:
    """The messages, the second one in two parts: after the first, Anthropic's cache takes in what it has read."""
    system, (role, content), *others = messages
    first = {"type": "text", "text": content[:head], "cache_control": {"type": "ephemeral"}}
    return [system, (role, [first, {"type": "text", "text": content[head:]}]), *others]


def _in_form(
    chat: BaseChatModel, messages: Messages, reply: type[BaseModel] | None, form: ReplyForm
) -> tuple[Runnable[LanguageModelInput, AIMessage], Sequence[Any], dict[str, Any]]:
    if reply is None:
        return chat, messages, {}
    if is_plain(form, reply):
        return chat, plain_messages(messages, reply), {"stop": [END_OF_PLAIN]}
    if form in ("text", "plain"):
        return chat, with_instructions(messages, reply_instructions(reply)), {}
    if form == "function":
        function: Any = _without_numbers_to_choose(reply) if type(chat).__module__.startswith(GOOGLE) else reply
        return chat.bind_tools([function], tool_choice=reply.__name__), messages, {}
    # In the extra body: with an argument, the SDK would parse the reply itself and raise errors where we retry.
    return chat, messages, {"extra_body": {"response_format": _response_format(reply)}}


@lru_cache(256)
def _response_format(reply: type[BaseModel]) -> dict[str, Any]:
    function = convert_to_openai_function(reply, strict=True)
    schema = {"name": function["name"], "schema": function["parameters"], "strict": True}
    return {"type": "json_schema", "json_schema": schema}


@lru_cache(256)
def _without_numbers_to_choose(reply: type[BaseModel]) -> dict[str, Any]:
    """The function of a reply whose numbers are any, since Gemini's protocol has no choice but among texts."""

    def lift(schema: Any) -> Any:
        if isinstance(schema, list):
            return [lift(each) for each in schema]
        if not isinstance(schema, dict):
            return schema
        numbers = "enum" in schema and schema.get("type") == "integer"
        return {key: lift(value) for key, value in schema.items() if not (numbers and key == "enum")}

    lifted: dict[str, Any] = lift(convert_to_openai_function(reply))
    return lifted


def _own_name(client: ModelClient) -> str:
    function = is_function(client.name)
    return f"function '{client.name.removeprefix(FUNCTION)}'" if function else f"model '{client.name}'"


def _line(client: ModelClient, failure: Failure) -> str:
    server = f"The model server at {client.server}" if client.server else "The model server"
    times = f"{failure.tries} times in a row" if failure.tries > 1 else "once"
    if failure.cause:
        then = "Reduce the batch, with --max-calls" if TOO_LARGE in failure.cause else "Go on later"
        return f"{server} left a request of a batch without a reply {times}: {failure.cause}. {then}."
    if failure.too_long:
        longer = f"sent a reply of more than {failure.too_long} MB {times}"
        return f"{server} {longer}: see what it sends, or raise the limit with --max-reply-mb."
    if failure.broke_off and not is_local(client.name):
        return f"{server} broke its answer off {times}: go on later, nothing is lost."
    if is_function(client.name):
        return f"The {_own_name(client)} raised {failure.kind.__name__} {times}: {CORRECT_IT}"
    if not issubclass(failure.kind, kinds.ModelError):
        if client.worked:
            return f"{server} sent no usable reply {times}: go on later, nothing is lost."
        return f"{server} doesn't speak its provider's protocol ({failure.kind.__name__}): check its address."
    for kind, line in _lines_by_kind(client, failure, server, times).items():
        if issubclass(failure.kind, kind):
            return line
    return f"{server} failed {times} ({failure.status or 'an error'}): go on later, nothing is lost."


def _lines_by_kind(client: ModelClient, failure: Failure, server: str, times: str) -> dict[type[Exception], str]:
    at, name = f" at {client.server}" if client.server else "", client.name
    provider = name.partition(":")[0]
    address = "OPENAI_BASE_URL" if provider == "openai" else f"the network and the address of {provider}'s server"
    nobody = f"No model server answers{at}: start it, or check {address}."
    if is_local(name):
        ended = f"has ended{how_it_ended(name)}: go on with the same command, nothing is lost."
        nobody = f"The process that runs '{name}' {ended}"
    status = f" ({failure.status})" if failure.status else ""
    return {
        kinds.ModelAuthenticationError: f"{server} refused the key: set a valid one in the environment.",
        kinds.ModelPermissionDeniedError: f"The key may not use the model '{name}'{at}.",
        kinds.ModelNotFoundError: f"{server} does not know the model '{name}': check its name, and the address, which "
        "often ends in /v1.",
        kinds.ModelTimeoutError: f"{server} did not answer in time ({client.timeout:g} s, {times}): raise the timeout.",
        kinds.ModelConnectionError: nobody,
        kinds.ModelRateLimitError: f"{server} takes no more calls for now: go on later, or check your credit there; "
        "nothing is lost.",
        kinds.ContextOverflowError: f"A prompt is too long for '{name}': take one with a larger window.",
        kinds.ModelInvalidRequestError: f"{server} refused a request to '{name}' as invalid{status}.",
    }

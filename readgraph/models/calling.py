"""One call to a model server: the right reply form, retries for a limited time, errors as one clear line."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NoReturn

from langchain_core import exceptions as kinds
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.utils.function_calling import convert_to_openai_function
from pydantic import BaseModel

from readgraph.models.client import ModelClient, simpler_form
from readgraph.models.failures.failure import Failure, is_of_callback, is_of_network, own_error
from readgraph.models.failures.lines import CORRECT_IT, explain_failure, name_own, name_server
from readgraph.models.failures.refusals import FORM_FIELDS
from readgraph.models.metering import current_meter
from readgraph.models.names import extra_body_of, name_at_models, rebuild
from readgraph.models.pictures import PicturesRefused, add_pictures, draw_pictures
from readgraph.models.prompt import Messages, Prompt, with_instructions
from readgraph.models.replies.forms import is_plain, plain_messages, reply_instructions
from readgraph.models.replies.thinking import thinking_form
from readgraph.models.reply import WITHHELD, ModelReply, reply_of
from readgraph.models.streaming import call_config
from readgraph.models.waiting import LONGEST_PAUSE, CallTurns, RetryPauses, clock
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.providers import ModelProvider, find_provider
from readgraph.state.settings import ReplyForm
from readgraph.state.variables import warn_caller

FIRST_TRIES, FIRST_PAUSE = 12, 1.0  # tries, and longest pause, where none was ever answered: it may be no model server
TOO_LONG_TRIES = 3  # how often in a row a reply may have more bytes than it may before its server is given up
LONG_HEAD = 4000  # characters of a head, about 1,000 tokens: providers' caches keep no shorter ones
GOOGLE = "langchain_google"  # what the modules of Google's packages begin with
MOST_FIELDS = 8  # fields of one request that may be refused, one after the other
END_OF_PLAIN = "\n\n"  # what ends a reply of one line: small models would go on


async def call_model(
    client: ModelClient,
    messages: Messages,
    reply: type[BaseModel] | None,
    prompt: Prompt,
    turns: CallTurns | None = None,
) -> ModelReply:
    """Call the model; a typed reply comes as JSON, in the best form that the server accepts. Traces name the prompt.

    Each try waits for its turn, where there are limits; the caller settles that of the reply, once this is kept. Raises
    `ModelUnavailable` with one line and without a chained error.
    """
    call = ModelCall(client, messages, reply, prompt)
    if prompt.pictures:
        try:
            call.pictures = await draw_pictures(prompt)
        except BadInput as problem:
            raise PicturesRefused(str(problem)) from None
    while True:
        await client.hold.wait_until_over()
        if turns:
            await turns.wait()
        asked = clock().now()
        try:
            # The client's own timeout bounds only silence; slow trickles would never end.
            async with client.in_flight.take_place() as began, asyncio.timeout(client.most_seconds):
                call.tries.pauses.extend(began - asked)
                chat, shown, config, options = call.prepare()
                return call.read(await chat.ainvoke(shown, config, **options))
        except Exception as problem:  # also a client's own, such as for a response that is not a chat completion
            failure = call.failure_of(problem)
        if failure.refusal.kind == "withheld":  # the same that other servers send as a reply
            return ModelReply("", False, flaw=WITHHELD)
        if issubclass(failure.kind, kinds.ModelTimeoutError):
            client.in_flight.count_timeout(began)
        if pause := call.pause_after(failure):
            await clock().sleep(pause)


class ModelCall:
    """A call to a model: what is sent for it, how the reply is read, and whether it is tried again after a failure.

    If other prompts begin with the same long head, the server's cache is helped to find it: it is marked for
    Anthropic's where the same question goes on with it, and the form of the reply is asked for after it.
    """

    def __init__(self, client: ModelClient, messages: Messages, reply: type[BaseModel] | None, prompt: Prompt) -> None:
        self.client, self.messages, self.reply, self.prompt = client, messages, reply, prompt
        self.has_long_head = prompt.head >= LONG_HEAD
        self.form_at_end = self.has_long_head and reply is not None and client.forms_come_first
        self.form: ReplyForm = "text" if self.form_at_end else client.form
        self.config = call_config(prompt.name, reply, prompt.source)
        self.tries, self.fields_refused = CallTries(client), 0
        self.pictures = list[dict[str, Any]]()

    def prepare(self) -> tuple[Runnable[LanguageModelInput, AIMessage], Sequence[Any], RunnableConfig, dict[str, Any]]:
        """The client to be called, what is sent, LangChain's configuration, and further arguments."""
        client, head = self.client, self.prompt.head
        chat, shown, options = _in_form(client, self.messages, self.reply, self.form)
        if self.has_long_head and self.prompt.goes_on and client.marks_heads:
            shown = _mark_head(shown, head)
        if self.pictures:
            shown = add_pictures(shown, self.pictures)
        chat, config = name_at_models(chat, self.config)
        return chat, shown, config, options

    def read(self, message: AIMessage) -> ModelReply:
        """The reply in a message; what it shows of the model is remembered for later calls."""
        client, reply = self.client, self.reply
        if client.thinking is None:
            client.thinking = thinking_form(message) or None
        response = reply_of(message, None if reply is None or is_plain(self.form, reply) else self.form)
        if reply is None:
            response = client.check_ending(response)
        client.remember_form(self.form if reply and not self.form_at_end else None)
        client.in_flight.count_reply()
        return response

    def failure_of(self, problem: Exception) -> Failure:
        """What went wrong; a fault in the caller's own code is raised, since its traceback is needed."""
        if own := own_error(problem):  # such as: a function returned no string
            raise own from own.__cause__
        if is_of_callback(problem):
            raise problem
        return _failure(self.client, problem, takes_simpler=self._simpler_form is not None)

    def pause_after(self, failure: Failure) -> float:
        """Seconds until the next try, which may leave out a field or ask in a simpler form; raises if there is none."""
        if self.pictures and failure.refusal.kind in ("picture", "too long"):
            _refuse_pictures(self.client, failure)
        if self.fields_refused < MOST_FIELDS and _leaves_out(self.client, failure.refusal.field):
            self.fields_refused += 1
            return 0.0
        if pause := self.tries.pause_after(failure):
            return pause
        if not (self._simpler_form and failure.refused_form):
            if self.pictures and issubclass(failure.kind, MAY_BE_PICTURES) and not failure.passing:
                _refuse_pictures(self.client, failure)
            _give_up(self.client, failure)
        self.form, self.tries = self._simpler_form, CallTries(self.client)
        return 0.0

    @property
    def _simpler_form(self) -> ReplyForm | None:
        return simpler_form(self.form) if self.reply else None


MAY_BE_PICTURES = (kinds.ModelInvalidRequestError, kinds.ModelNotFoundError)  # what refusals of pictures come as


def _refuse_pictures(client: ModelClient, failure: Failure) -> NoReturn:
    raise PicturesRefused(explain_failure(client, failure), always=failure.refusal.kind != "too long")


def _give_up(client: ModelClient, failure: Failure) -> NoReturn:
    """Raise what a call ends with that brought no reply."""
    line, refusal = explain_failure(client, failure), failure.refusal
    if failure.no_answer:
        current_meter().unavailable = line
    if refusal.kind == "too long":
        raise PromptTooLong(line, refusal.most_tokens, refusal.tokens)
    raise ModelUnavailable(line)


class PromptTooLong(ModelUnavailable):
    """A server takes a prompt of at most so many tokens, and not of `tokens`; 0 where it names neither."""

    def __init__(self, line: str, most_tokens: int, tokens: int) -> None:
        super().__init__(line)
        self.share = most_tokens / tokens if tokens else 0.5  # of the prompt that the server takes


def _failure(client: ModelClient, problem: Exception, *, takes_simpler: bool) -> Failure:
    """What went wrong; a fault in the code of the caller's own model is raised, since its traceback is needed."""
    if isinstance(problem, NotImplementedError) and takes_simpler:  # such as: the model takes no functions
        return Failure(kinds.ModelInvalidRequestError, passing=False)
    if client.own and not is_of_network(problem):
        what = f"The {name_own(client)} raised {type(problem).__name__}"
        line = current_meter().unavailable = f"{what}: {CORRECT_IT}"
        raise ModelUnavailable(line) from problem
    return Failure.of(problem)


def _leaves_out(client: ModelClient, field: str) -> bool:
    """Whether requests go on without a field that was refused, or with its other name; a new one is told once."""
    leave_out = getattr(client.chat, "leave_out", None)
    if not field or field in FORM_FIELDS or leave_out is None:
        return False
    if (name := leave_out(field)) is not None:
        then = f"sent as '{name}'" if name else "left out"
        warn_caller(f"{name_server(client)} takes no '{field}': it is {then} from now on.")
    return True


class CallTries:
    """The tries of a call in one form: repeated while failures are temporary and there is time."""

    def __init__(self, client: ModelClient) -> None:
        self.client, self.pauses, self.too_long = client, RetryPauses(client.retry_seconds), 0

    def pause_after(self, failure: Failure) -> float:
        """Seconds until the next try, which is told to whoever watches; 0 if there is none."""
        client = self.client
        new = failure.no_answer and (not client.worked or client.is_here)
        pause, over = self.pauses.next(failure.retry_after, FIRST_PAUSE if new else LONGEST_PAUSE)
        failures = self.pauses.failures
        failure.tries = max(failures, failure.tries)
        self.too_long = self.too_long + 1 if failure.too_long else 0
        over = over or (new and failures >= FIRST_TRIES) or self.too_long >= TOO_LONG_TRIES
        if not failure.passing or (failures >= client.sender.tries if client.sender else over):
            return 0.0
        queues = issubclass(failure.kind, kinds.ModelTimeoutError) and client.in_flight.limit < client.in_flight.most
        if failure.retry_after or issubclass(failure.kind, kinds.ModelRateLimitError) or queues:
            client.hold.extend(pause)
        reason = "the model server gave no answer"
        if queues:
            reason = f"the model server did not answer in time, and gets {client.in_flight.limit} at once from now on"
        if not issubclass(failure.kind, kinds.ModelError):
            reason = "the model server gave no usable answer"
        if failure.status:
            reason = f"the model server says {failure.status}"
        if failure.too_long:
            reason = f"the model server sent more than {failure.too_long} MB"
        current_meter().wait(
            pause, failure.cause or reason, client.sender.again if client.sender and failure.cause else ""
        )
        return pause


def _mark_head(messages: Sequence[Any], head: int) -> list[Any]:
    """The messages, the second one in two parts: after the first, Anthropic's cache takes in what it has read."""
    system, (role, content), *others = messages
    first = {"type": "text", "text": content[:head], "cache_control": {"type": "ephemeral"}}
    return [system, (role, [first, {"type": "text", "text": content[head:]}]), *others]


def _in_form(
    client: ModelClient, messages: Messages, reply: type[BaseModel] | None, form: ReplyForm
) -> tuple[Runnable[LanguageModelInput, AIMessage], Sequence[Any], dict[str, Any]]:
    chat = client.chat
    provider = find_provider(client.name)
    if reply is None:
        fields = provider.fields_for_form(None) if provider and provider.fields_for_form else {}
        return chat, messages, {"extra_body": fields} if fields else {}
    if is_plain(form, reply):
        return chat, plain_messages(messages, reply), {"stop": [END_OF_PLAIN]}
    if form in ("text", "plain"):
        return chat, with_instructions(messages, reply_instructions(reply)), {}
    if form == "function":
        return rebuild(chat, partial(_bind_function, reply)), messages, {}
    # In the extra body: with an argument, the SDK would parse the reply itself and raise errors where we retry.
    body = {**(extra_body_of(chat) if client.own else {}), **_fields_for_form(reply, provider)}
    return chat, messages, {"extra_body": body}


def _bind_function(reply: type[BaseModel], chat: BaseChatModel) -> Runnable[LanguageModelInput, AIMessage]:
    function: Any = _without_numbers_to_choose(reply) if type(chat).__module__.startswith(GOOGLE) else reply
    return chat.bind_tools([function], tool_choice=reply.__name__)


@lru_cache(256)
def _fields_for_form(reply: type[BaseModel], provider: ModelProvider | None) -> dict[str, Any]:
    function = convert_to_openai_function(reply, strict=True)
    if provider and provider.fields_for_form:
        return provider.fields_for_form(function["parameters"])
    schema = {"name": function["name"], "schema": function["parameters"], "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


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

"""The only place that talks to chat models: notes as plain text, decisions as typed replies.

Retries after refused replies, recorded replies, the budget, the window, the limit on concurrent calls, usage and
progress are handled here, once for all methods.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, TypeVar, overload

from langgraph.runtime import Runtime
from pydantic import BaseModel

from readgraph.library.page_store import PageStore, page_store
from readgraph.models.batches.calls import CallIdentity, identify_call
from readgraph.models.calling import call_model
from readgraph.models.client import ModelClient, model_client
from readgraph.models.json_form import (
    ReplyRefusal,
    in_thread_if_long,
    plain_text,
    read_reply,
    reply_instructions,
    reply_schema,
)
from readgraph.models.metering import (
    ModelExchange,
    count_fallback,
    current_meter,
    exchanges_held,
    keep_exchange,
    step_does_without,
)
from readgraph.models.plain_form import is_plain, parse_plain
from readgraph.models.prompt import Messages, Prompt, fit_prompt
from readgraph.models.replaced_words import apply_own_words
from readgraph.models.reply import FLAWED, WITHHELD, Flaw, ModelReply, flaw_named, prompt_key, replies_to_replay
from readgraph.models.streaming import stream_whole_reply
from readgraph.models.waiting import turns_of
from readgraph.models.watching import Call, watch_call
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BudgetSpent, LibraryError, ModelUnavailable, NoUsableReply
from readgraph.state.records import RecordedReply, digest
from readgraph.state.settings import ReplyForm
from readgraph.state.words import count_words, first_words

__all__ = ["ask", "ask_text", "can_ask"]

TRIES = 3

MOST_REPEATED = 100
"""Words of a refused reply, and of the reason, in the next try: a runaway reply must not be paid for twice."""

MOST_WITHHELD = 2
"""How often a server may withhold its replies to a prompt: what its filter keeps back once more stays so."""

Answer = TypeVar("Answer")
Reply = TypeVar("Reply", bound=BaseModel)
Said = TypeVar("Said")

Complaint: TypeAlias = Callable[[Said], str | None]
"""Says what is wrong with a well-formed reply, or None."""


def can_ask(runtime: Runtime[ReaderContext]) -> bool:
    """Whether there is a model, and a budget for it; where the budget is spent, that is said of the step."""
    meter = current_meter()
    spent = meter.spent_before or meter.budget_spent
    meter.went_without |= spent and bool(runtime.context.model)
    return bool(runtime.context.model) and not spent


@overload
async def ask(
    runtime: Runtime[ReaderContext], prompt: Prompt, reply: type[Reply], complaint: Complaint[Reply] = ...
) -> Reply: ...
@overload
async def ask(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    reply: type[Reply],
    complaint: Complaint[Reply] = ...,
    *,
    fallback: str,
) -> Reply | None: ...
async def ask(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    reply: type[Reply],
    complaint: Complaint[Reply] = lambda reply: None,
    *,
    fallback: str | None = None,
) -> Reply | None:
    """Ask for a decision: a reply of the type `reply`.

    A reply that can't be used is asked for again with the reason, up to three tries; one that the server withheld or
    damaged as before, and a withheld one only once. Each try is a call of its own. All replies stay recorded, so the
    same prompt gets no usable reply again, and pays nothing, until the settings say `again` or `rebuild`.

    Args:
        runtime: The node's runtime.
        prompt: What is asked.
        reply: The type of the reply.
        complaint: Returns what is wrong with a well-formed reply, or None.
        fallback: Under which name it is counted that no usable reply came. With it, the caller has a substitute.

    Returns:
        The reply; with `fallback`, None where no usable reply came, or where the budget is spent and no node around
        has a substitute of its own (`without_model`).

    Raises:
        NoUsableReply: After the last try, without `fallback`.
        BudgetSpent: If the budget allows no further call, without `fallback` or inside of a node with a substitute.
        ModelUnavailable: If the server can't be used.
    """

    async def usable(text: str, form: ReplyForm) -> Reply:
        plain = is_plain(form, reply)
        parsed = (
            await in_thread_if_long(partial(parse_plain, reply=reply), text) if plain else await read_reply(text, reply)
        )
        if reason := complaint(parsed):
            raise ReplyRefusal(reason, "content")
        return parsed

    said = await _ask(runtime, prompt, reply, usable, fallback)
    if said is not None:
        stream_whole_reply(current_meter(), said)
    return said


@overload
async def ask_text(runtime: Runtime[ReaderContext], prompt: Prompt, complaint: Complaint[str] = ...) -> str: ...
@overload
async def ask_text(
    runtime: Runtime[ReaderContext], prompt: Prompt, complaint: Complaint[str] = ..., *, fallback: str
) -> str | None: ...
async def ask_text(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    complaint: Complaint[str] = lambda text: None,
    *,
    fallback: str | None = None,
) -> str | None:
    """Ask for a note: plain text that is not empty. `complaint`, `fallback` and errors are as in `ask`."""

    async def usable(text: str, form: ReplyForm) -> str:
        note = plain_text(text)
        if reason := complaint(note):
            raise ReplyRefusal(reason, "content")
        return note

    return await _ask(runtime, prompt, None, usable, fallback)


async def _ask(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    reply: type[BaseModel] | None,
    usable: Callable[[str, ReplyForm], Awaitable[Answer]],
    fallback: str | None,
) -> Answer | None:
    """The answer; with `fallback`, None where there is none."""
    try:
        return await _answer(runtime, prompt, reply, usable)
    except NoUsableReply:
        if fallback is None:
            raise
        count_fallback(fallback)
    except BudgetSpent:
        if fallback is None or not step_does_without():
            raise
    return None


async def _answer(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    reply: type[BaseModel] | None,
    usable: Callable[[str, ReplyForm], Awaitable[Answer]],
) -> Answer:
    client, context = await model_client(runtime.context), runtime.context
    prompt = apply_own_words(prompt, context.prompts)
    tried = partial(_ask_until_usable, runtime, client, prompt, reply, usable)
    if not (context.again or context.rebuild):
        return await tried(_Tries())
    tries = _Tries()
    with exchanges_held() as held:
        try:
            return await tried(tries)
        except NoUsableReply:
            if not tries.recorded:
                raise
            held.clear()  # a replay would get these replies in the place of the new ones
    return await tried(_Tries(anew=True))


@dataclass
class _Tries:
    """The tries for one answer: what is said of refused replies, and why they were refused.

    `anew`: replies of earlier runs are not used, and new ones take their places. `flaws`: what the server did to
    replies that were asked for again as before. `recorded`: no reply was new.
    """

    anew: bool = False
    again: Messages = field(default_factory=Messages)
    reasons: list[str] = field(default_factory=list)
    flaws: list[Flaw] = field(default_factory=list)
    recorded: bool = True

    @property
    def is_over(self) -> bool:
        """Whether no further try is made; what a server withholds is asked for only once more."""
        return len(self.reasons) == TRIES or self.flaws.count(WITHHELD) == MOST_WITHHELD


async def _ask_until_usable(
    runtime: Runtime[ReaderContext],
    client: ModelClient,
    prompt: Prompt,
    reply: type[BaseModel] | None,
    usable: Callable[[str, ReplyForm], Awaitable[Answer]],
    tries: _Tries,
) -> Answer:
    """The answer of the first try that brings one; replies that could not be used stay recorded, as the others do."""
    store, context = page_store(runtime), runtime.context
    while not tries.is_over:
        messages, words = _within_window(runtime, prompt, tries, reply)
        key = _cache_key(context, client, messages, reply, len(tries.flaws))
        with watch_call(client, prompt, len(tries.reasons) + 1, batch=context.batch) as call:
            response = await _find_or_request_reply(
                client, store, key, prompt.name, messages, words, reply, call, context.sample, anew=tries.anew
            )
            tries.recorded = tries.recorded and response.recorded
            try:
                _check_whole(response, client.form, reply, again=bool(tries.flaws))
                answer = await usable(response.text, client.form)
            except ReplyRefusal as refusal:
                call.outcome, call.why = "refused", refusal.kind
                current_meter().refuse(prompt.name, str(refusal))
                _record(client, prompt, messages, response, str(refusal), len(tries.flaws))
                _add_refused(tries, response, refusal)
            else:
                _record(client, prompt, messages, response, None, len(tries.flaws))
                return answer
    raise NoUsableReply(prompt.name, tries.reasons)


def _check_whole(response: ModelReply, form: ReplyForm, reply: type[BaseModel] | None, *, again: bool) -> None:
    """Refuse a reply that is not whole; if that comes `again`, what could be saved of it counts as the model's own."""
    if response.flaw and not (again and response.text):
        raise ReplyRefusal(FLAWED.format(response.flaw), "flaw")
    if response.cut and not is_plain(form, reply):
        raise ReplyRefusal("the reply was cut off before its end; be shorter", "cut")


def _add_refused(tries: _Tries, response: ModelReply, refusal: ReplyRefusal) -> None:
    """Prepare the next try: the model is told why, unless its server is to blame."""
    tries.reasons.append(str(refusal))
    if refusal.kind == "flaw":
        tries.flaws.append(response.flaw)
        return
    shown, why = first_words(response.text, MOST_REPEATED), first_words(str(refusal), MOST_REPEATED)
    tries.again += [("ai", shown), ("user", f"That can't be used: {why}. Reply again, as asked.")]


def _within_window(
    runtime: Runtime[ReaderContext], prompt: Prompt, tries: _Tries, reply: type[BaseModel] | None
) -> tuple[Messages, int]:
    """The messages as the window holds them, beside the form of the reply, and their words; a cut is counted once."""
    refused = sum(count_words(content) for _, content in tries.again)
    beside = refused + (count_words(reply_instructions(reply)) if reply else 0)
    within, words, left_out = fit_prompt(prompt, runtime.context.window_words - beside)
    if left_out and not (tries.reasons or tries.anew):
        count_fallback("prompt_cut")
        current_meter().left_out += left_out
    return [*within.messages, *tries.again], words + refused


def _record(
    client: ModelClient, prompt: Prompt, messages: Messages, response: ModelReply, refused: str | None, repeated: int
) -> None:
    keep_exchange(
        lambda: ModelExchange(
            node=current_meter().node,
            model=client.name,
            asked=prompt.name,
            version=prompt.version,
            messages=list(messages),
            reply=response.text,
            refused=refused,
            tokens=response.tokens,
            repeated=repeated,
            recorded=response.recorded,
        )
    )


async def _find_or_request_reply(
    client: ModelClient,
    store: PageStore,
    key: str,
    name: str,
    messages: Messages,
    words: int,
    reply: type[BaseModel] | None,
    call: Call,
    sample: int,
    *,
    anew: bool,
) -> ModelReply:
    """The recorded reply, or else a new one, which is returned once recorded; `words` are the messages'.

    `anew`: a reply that was recorded before this run is not used.
    """
    meter = current_meter()
    async with client.asking.setdefault(key, asyncio.Lock()):
        if (not anew or key in meter.asked) and (recorded := await store.reply(key)):
            meter.count_cached()
            call.outcome = "recorded"
            return ModelReply(recorded.said, recorded.cut, recorded.tokens, flaw_named(recorded.flaw), recorded=True)
        before = meter.unavailable
        async with client.slots:  # until the reply is recorded: so many paid calls at most are lost with the process
            if meter.unavailable != before:  # what nothing answered to is not tried as long for each call that waited
                raise ModelUnavailable(meter.unavailable)
            await store.check_room()
            meter.begin_call(words)
            call.mark_sent()
            turns = turns_of(store.store, client.name, client.limits, words)
            if replayed := replies_to_replay():
                response = replayed.reply(prompt_key(client.name, name, messages, sample), name)
            else:
                with identify_call(CallIdentity(store, key, name, meter.document)):
                    response = await call_model(client, messages, reply, name, turns)
            record = RecordedReply(response.text, response.cut, name, meter.document, response.tokens, response.flaw)
            try:
                await store.put_reply(key, record)
            except LibraryError as problem:
                raise LibraryError(f"{problem} The reply to '{name}' was not kept: it is asked for again.") from problem
            meter.asked.add(key)
            if turns:  # not before: what is paid for is kept first
                await turns.settle(sum(response.tokens))
    call.tokens = response.tokens
    meter.end_call(words, await in_thread_if_long(count_words, response.text), response.tokens)
    return response


def _cache_key(
    context: ReaderContext, client: ModelClient, messages: Messages, reply: type[BaseModel] | None, flaws: int
) -> str:
    """Our own key: LangChain's includes timeouts and retries, so raising one would lose all recorded replies.

    `flaws`: how many replies to the same messages the server has withheld or damaged in this ask.
    """
    request: list[Any] = [messages, reply_schema(reply) if reply else None]
    asked = [*request, client.writes, client.server, context.reply_form, context.sample]
    return digest([*asked, flaws] if flaws else asked, length=40)

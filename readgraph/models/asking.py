"""The only place that talks to chat models: tries, recorded replies, budget, window, usage, for all methods."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, TypeAlias, TypeVar, overload

from langgraph.runtime import Runtime
from pydantic import BaseModel

from readgraph.library.page_store import PageStore, page_store
from readgraph.models import json_form, metering
from readgraph.models.call_identity import CallIdentity, identify_call
from readgraph.models.calling import PromptTooLong, call_model
from readgraph.models.client import ModelClient, model_client
from readgraph.models.failure_lines import name_server
from readgraph.models.plain_form import is_in_words, is_plain, parse_plain, plain_messages, take_whole_part
from readgraph.models.prompt import Messages, Prompt, apply_own_words
from readgraph.models.reply import (
    FLAWED,
    WITHHELD,
    AskedReply,
    Flaw,
    ModelReply,
    current_stand_in,
    prompt_key,
    replies_to_replay,
)
from readgraph.models.streaming import stream_whole_reply
from readgraph.models.waiting import turns_of
from readgraph.models.watching import Call
from readgraph.models.window_tokens import fewest_tokens, likely_tokens
from readgraph.models.windows import SHORT, is_power_of_two, shows_cut
from readgraph.state.awaited import await_server
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, BudgetSpent, LibraryError, ModelUnavailable, NoUsableReply
from readgraph.state.reading import NO_TOKENS
from readgraph.state.records import digest
from readgraph.state.settings import ReplyForm
from readgraph.state.transports import price_share
from readgraph.state.words import count_words, first_words

__all__ = ["ask_reply", "ask_text", "can_ask"]

TRIES = 3
MOST_REPEATED = 100  # words of a refused reply, and of the reason, that the next try repeats
CUT_PROMPT = "the server read only {:,} tokens of the prompt"
MOST_WITHHELD = 2  # how often a server may withhold its replies to a prompt: what its filter keeps back twice stays so
Answer = TypeVar("Answer")
Reply = TypeVar("Reply", bound=BaseModel)
Said = TypeVar("Said")
Complaint: TypeAlias = Callable[[Said], str | None]  # says what is wrong with a well-formed reply, or None


def can_ask(runtime: Runtime[ReaderContext]) -> bool:
    """Whether there is a model, and a budget for it; where the budget is spent, that is said of the step."""
    meter = metering.current_meter()
    spent = meter.spent_before or meter.budget_spent
    meter.went_without |= spent and bool(runtime.context.model)
    return bool(runtime.context.model) and not spent


@overload
async def ask_reply(
    runtime: Runtime[ReaderContext], prompt: Prompt, reply: type[Reply], complaint: Complaint[Reply] = ...
) -> Reply: ...
@overload
async def ask_reply(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    reply: type[Reply],
    complaint: Complaint[Reply] = ...,
    *,
    fallback: str,
) -> Reply | None: ...
async def ask_reply(
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

    async def read(text: str, form: ReplyForm) -> Reply:
        if current_stand_in():
            return json_form.read_whole(text, reply)
        if is_plain(form, reply) or is_in_words(text, reply):
            return await json_form.in_thread_if_long(partial(parse_plain, reply=reply, source=prompt.source), text)
        return await json_form.read_reply(text, reply, prompt.source)

    tries = await _open_tries(runtime, prompt, reply, read, complaint)
    with _fall_back(fallback):
        said = await tries.first_usable()
        stream_whole_reply(metering.current_meter(), said)
        return said
    return None


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
    """Ask for a note: plain text that is not empty. `complaint`, `fallback` and errors are as in `ask_reply`."""

    async def read(text: str, form: ReplyForm) -> str:
        if current_stand_in() and text:
            return text
        return await json_form.in_thread_if_long(partial(json_form.plain_text, source=prompt.source), text)

    tries = await _open_tries(runtime, prompt, None, read, complaint)
    with _fall_back(fallback):
        return await tries.first_usable()
    return None


async def _open_tries(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    reply: type[BaseModel] | None,
    read: Callable[[str, ReplyForm], Awaitable[Answer]],
    complaint: Complaint[Answer],
) -> "PromptTries[Answer]":
    """What `ask_reply` and `ask_text` try, with how they read an answer; the prompt may be in the user's own words."""
    context, client = runtime.context, await model_client(runtime.context)
    worded = apply_own_words(prompt, context.prompts)
    return PromptTries(context, page_store(runtime), client, worded, reply, read, complaint)


@contextmanager
def _fall_back(fallback: str | None) -> Iterator[None]:
    """With a name, leave the `with` where no usable reply came, and count that, or where the step does without."""
    try:
        yield
    except NoUsableReply:
        if fallback is None:
            raise
        metering.count_fallback(fallback)
    except BudgetSpent:
        if fallback is None or not metering.step_does_without():
            raise


@dataclass
class PromptTries(Generic[Answer]):
    """The tries for one answer: what is asked of whom, what is said of refused replies, and why they were refused."""

    context: ReaderContext
    store: PageStore
    client: ModelClient
    prompt: Prompt
    reply: type[BaseModel] | None  # the type of the reply; None for a note
    read: Callable[[str, ReplyForm], Awaitable[Answer]]  # reads the answer in a reply's text
    complaint: Complaint[Answer]
    anew: bool = False  # replies of earlier runs are not used, and new ones take their places
    again: Messages = field(default_factory=Messages)
    reasons: list[str] = field(default_factory=list)
    flaws: list[Flaw] = field(default_factory=list)  # what the server did to replies that are asked for again
    recorded: bool = True  # no reply was new
    uncut: bool = True  # what the window leaves out of the prompt is not counted yet
    was_cut: bool = False  # its server cut the prompt of the last try

    @property
    def is_over(self) -> bool:
        """Whether no further try is made; what a server withholds is asked for only once more."""
        return len(self.reasons) == TRIES or self.flaws.count(WITHHELD) == MOST_WITHHELD

    @property
    def is_outdated(self) -> bool:
        """Whether new replies take the places of recorded ones: if wanted, or if the window has become larger."""
        if self.anew or not self.recorded or not (self.is_over or self.was_cut):
            return False
        return self.context.again or self.context.rebuild or (self.was_cut and self.client.window.holds(self.prompt))

    async def first_usable(self) -> Answer:
        """The answer of the first try that brings one; recorded ones that can't be used may be asked for again."""
        may_begin_anew = self.context.again or self.context.rebuild
        with ExitStack() as holding:
            held = holding.enter_context(metering.exchanges_held()) if may_begin_anew else []
            while not self.is_over:
                key, messages, words, prompt = await self._next_request()
                with self._begin_call() as call:
                    try:
                        response = await self._find_or_request_reply(key, messages, words, prompt, call)
                    except PromptTooLong as problem:
                        self._shorten(messages, problem)
                        continue
                    self.recorded = self.recorded and response.recorded
                    try:
                        if await self._was_cut(messages, response):
                            raise json_form.ReplyRefusal(CUT_PROMPT.format(response.tokens.sent), "prompt")
                        answer = await self.read(self._take_whole(response), self.client.form)
                        if reason := self.complaint(answer):
                            raise json_form.ReplyRefusal(reason, "content")
                    except json_form.ReplyRefusal as refusal:
                        call.outcome, call.why = "refused", refusal.kind
                        self._refuse(messages, response, refusal)
                    else:
                        self._keep_exchange(messages, response)
                        return answer
                if self.is_outdated:
                    held.clear()  # a replay would get these replies in the place of the new ones
                    holding.close()
                    self.anew, self.again, self.reasons, self.flaws = True, [], [], []
                    self.client.window.cut_at = 0
        raise NoUsableReply(self.prompt.name, self.reasons)

    async def _next_request(self) -> tuple[str, Messages, int, Prompt]:
        """The reply's key, the messages, their words, and the prompt that fits the window; a retry's has no head."""
        window, first = self.client.window, not self.reasons
        request, left_out = self._request_within(0 if first else window.tokens)
        open_question = window.told is None or window.tokens > 0  # else there is no window to look for, or to fit
        bounded = first and open_question and (likely_tokens(request[-1].user) > SHORT or 0 < window.refused_at < SHORT)
        if bounded and (self.anew or not await self.store.reply(request[0])):
            if window.told is None:
                await window.ask()
            whole, (request, left_out) = left_out, self._request_within(window.tokens)
            if left_out > whole:
                window.warn(self.prompt)
        if left_out and self.uncut:  # a cut is counted once
            metering.count_fallback("prompt_cut")
            metering.current_meter().left_out += left_out
            self.uncut = False
        return request

    def _request_within(self, window: int) -> tuple[tuple[str, Messages, int, Prompt], int]:
        """What `_next_request` gives for a window of so many tokens (0: any), and the words that are left out."""
        added = [content for _, content in self.again]
        refused = sum(map(count_words, added))
        form = json_form.reply_instructions(self.reply) if self.reply else ""
        beside = likely_tokens("\n".join([*added, form])) if window else 0
        most = self.context.window_words - refused - (count_words(form) if form else 0)
        within, words, left_out = self.client.window.fit(self.prompt, most, window, beside)
        messages = [*within.messages, *self.again]
        # Our own key: LangChain's includes timeouts and retries, so raising one would lose all recorded replies. It
        # holds how many replies to the same messages the server has withheld or damaged in this ask.
        schema = json_form.reply_schema(self.reply) if self.reply else None
        asked = [messages, schema, self.client.writes, self.client.server, self.context.reply_form, self.context.sample]
        key = digest([*asked, len(self.flaws)] if self.flaws else asked, length=40)
        return (key, messages, words + refused, replace(within, head=0) if self.again else within), left_out

    def _shorten(self, messages: Messages, problem: PromptTooLong) -> None:
        """Let prompts fit what a server says, or half of what it refused; raises the problem where none can."""
        window, sent = self.client.window, sum(likely_tokens(content) for _, content in messages)
        share = problem.most_tokens / problem.tokens if problem.tokens else 0.5
        before, known = window.refused_at, window.tokens if 0 < window.tokens <= sent else sent
        window.refused_at = min(int(sent * share), known - 1)
        try:
            self._request_within(window.tokens)
        except BadInput:  # its instructions alone don't fit
            window.refused_at = before
            raise problem from None
        window.warn(self.prompt)

    def _begin_call(self) -> Call:
        return Call(self.client, self.prompt, len(self.reasons) + 1, price_share(self.context))

    async def _was_cut(self, messages: Messages, response: ModelReply) -> bool:
        """Whether the server cut the prompt without a word: it counts fewer tokens than any tokenizer would."""
        window, counted = self.client.window, response.tokens.sent
        if not counted:
            return False
        fewest = self._fewest_tokens(messages)
        if not window.may_have_cut(counted, response.tokens.cache_read, fewest):
            return False
        async with window.deciding:
            if not (window.doubted or window.was_cut(counted, fewest)):
                await self._decide_by_shorter(counted, fewest)
        if not window.was_cut(counted, fewest):
            return False
        window.cuts_now = window.cuts_now or not response.recorded
        window.warn(self.prompt)
        return True

    def _fewest_tokens(self, messages: Messages) -> int:
        sent = messages
        if self.reply and is_plain(self.client.form, self.reply):
            sent = plain_messages(messages, self.reply)
        return sum(fewest_tokens(content) for _, content in sent)

    async def _decide_by_shorter(self, counted: int, fewest: int) -> None:
        """Decide whether a server cuts prompts to so many tokens: it then counts a shorter one as a tokenizer would."""
        window = self.client.window
        if not replies_to_replay():
            await window.ask(again=True)  # some servers know it only once the model is loaded
        if window.is_exceeded_by(fewest):
            return
        counts = [(counted, fewest)]
        for most in (counted, counted // 2):
            try:
                request, _ = self._request_within(most)
            except BadInput:  # there is no shorter one
                break
            with self._begin_call() as call:
                shorter = await self._find_or_request_reply(*request, call)
            counts.append((shorter.tokens.sent, self._fewest_tokens(request[1])))
            if shows_cut(counts):
                window.cut_at = counted
                return
        window.cut_at = counted if most == counted and is_power_of_two(counted) else 0
        window.doubted = not window.cut_at

    def _take_whole(self, response: ModelReply) -> str:
        """The text to read, refused if it is not whole; if a flaw comes again, what was saved is the model's."""
        if response.flaw and not (self.flaws and response.text):
            raise json_form.ReplyRefusal(FLAWED.format(response.flaw), "flaw")
        if not response.cut:
            return response.text
        plain = self.reply if is_plain(self.client.form, self.reply) else None
        if not (whole := take_whole_part(response.text, plain) if plain else ""):
            raise json_form.ReplyRefusal(json_form.CUT_OFF, "cut")
        return whole

    def _refuse(self, messages: Messages, response: ModelReply, refusal: json_form.ReplyRefusal) -> None:
        """Prepare the next try: the model is told why, unless its server is to blame."""
        reason = str(refusal)
        metering.current_meter().refuse(self.prompt.name, reason)
        self._keep_exchange(messages, response, reason)
        self.reasons.append(reason)
        self.uncut = self.was_cut = refusal.kind == "prompt"
        if refusal.kind == "flaw":
            self.flaws.append(response.flaw)
        if refusal.kind in ("flaw", "prompt"):
            return
        shown, why = first_words(response.text, MOST_REPEATED), first_words(reason, MOST_REPEATED)
        self.again += [("ai", shown), ("user", f"That can't be used: {why}. Reply again, as asked.")]

    def _keep_exchange(self, messages: Messages, response: ModelReply, refused: str | None = None) -> None:
        exchange = metering.ModelExchange(
            node=metering.current_meter().node,
            model=self.client.name,
            asked=self.prompt.name,
            version=self.prompt.version,
            messages=list(messages),
            reply=response.text,
            refused=refused,
            tokens=response.tokens,
            repeated=len(self.flaws),
            recorded=response.recorded,
        )
        metering.keep_exchange(exchange)

    async def _find_or_request_reply(
        self, key: str, messages: Messages, words: int, prompt: Prompt, call: Call
    ) -> ModelReply:
        """The recorded reply, or else a new one, which is returned once recorded."""
        client, store, meter = self.client, self.store, metering.current_meter()
        async with client.asking.setdefault(key, asyncio.Lock()):
            stand_in = current_stand_in()
            may_be_kept = not stand_in or stand_in.finds_kept
            if may_be_kept and (not self.anew or key in meter.asked) and (recorded := await store.reply(key)):
                meter.count_cached()
                call.outcome = "recorded"
                return ModelReply.from_record(recorded)
            if stand_in:
                meter.begin_call(words)
                text = stand_in.reply(AskedReply(self.prompt, messages, self.reply, words))
                meter.end_call(words, count_words(text), NO_TOKENS)
                return ModelReply(text, False)
            before = meter.unavailable
            async with client.slots:  # until the reply is recorded: so many paid calls at most die with the process
                if meter.unavailable != before:  # what nothing answered to is not tried as long for each that waited
                    raise ModelUnavailable(meter.unavailable)
                await store.check_room()
                meter.begin_call(words)
                call.mark_sent()
                turns = turns_of(store.store, client.name, client.limits, words)
                name = self.prompt.name
                if replayed := replies_to_replay():
                    response = replayed.reply(prompt_key(client.name, name, messages, self.context.sample), name)
                else:
                    awaited = await_server(f"the {name_server(client)[4:]}", client.most_seconds, client.retry_seconds)
                    with identify_call(CallIdentity(store, key, name, meter.document)), awaited:
                        response = await call_model(client, messages, self.reply, prompt, turns)
                try:
                    await store.put_reply(key, response.to_record(name, meter.document))
                except LibraryError as problem:
                    lost = f"The reply to '{name}' was not kept: it is asked for again."
                    raise LibraryError(f"{problem} {lost}") from problem
                meter.asked.add(key)
                if turns:  # not before: what is paid for is kept first
                    await turns.settle(sum(response.tokens))
        call.tokens = response.tokens
        meter.end_call(words, await json_form.in_thread_if_long(count_words, response.text), response.tokens)
        return response

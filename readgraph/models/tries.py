"""The tries for one answer: each reply was recorded, or is requested and recorded; what is asked again, and why."""

import asyncio
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from langgraph.runtime import Runtime
from pydantic import BaseModel

from readgraph.library.page_store import PageStore, page_store
from readgraph.models import metering
from readgraph.models.calling import PromptTooLong, call_model
from readgraph.models.client import ModelClient, model_client
from readgraph.models.pictures import NOT_SEEN, TOKENS, PicturesRefused, messages_with_digests
from readgraph.models.prompt import Messages, Prompt, apply_own_words
from readgraph.models.replies import forms
from readgraph.models.replies.forms import is_in_words, is_plain, parse_plain, plain_messages, take_whole_part
from readgraph.models.reply import (
    FLAWED,
    MOST_REPEATED,
    TRIES,
    WITHHELD,
    AskedReply,
    Complaint,
    Flaw,
    ModelReply,
    PublishedReplies,
    StandIn,
    current_stand_in,
    prompt_key,
    replies_to_replay,
)
from readgraph.models.waiting import turns_of
from readgraph.models.watching import Call
from readgraph.models.windows.window import TokenCounts, fewest_tokens, likely_tokens
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, LibraryError, ModelUnavailable, NoUsableReply
from readgraph.state.reading import NO_TOKENS
from readgraph.state.records import digest
from readgraph.state.transports import price_share
from readgraph.state.variables import set_variable
from readgraph.state.words import count_words, first_words

CUT_PROMPT = "the server read only {:,} tokens of the prompt"
MOST_WITHHELD = 2  # how often a server may withhold its replies to a prompt: what its filter keeps back twice stays so


@dataclass(frozen=True)
class CallIdentity:
    """The call that is being made, for a transport that records its reply, and finds it again.

    The store and the key under which the reply is recorded, its prompt and document.
    """

    store: PageStore
    key: str
    prompt: str
    document: str


_made: ContextVar[CallIdentity] = ContextVar("readgraph_call")


def identified_call() -> CallIdentity:
    """The call that is being made."""
    return _made.get()


class PromptRequest(NamedTuple):
    """What is sent for a prompt: its messages, with the refused replies, and the prompt as far as the window holds it.

    `compared`: the messages with what the pictures show, by which replies are kept and compared. `words` of the
    messages; `left_out`: words that the window does not hold. A retry's prompt has no head.
    """

    key: str  # under which the reply is recorded
    messages: Messages
    compared: Messages
    words: int
    prompt: Prompt
    left_out: int


async def prepare_tries(
    runtime: Runtime[ReaderContext], prompt: Prompt, reply: type[BaseModel] | None, complaint: Complaint[Any]
) -> "PromptTries":
    """The tries for a reply of this type, or without one for text; the prompt may be in the user's own words."""
    context, client = runtime.context, await model_client(runtime.context)
    worded = apply_own_words(prompt, context.prompts)
    if prompt.pictures and client.refuses_pictures:
        metering.count_fallback(NOT_SEEN, len(prompt.pictures))
        worded = replace(worded, pictures=())
    return PromptTries(context, page_store(runtime), client, worded, reply, complaint)


@dataclass
class PromptTries:
    """The tries for one answer: the prompt, of whom it is asked, where replies are recorded, why some were refused.

    `reply`: the type of the reply; None for a note. `again`: refused replies, each with what was said of it. `flaws`:
    what the server did to replies that are asked for again. `anew`: replies of earlier runs are not used, and new ones
    take their places.
    """

    context: ReaderContext
    store: PageStore
    client: ModelClient
    prompt: Prompt
    reply: type[BaseModel] | None
    complaint: Complaint[Any]
    reasons: list[str] = field(default_factory=list)
    again: Messages = field(default_factory=Messages)
    flaws: list[Flaw] = field(default_factory=list)
    anew: bool = False
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

    async def first_usable(self) -> Any:
        """The answer of the first try that brings one; recorded ones that can't be used may be asked for again."""
        may_begin_anew = self.context.again or self.context.rebuild
        with ExitStack() as holding:
            held = holding.enter_context(metering.exchanges_held()) if may_begin_anew else []
            while not self.is_over:
                request = await self._next_request()
                with self._begin_call() as call:
                    try:
                        response = await self.find_or_request(request, call)
                    except PromptTooLong as problem:
                        self._shorten(request, problem)
                        continue
                    except PicturesRefused as problem:
                        self._show_text_alone(problem)
                        continue
                    try:
                        return await self._read(request, response)
                    except forms.ReplyRefusal as refusal:
                        call.outcome, call.why = "refused", refusal.kind
                        self._refuse(request, response, refusal)
                if self.is_outdated:
                    held.clear()  # a replay would get these replies in the place of the new ones
                    holding.close()
                    self.anew, self.again, self.reasons, self.flaws = True, [], [], []
                    self.client.window.cut_at = 0
        raise NoUsableReply(self.prompt.name, self.reasons)

    async def _next_request(self) -> PromptRequest:
        """What the next try sends; what the window leaves out of it is counted once."""
        window, is_first = self.client.window, not self.reasons
        request = self.within(0 if is_first else window.tokens)
        bounded = is_first and window.may_bound(request.prompt.user)
        if bounded and (self.anew or not await self.store.reply(request.key)):
            if window.told is None:
                await window.ask()
            whole, request = request, self.within(window.tokens)
            if request.left_out > whole.left_out:
                window.warn(self.prompt)
        if request.left_out and self.uncut:
            metering.count_fallback("prompt_cut")
            metering.current_meter().remarks.left_out += request.left_out
            self.uncut = False
        return request

    def within(self, window: int) -> PromptRequest:
        """The request for a window of so many tokens (0: any); raises `BadInput` if instructions alone don't fit."""
        added = [content for _, content in self.again]
        refused = sum(map(count_words, added))
        form = forms.reply_instructions(self.reply) if self.reply else ""
        beside = likely_tokens("\n".join([*added, form])) + TOKENS * len(self.prompt.pictures) if window else 0
        most = self.context.window_words - refused - (count_words(form) if form else 0)
        fitted, words, left_out = self.client.window.fit(self.prompt, most, window, beside)
        messages = [*fitted.messages, *self.again]
        compared = messages_with_digests(messages, self.prompt) if self.prompt.pictures else messages
        # Our own key: LangChain's includes timeouts and retries, so raising one would lose all recorded replies. It
        # holds how many replies to the same messages the server has withheld or damaged in this ask.
        schema = forms.reply_schema(self.reply) if self.reply else None
        asked = [compared, schema, self.client.writes, self.client.server, self.context.reply_form, self.context.sample]
        key = digest([*asked, len(self.flaws)] if self.flaws else asked, length=40)
        prompt = replace(fitted, head=0) if self.again else fitted
        return PromptRequest(key, messages, compared, words + refused, prompt, left_out)

    async def find_or_request(self, request: PromptRequest, call: Call) -> ModelReply:
        """The recorded reply, or else a new one, which is returned once recorded."""
        client, store, meter, key = self.client, self.store, metering.current_meter(), request.key
        async with client.asking.setdefault(key, asyncio.Lock()):
            if (recorded := await self._find_recorded(key)) is not None:
                meter.count_cached()
                call.outcome = "recorded"
                return recorded
            if stand_in := current_stand_in():
                return self._reply_of_stand_in(request, stand_in)
            before = meter.unavailable
            async with client.slots:  # until the reply is recorded: so many paid calls at most die with the process
                if meter.unavailable != before:  # what nothing answered to is not tried as long for each that waited
                    raise ModelUnavailable(meter.unavailable)
                await store.check_room()
                meter.begin_call(request.words)
                call.mark_sent()
                turns = turns_of(store.store, client.name, client.limits, request.words)
                if replayed := replies_to_replay():
                    response = self._find_published(request, replayed)
                else:
                    identity = CallIdentity(store, key, self.prompt.name, meter.document)
                    with set_variable(_made, identity), client.awaited():
                        response = await call_model(client, request.messages, self.reply, request.prompt, turns)
                await self._record(key, response)
                meter.asked.add(key)
                if turns:  # not before: what is paid for is kept first
                    await turns.settle(sum(response.tokens))
        call.tokens = response.tokens
        output_words = await forms.in_thread_if_long(count_words, response.text)
        meter.end_call(request.words, output_words, response.tokens)
        return response

    async def _find_recorded(self, key: str) -> ModelReply | None:
        """The reply of an earlier call, if it may be used."""
        stand_in = current_stand_in()
        if (stand_in and not stand_in.finds_kept) or (self.anew and key not in metering.current_meter().asked):
            return None
        recorded = await self.store.reply(key)
        return ModelReply.from_record(recorded) if recorded else None

    def _reply_of_stand_in(self, request: PromptRequest, stand_in: StandIn) -> ModelReply:
        meter = metering.current_meter()
        meter.begin_call(request.words)
        text = stand_in.reply(AskedReply(self.prompt, request.messages, self.reply, request.words))
        meter.end_call(request.words, count_words(text), NO_TOKENS)
        return ModelReply(text, False)

    def _find_published(self, request: PromptRequest, replayed: PublishedReplies) -> ModelReply:
        """The reply of a published run; one to the text alone is asked for next where none saw these pictures."""
        key = prompt_key(self.client.name, self.prompt.name, request.compared, self.context.sample)
        try:
            return replayed.reply(key, self.prompt.name)
        except ModelUnavailable as problem:
            raise PicturesRefused(str(problem)) if request.prompt.pictures else problem from None

    async def _record(self, key: str, response: ModelReply) -> None:
        name = self.prompt.name
        try:
            await self.store.put_reply(key, response.to_record(name, metering.current_meter().document))
        except LibraryError as problem:
            lost = f"The reply to '{name}' was not kept: it is asked for again."
            raise LibraryError(f"{problem} {lost}") from problem

    def _shorten(self, request: PromptRequest, problem: PromptTooLong) -> None:
        """Let prompts fit what a server says, or half of what it refused; raises the problem where none can."""
        sent = sum(likely_tokens(content) for _, content in request.messages)
        if not self.client.window.shrink(sent, problem.share, lambda tokens: self._shorter_request(tokens) is not None):
            raise problem  # its instructions alone don't fit
        self.client.window.warn(self.prompt)

    def _show_text_alone(self, problem: PicturesRefused) -> None:
        """Go on without the pictures, which is counted; all prompts do so to a server that takes none."""
        metering.count_fallback(NOT_SEEN, len(self.prompt.pictures))
        self.prompt = replace(self.prompt, pictures=())
        self.client.refuses_pictures |= problem.always

    def _shorter_request(self, tokens: int) -> PromptRequest | None:
        try:
            return self.within(tokens)
        except BadInput:
            return None

    def _begin_call(self) -> Call:
        return Call(self.client, self.prompt, len(self.reasons) + 1, price_share(self.context))

    async def _read(self, request: PromptRequest, response: ModelReply) -> Any:
        """The answer in a reply; raises `ReplyRefusal` where it can't be used."""
        self.recorded = self.recorded and response.recorded
        if await self._was_cut(request, response):
            raise forms.ReplyRefusal(CUT_PROMPT.format(response.tokens.sent), "prompt")
        answer = await self._parse(self._take_whole(response))
        if reason := self.complaint(answer):
            raise forms.ReplyRefusal(reason, "content")
        metering.current_meter().pictures |= {picture.place: picture.parts for picture in self.prompt.pictures}
        self._keep_exchange(request, response)
        return answer

    async def _parse(self, text: str) -> Any:
        """The answer in the text of a whole reply."""
        reply, source, form = self.reply, self.prompt.source, self.client.form
        if current_stand_in() and (reply or text):
            return forms.read_whole(text, reply) if reply else text
        if reply is None:
            return await forms.in_thread_if_long(partial(forms.plain_text, source=source), text)
        if is_plain(form, reply) or is_in_words(text, reply):
            return await forms.in_thread_if_long(partial(parse_plain, reply=reply, source=source), text)
        return await forms.read_reply(text, reply, source)

    async def _was_cut(self, request: PromptRequest, response: ModelReply) -> bool:
        window, tokens = self.client.window, response.tokens
        if not tokens.sent:
            return False
        counts = self._count_tokens(request, response)
        if not await window.finds_cut(counts, tokens.cache_read, self._count_shorter):
            return False
        window.cuts_now = window.cuts_now or not response.recorded
        window.warn(self.prompt)
        return True

    def _count_tokens(self, request: PromptRequest, response: ModelReply) -> TokenCounts:
        messages = request.messages
        if self.reply and is_plain(self.client.form, self.reply):
            messages = plain_messages(messages, self.reply)
        return TokenCounts(response.tokens.sent, sum(fewest_tokens(content) for _, content in messages))

    async def _count_shorter(self, tokens: int) -> TokenCounts | None:
        """Ask the prompt within so many tokens, and give what its server counted; None where it can't be so short."""
        if (request := self._shorter_request(tokens)) is None:
            return None
        with self._begin_call() as call:
            response = await self.find_or_request(request, call)
        return self._count_tokens(request, response)

    def _take_whole(self, response: ModelReply) -> str:
        """The text to read, refused if it is not whole; if a flaw comes again, what was saved is the model's."""
        if response.flaw and not (self.flaws and response.text):
            raise forms.ReplyRefusal(FLAWED.format(response.flaw), "flaw")
        if not response.cut:
            return response.text
        plain = self.reply if is_plain(self.client.form, self.reply) else None
        if not (whole := take_whole_part(response.text, plain) if plain else ""):
            raise forms.ReplyRefusal(forms.CUT_OFF, "cut")
        return whole

    def _refuse(self, request: PromptRequest, response: ModelReply, refusal: forms.ReplyRefusal) -> None:
        """Prepare the next try: the model is told why, unless its server is to blame."""
        reason = str(refusal)
        metering.current_meter().refuse(self.prompt.name, reason)
        self._keep_exchange(request, response, reason)
        self.reasons.append(reason)
        self.uncut = self.was_cut = refusal.kind == "prompt"
        if refusal.kind == "flaw":
            self.flaws.append(response.flaw)
        if refusal.kind in ("flaw", "prompt"):
            return
        shown, why = first_words(response.text, MOST_REPEATED), first_words(reason, MOST_REPEATED)
        self.again += [("ai", shown), ("user", f"That can't be used: {why}. Reply again, as asked.")]

    def _keep_exchange(self, request: PromptRequest, response: ModelReply, refused: str | None = None) -> None:
        exchange = metering.ModelExchange(
            node=metering.current_meter().node,
            model=self.client.name,
            asked=self.prompt.name,
            version=self.prompt.version,
            messages=[*request.compared],
            reply=response.text,
            refused=refused,
            tokens=response.tokens,
            repeated=len(self.flaws),
            recorded=response.recorded,
        )
        metering.keep_exchange(exchange)

"""The tries for one answer: what is asked again and why, recorded replies that are asked for anew, windows that cut."""

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel

from readgraph.library.page_store import page_store
from readgraph.models import metering
from readgraph.models.calling import PromptTooLong
from readgraph.models.client import model_client
from readgraph.models.pictures import NOT_SEEN, PicturesRefused
from readgraph.models.prompt import Prompt, apply_own_words
from readgraph.models.replies import json_form
from readgraph.models.replies.plain_form import is_in_words, is_plain, parse_plain, plain_messages, take_whole_part
from readgraph.models.reply import FLAWED, MOST_REPEATED, TRIES, WITHHELD, Complaint, ModelReply, current_stand_in
from readgraph.models.requesting import AskedPrompt, PromptRequest
from readgraph.models.watching import Call
from readgraph.models.windows.tokens import fewest_tokens, likely_tokens
from readgraph.models.windows.window import TokenCounts
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, NoUsableReply
from readgraph.state.transports import price_share
from readgraph.state.words import first_words

CUT_PROMPT = "the server read only {:,} tokens of the prompt"
MOST_WITHHELD = 2  # how often a server may withhold its replies to a prompt: what its filter keeps back twice stays so


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
class PromptTries(AskedPrompt):
    """The tries for one answer: what is said of refused replies, and why they were refused."""

    complaint: Complaint[Any]
    reasons: list[str] = field(default_factory=list)
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
                    except json_form.ReplyRefusal as refusal:
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
            raise json_form.ReplyRefusal(CUT_PROMPT.format(response.tokens.sent), "prompt")
        answer = await self._parse(self._take_whole(response))
        if reason := self.complaint(answer):
            raise json_form.ReplyRefusal(reason, "content")
        metering.current_meter().pictures |= {picture.place: picture.parts for picture in self.prompt.pictures}
        self._keep_exchange(request, response)
        return answer

    async def _parse(self, text: str) -> Any:
        """The answer in the text of a whole reply."""
        reply, source, form = self.reply, self.prompt.source, self.client.form
        if current_stand_in() and (reply or text):
            return json_form.read_whole(text, reply) if reply else text
        if reply is None:
            return await json_form.in_thread_if_long(partial(json_form.plain_text, source=source), text)
        if is_plain(form, reply) or is_in_words(text, reply):
            return await json_form.in_thread_if_long(partial(parse_plain, reply=reply, source=source), text)
        return await json_form.read_reply(text, reply, source)

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
            raise json_form.ReplyRefusal(FLAWED.format(response.flaw), "flaw")
        if not response.cut:
            return response.text
        plain = self.reply if is_plain(self.client.form, self.reply) else None
        if not (whole := take_whole_part(response.text, plain) if plain else ""):
            raise json_form.ReplyRefusal(json_form.CUT_OFF, "cut")
        return whole

    def _refuse(self, request: PromptRequest, response: ModelReply, refusal: json_form.ReplyRefusal) -> None:
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

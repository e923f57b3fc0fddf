"""One request: its reply was recorded, or comes from a stand-in, a published run or the model, and is recorded."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydantic import BaseModel

from readgraph.library.page_store import PageStore
from readgraph.models import metering
from readgraph.models.call_identity import CallIdentity, identify_call
from readgraph.models.calling import call_model
from readgraph.models.client import ModelClient
from readgraph.models.failures.lines import name_server
from readgraph.models.pictures import TOKENS, PicturesRefused, messages_with_digests
from readgraph.models.prompt import Messages, Prompt
from readgraph.models.replies import json_form
from readgraph.models.reply import (
    AskedReply,
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
from readgraph.models.windows.tokens import likely_tokens
from readgraph.state.context import ReaderContext
from readgraph.state.errors import LibraryError, ModelUnavailable
from readgraph.state.reading import NO_TOKENS
from readgraph.state.records import digest
from readgraph.state.variables import await_server
from readgraph.state.words import count_words


class PromptRequest(NamedTuple):
    """What is sent for a prompt: its messages, with the refused replies, and the prompt as far as the window holds it.

    `words` of the messages; `left_out`: words that the window does not hold. A retry's prompt has no head.
    """

    key: str  # under which the reply is recorded
    messages: Messages
    words: int
    prompt: Prompt
    left_out: int

    @property
    def compared(self) -> Messages:
        """The messages with what the pictures show, by which replies are kept and compared."""
        return messages_with_digests(self.messages, self.prompt)


@dataclass
class AskedPrompt:
    """A prompt, of whom it is asked, and where its replies are recorded.

    `again`: refused replies, each with what was said of it. `flaws`: what the server did to replies that are asked for
    again. `anew`: replies of earlier runs are not used, and new ones take their places.
    """

    context: ReaderContext
    store: PageStore
    client: ModelClient
    prompt: Prompt
    reply: type[BaseModel] | None  # the type of the reply; None for a note
    again: Messages = field(default_factory=Messages, kw_only=True)
    flaws: list[Flaw] = field(default_factory=list, kw_only=True)
    anew: bool = field(default=False, kw_only=True)

    def within(self, window: int) -> PromptRequest:
        """The request for a window of so many tokens (0: any); raises `BadInput` if instructions alone don't fit."""
        added = [content for _, content in self.again]
        refused = sum(map(count_words, added))
        form = json_form.reply_instructions(self.reply) if self.reply else ""
        beside = likely_tokens("\n".join([*added, form])) + TOKENS * len(self.prompt.pictures) if window else 0
        most = self.context.window_words - refused - (count_words(form) if form else 0)
        fitted, words, left_out = self.client.window.fit(self.prompt, most, window, beside)
        messages = [*fitted.messages, *self.again]
        # Our own key: LangChain's includes timeouts and retries, so raising one would lose all recorded replies. It
        # holds how many replies to the same messages the server has withheld or damaged in this ask.
        schema = json_form.reply_schema(self.reply) if self.reply else None
        compared = messages_with_digests(messages, self.prompt)
        asked = [compared, schema, self.client.writes, self.client.server, self.context.reply_form, self.context.sample]
        key = digest([*asked, len(self.flaws)] if self.flaws else asked, length=40)
        prompt = replace(fitted, head=0) if self.again else fitted
        return PromptRequest(key, messages, words + refused, prompt, left_out)

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
                    with self._waiting_for_server(key):
                        response = await call_model(client, request.messages, self.reply, request.prompt, turns)
                await self._record(key, response)
                meter.asked.add(key)
                if turns:  # not before: what is paid for is kept first
                    await turns.settle(sum(response.tokens))
        call.tokens = response.tokens
        output_words = await json_form.in_thread_if_long(count_words, response.text)
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

    @contextmanager
    def _waiting_for_server(self, key: str) -> Iterator[None]:
        """Inside of the `with` the call is named to a batch, and whoever watches is told for what it waits."""
        client, document = self.client, metering.current_meter().document
        identity, server = CallIdentity(self.store, key, self.prompt.name, document), f"the {name_server(client)[4:]}"
        with identify_call(identity), await_server(server, client.most_seconds, client.retry_seconds):
            yield

    async def _record(self, key: str, response: ModelReply) -> None:
        name = self.prompt.name
        try:
            await self.store.put_reply(key, response.to_record(name, metering.current_meter().document))
        except LibraryError as problem:
            lost = f"The reply to '{name}' was not kept: it is asked for again."
            raise LibraryError(f"{problem} {lost}") from problem

"""The one place that talks to the model: notes as plain text, decisions as typed replies.

Tries, refusals, the reply cache, the budget, the limit on calls in flight, usage and progress live here, once
for every method.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from langgraph.runtime import Runtime
from pydantic import BaseModel

from readgraph.models.calling import ModelReply, call_model
from readgraph.models.clients import ModelClient, model_client
from readgraph.models.exchanges import ModelExchange, keep_exchange
from readgraph.models.json_replies import Refused, aside, plain_text, read_reply, reply_schema
from readgraph.models.metering import current_meter
from readgraph.models.plain_replies import is_plain, parse_plain
from readgraph.models.prompt import Messages, Prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.records import RecordedReply, digest
from readgraph.state.settings import ReplyForm
from readgraph.state.words import count_words, first_words

TRIES = 3

MOST_REPEATED = 100
"""Words of a refused reply, and of the complaint, that the next try shows: a runaway reply is not paid for again."""

Answer = TypeVar("Answer")
Reply = TypeVar("Reply", bound=BaseModel)


async def ask(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    reply: type[Reply],
    complaint: Callable[[Reply], str | None] = lambda reply: None,
) -> Reply:
    """Ask for a decision: a reply of the given type.

    `complaint` says what is wrong with a well-formed reply, or nothing. What can't be used is asked again with
    the reason, three tries in all. Raises `NoUsableReply` then, `BudgetSpent` where the budget allows no call,
    `ModelUnavailable` where the server can't be used.
    """

    async def usable(said: str, form: ReplyForm) -> Reply:
        plain = is_plain(form, reply)
        parsed = await aside(partial(parse_plain, reply=reply), said) if plain else await read_reply(said, reply)
        if reason := complaint(parsed):
            raise Refused(reason)
        return parsed

    return await _ask(runtime, prompt, reply, usable)


async def ask_text(
    runtime: Runtime[ReaderContext], prompt: Prompt, complaint: Callable[[str], str | None] = lambda text: None
) -> str:
    """Ask for a note: plain text, not empty. `complaint` and errors as in `ask`."""

    async def usable(said: str, form: ReplyForm) -> str:
        text = plain_text(said)
        if reason := complaint(text):
            raise Refused(reason)
        return text

    return await _ask(runtime, prompt, None, usable)


async def _ask(
    runtime: Runtime[ReaderContext],
    prompt: Prompt,
    reply: type[BaseModel] | None,
    usable: Callable[[str, ReplyForm], Awaitable[Answer]],
) -> Answer:
    client, store = await model_client(runtime.context), page_store(runtime)
    messages, reasons, keys = list(prompt.messages), list[str](), list[str]()
    for _ in range(TRIES):
        keys.append(_cache_key(runtime.context, client, messages, reply))
        said = await _cached_or_called(client, store, keys[-1], prompt, messages, reply)
        try:
            if said.cut and not is_plain(client.form, reply):
                raise Refused("the reply was cut off before its end; be shorter")
            answer = await usable(said.text, client.form)
        except Refused as refusal:
            reasons.append(str(refusal))
            current_meter().refuse(prompt.name, reasons[-1])
            _record(client, prompt, messages, said, reasons[-1])
        else:
            _record(client, prompt, messages, said, None)
            return answer
        shown, why = first_words(said.text, MOST_REPEATED), first_words(reasons[-1], MOST_REPEATED)
        messages += [("ai", shown), ("user", f"That can't be used: {why}. Reply again, as asked.")]
    # If they were kept, the refused replies would answer forever; now the next reading asks again.
    await store.forget_replies(keys)
    raise NoUsableReply(prompt.name, reasons)


def _record(client: ModelClient, prompt: Prompt, messages: Messages, said: ModelReply, refused: str | None) -> None:
    keep_exchange(
        lambda: ModelExchange(
            node=current_meter().node,
            model=client.name,
            asked=prompt.name,
            version=prompt.version,
            messages=list(messages),
            reply=said.text,
            refused=refused,
            tokens=said.tokens,
        )
    )


async def _cached_or_called(
    client: ModelClient,
    store: PageStore,
    key: str,
    prompt: Prompt,
    messages: Messages,
    reply: type[BaseModel] | None,
) -> ModelReply:
    """The recorded reply, else a new one: it counts as answered once it is committed."""
    meter = current_meter()
    async with client.asking.setdefault(key, asyncio.Lock()):
        if recorded := await store.reply(key):
            meter.recall()
            return ModelReply(recorded.said, recorded.cut, recorded.tokens)
        words = prompt.words + sum(count_words(content) for _, content in messages[2:])
        async with client.slots:
            meter.begin_call(words)
            said = await call_model(client, messages, reply)
        await store.put_reply(key, RecordedReply(said.text, said.cut, prompt.name, meter.document, said.tokens))
    meter.end_call(words, await aside(count_words, said.text), said.tokens)
    return said


def _cache_key(context: ReaderContext, client: ModelClient, messages: Messages, reply: type[BaseModel] | None) -> str:
    """Ours, not LangChain's: that one holds timeouts and retries, so raising one would pay for a book again."""
    asked: list[Any] = [messages, reply_schema(reply) if reply else None]
    return digest([*asked, client.name, client.server, context.reply_form, context.sample], length=40)

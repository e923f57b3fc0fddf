"""Model clients: one for each event loop, made from `PROVIDER:NAME`."""

import asyncio
import os
from dataclasses import dataclass, field
from typing import Any, cast
from weakref import WeakValueDictionary

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr, ValidationError

from readgraph.models.batches.batched_calls import BatchedCalls, calls_at_once, check_batch
from readgraph.models.clients.table_chat import table_chat
from readgraph.models.clients.text_settings import text_settings
from readgraph.models.functions import is_function, unknown_function
from readgraph.models.local.model_file import is_local
from readgraph.models.local.server import LocalServer, local_server
from readgraph.models.names.limits import Limits
from readgraph.models.names.named import Named, named_model, object_here
from readgraph.models.replies.replaying import published_replies
from readgraph.models.transport.environment import environment, without_secrets
from readgraph.models.transport.waiting import Hold
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.running.per_loop import PerLoop, close_client
from readgraph.state.settings import ReplyForm

FORMS: tuple[ReplyForm, ...] = ("json_schema", "function", "text")
"""Forms of a typed reply, the most reliable first. "plain" is not among them: it omits reasons and quotes, so it is
used only if the settings choose it."""

MB = 1_000_000

HOW_TO_NAME = "write PROVIDER:NAME, for example openai:gpt-4.1-mini."
HOW_TO_NAME_OWN = "write PROVIDER:NAME, or give it a table [models.{name}] in the settings file."


@dataclass
class ModelClient:
    """A chat model with what `asking` needs to know about it.

    `form` is the form of typed replies; if the server rejects it, a simpler one is used. `slots` limits the
    concurrent calls of all models of an event loop together. `timeout` and `retry_seconds` are the context's.
    `asking` holds a lock for each prompt that is being asked, so that the same prompt meanwhile waits and uses the
    recorded reply. `hold` is the pause that all calls share. `worked` are the forms in which the server has replied
    (None: notes). `writes`: what changes the text of its replies, as plain JSON. `ours`: we made the chat model, and
    close it. `own`: it is an object or a function of the caller's. `limits`: what it may be asked in a minute.
    `batches`: what makes its calls in batches, if they are.
    """

    name: str
    server: str
    chat: BaseChatModel
    form: ReplyForm
    slots: asyncio.Semaphore
    timeout: float
    retry_seconds: float
    asking: "WeakValueDictionary[str, asyncio.Lock]" = field(default_factory=WeakValueDictionary)
    hold: Hold = field(default_factory=Hold)
    worked: set[ReplyForm | None] = field(default_factory=set)
    writes: Any = ""
    ours: bool = True
    own: bool = False
    limits: Limits = field(default_factory=Limits)
    batches: BatchedCalls | None = None

    def took(self, form: ReplyForm | None) -> None:
        """Remember that the server replied in this form.

        If it is simpler than the current form, it is used from now on, unless the current form has worked before:
        then the server refused only a single request.
        """
        if form in FORMS and self.form in FORMS[: FORMS.index(form)] and self.form not in self.worked:
            self.form = form
        self.worked.add(form)


def simpler_form(form: ReplyForm) -> ReplyForm | None:
    """The next simpler reply form, or None."""
    return next(iter(FORMS[FORMS.index(form) + 1 :]), None) if form in FORMS else None


async def _close(clients: dict[Any, Any]) -> None:
    for client in clients.values():
        if isinstance(client, ModelClient) and client.batches:
            await client.batches.close()
        if isinstance(client, ModelClient) and client.ours:
            await close_client(client.chat)


_clients = PerLoop[dict[Any, Any]](dict, _close)


async def model_client(context: ReaderContext) -> ModelClient:
    """The running event loop's client for the context's model; a client of another loop would not work."""
    check_batch(context)
    clients = await _clients.here()
    if published_replies():
        return _replaying_client(context, clients)
    named = named_model(context.model)
    variables = named.table.variables if named and named.table else ()
    server = await asyncio.to_thread(local_server, context.model) if is_local(context.model) else None
    # Each of these runs one call at a time, and waiting calls would time out.
    at_once = 1 if server or (named and named.one_at_a_time) else calls_at_once(context)
    how = (context.timeout, context.retry_seconds, context.batch, context.max_reply_mb)
    identity = (context.model, context.reply_form, *how, at_once, environment(*variables), server, named)
    async with clients.setdefault(("making", identity), asyncio.Lock()):  # else each of many first calls makes one
        if identity not in clients:
            slots = clients.setdefault(at_once, asyncio.Semaphore(at_once))
            chat = await _chat(context, named, server)
            clients[identity] = await asyncio.to_thread(_client, context, chat, slots, named)
    client: ModelClient = clients[identity]
    return client


def _replaying_client(context: ReaderContext, clients: dict[Any, Any]) -> ModelClient:
    """A client for a model whose replies are published ones: it has no server, and is never called."""
    identity, at_once = ("replaying", context.model, context.reply_form), calls_at_once(context)
    if identity not in clients:
        form: ReplyForm = "plain" if is_function(context.model) else "json_schema"
        form = form if context.reply_form == "auto" else context.reply_form
        slots, nobody = asyncio.Semaphore(at_once), cast("BaseChatModel", None)
        clients[identity] = ModelClient(context.model, "", nobody, form, slots, 0, 0, ours=False)
    client: ModelClient = clients[identity]
    return client


async def _chat(context: ReaderContext, named: Named | None, server: LocalServer | None) -> BaseChatModel:
    if named and named.table:
        return await asyncio.to_thread(
            table_chat, context.model, named.table, context.timeout, context.max_reply_mb * MB
        )
    if named:
        made: BaseChatModel = await object_here(context.model, named, BaseChatModel)
        return made
    # In a thread, since imports and certificates are read from disk.
    return await asyncio.to_thread(_chat_model, context, server)


def _client(context: ReaderContext, chat: BaseChatModel, slots: asyncio.Semaphore, named: Named | None) -> ModelClient:
    sdk = getattr(chat, "root_async_client", None)  # OpenAI's, also for servers that speak its protocol
    form: ReplyForm = context.reply_form
    if form == "auto":
        form = "json_schema" if sdk else "plain" if is_function(context.model) else "function"
    # A local model has another port in each run, and its replies don't depend on that.
    address = without_secrets(str(sdk.base_url)) if sdk and not is_local(context.model) else ""
    if table := named and named.table:
        address = address or without_secrets(table.base_url)
    batches = _batches(context, address, chat)
    return ModelClient(
        context.model,
        address,
        chat,
        form,
        slots,
        context.timeout,
        context.retry_seconds,
        writes=_writes(context.model, chat, named),
        ours=not named or bool(named.table or named.function),
        own=bool(named and not named.table),
        limits=named.limits if named and not batches else Limits(),  # a batch has limits of its own
        batches=batches,
    )


def _batches(context: ReaderContext, server: str, chat: Any) -> BatchedCalls | None:
    """What makes the calls in batches; `check_batch` has made sure that the chat model is one of ours."""
    if not context.batch:
        return None
    return BatchedCalls(context.model, server, chat, context.timeout, context.retry_seconds)


def _writes(name: str, chat: BaseChatModel, named: Named | None) -> Any:
    if named and named.table:
        settings = named.table.text_settings
        return [named.table.full_name, settings] if settings else named.table.full_name
    return text_settings(name, chat) if named and not named.function else name


def _chat_model(context: ReaderContext, server: LocalServer | None) -> BaseChatModel:
    if server:
        return _local_model(context, server)
    if is_function(context.model):
        raise unknown_function(context.model)
    provider, _, name = context.model.partition(":")
    if not name:
        raise BadInput(f"'{context.model}' is not the name of a model: {HOW_TO_NAME_OWN.format(name=context.model)}")
    # Our own retries are bounded and counted; the client's retries would multiply them.
    settings: dict[str, Any] = {"timeout": context.timeout, "max_retries": 0}
    if provider == "openai":
        return _openai_model(name, settings, context.max_reply_mb * MB)
    from langchain.chat_models import init_chat_model

    try:
        chat: BaseChatModel = init_chat_model(context.model, **settings)
        if hasattr(chat, "stream_usage"):  # tokens are counted in streams too
            chat.stream_usage = True
        return chat
    except ImportError as problem:
        raise BadInput(f"The provider '{provider}' needs a package that is not installed: {problem}") from None
    except Exception as problem:  # each provider's package raises its own
        if isinstance(problem, ValueError) and not isinstance(problem, ValidationError):
            raise BadInput(f"'{provider}' is not a known provider: {HOW_TO_NAME}") from None
        raise ModelUnavailable(f"{provider} can't be set up: set its key in the environment.") from None


def _local_model(context: ReaderContext, server: LocalServer) -> BaseChatModel:
    from readgraph.models.transport.bounded_client import bounded_client
    from readgraph.models.transport.openai_chat import InLoopChatOpenAI

    most = context.max_reply_mb * MB
    client = bounded_client(context.timeout, most, trust_env=False)  # without the environment's proxies
    return InLoopChatOpenAI(
        model=context.model,
        base_url=server.url,
        api_key=SecretStr(server.key),
        http_async_client=client,
        timeout=context.timeout,
        max_retries=0,
    )


def _openai_model(name: str, settings: dict[str, Any], most_bytes: int) -> BaseChatModel:
    from openai import OpenAIError

    from readgraph.models.transport.bounded_client import bounded_client
    from readgraph.models.transport.openai_chat import InLoopChatOpenAI

    key = os.environ.get("OPENAI_API_KEY", "")
    if not key.isascii():
        raise BadInput("OPENAI_API_KEY holds characters that no key has: copy it again.")
    if not key:
        if not os.environ.get("OPENAI_BASE_URL"):
            raise ModelUnavailable(
                "There is no key for openai: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."
            )
        settings["api_key"] = "none"  # your own server needs no key, but the client does
    try:
        client = bounded_client(settings["timeout"], most_bytes)
        return InLoopChatOpenAI(model=name, http_async_client=client, **settings)
    except (OpenAIError, ValueError) as problem:
        what = f"{type(problem).__name__}: check its name, and OPENAI_BASE_URL"
        raise BadInput(f"The model '{name}' can't be set up: {what}.") from None

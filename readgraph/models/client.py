"""Model clients: one for each event loop, known by settings and environment."""

import asyncio
import os
import re
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, cast
from weakref import WeakKeyDictionary, WeakValueDictionary

from langchain_core.language_models import BaseChatModel

from readgraph.models.chat_models import make_chat
from readgraph.models.names import ModelEntry, check_transport, find_model_entry, get_loop_object, is_function
from readgraph.models.openai.address import through_proxy, without_secrets
from readgraph.models.own.tables import Limits
from readgraph.models.reply import BROKEN_OFF, ModelReply, StandIn, current_stand_in, replies_to_replay
from readgraph.models.waiting import CallsInFlight, SharedPause
from readgraph.models.windows.told import Told
from readgraph.models.windows.window import ModelWindow
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from readgraph.state.loops import PerLoop, close_client
from readgraph.state.providers import ModelServer, describe_writer, find_leaves, find_provider
from readgraph.state.settings import ReplyForm
from readgraph.state.transports import CallSender, calls_at_once, transport_of
from readgraph.state.variables import awaiting

FORM_FIRST: tuple[str, ...] = ("api.openai.com", "openai.azure.com")
"""Hosts whose caches count the schema of a reply as the beginning of a prompt. All do so with functions; where a server
only lets the schema decide what may be written, as llama.cpp and vLLM do, the prompt begins with its messages."""

FORMS: tuple[ReplyForm, ...] = ("json_schema", "function", "text")
"""Forms of a typed reply, the most reliable first. "plain" is not among them: it omits reasons and quotes, so it is
used only if the settings choose it."""


@dataclass
class ModelClient:
    """A chat model with what `asking` needs to know about it."""

    name: str
    server: str
    chat: BaseChatModel
    form: ReplyForm  # of typed replies; if the server rejects it, a simpler one is used
    slots: asyncio.Semaphore  # limits the concurrent calls of all models of an event loop together
    timeout: float
    retry_seconds: float
    # a lock for each prompt that is being asked, so that the same prompt meanwhile uses the recorded reply
    asking: "WeakValueDictionary[str, asyncio.Lock]" = field(default_factory=WeakValueDictionary)
    hold: SharedPause = field(default_factory=SharedPause)  # the pause that all calls share
    in_flight: CallsInFlight = field(default_factory=lambda: CallsInFlight(1))
    worked: set[ReplyForm | None] = field(default_factory=set)  # the forms that the server has replied in (None: notes)
    writes: Any = ""  # what changes the text of its replies, as plain JSON
    ours: bool = True  # we made the chat model, and close it
    own: bool = False  # it is an object or a function of the caller's
    process: ModelServer | None = None  # what runs it on this machine, if a package does
    limits: Limits | None = None  # what it may be asked in a minute
    sender: CallSender | None = None  # what sends its calls, if a transport does
    forms_come_first: bool = False  # its cache sees the form of a reply before the messages
    marks_heads: bool = False  # its cache keeps what is marked
    names_endings: bool = False  # its server has said how a note ended
    window: ModelWindow = field(default_factory=ModelWindow)
    thinking: str | None = ""  # how it thinks; None: that is to be seen in its replies
    refuses_pictures: bool = False  # its server has refused some, or it is a function of texts

    @cached_property
    def place(self) -> str:
        """Where its server is, and through which proxy; "" if that is not known. It is found once for a client."""
        return f" at {self.server}{through_proxy(self.server)}" if self.server else ""

    def awaited(self) -> AbstractContextManager[None]:
        """Inside of the `with`, whoever watches is told that its server is waited for."""
        return awaiting(f"the model server{self.place}", self.most_seconds, self.retry_seconds)

    @property
    def is_here(self) -> bool:
        """Whether no server is asked: the model runs on this machine, or is a function."""
        return self.process is not None or is_function(self.name)

    @property
    def most_seconds(self) -> float | None:
        """How long a call may take; None: as long as its transport does."""
        return None if self.sender else self.timeout

    def check_ending(self, note: ModelReply) -> ModelReply:
        """The note, without its text where the server, which has said how others ended, doesn't say it of this one."""
        if self.names_endings and not (note.ending or note.flaw):
            return replace(note, text="", flaw=BROKEN_OFF)
        self.names_endings |= bool(note.ending)
        return note

    def remember_form(self, form: ReplyForm | None) -> None:
        """Remember that the server replied in this form, which is used from now on unless a better one has worked."""
        if form in FORMS and self.form in FORMS[: FORMS.index(form)] and self.form not in self.worked:
            self.form = form
        self.worked.add(form)


def simpler_form(form: ReplyForm) -> ReplyForm | None:
    """The next simpler reply form, or None."""
    return next(iter(FORMS[FORMS.index(form) + 1 :]), None) if form in FORMS else None


_READ_VARIABLES = re.compile(
    "KEY|TOKEN|SECRET|CREDENTIAL|PROFILE|REGION|PROJECT|URL|BASE|ENDPOINT|HOST|PROXY|API_VERSION", re.I
)


def environment(*more: str) -> int:
    """A hash, which shows no key, of `more` variables and those that providers' packages may read, by their words."""
    return hash(tuple((name, os.environ.get(name)) for name in os.environ if name in more or _is_read(name)))


@cache
def _is_read(name: str) -> bool:
    return bool(_READ_VARIABLES.search(name))


async def _close(clients: dict[Any, Any]) -> None:
    for client in clients.values():
        if isinstance(client, ModelClient) and client.sender:
            await client.sender.close()
        if isinstance(client, ModelClient) and client.ours:
            await close_client(client.chat)


_clients = PerLoop[dict[Any, Any]](dict, _close)


async def model_client(context: ReaderContext) -> ModelClient:
    """The running event loop's client for the context's model; a client of another loop would not work."""
    check_transport(context)
    clients = await _clients.current_value()
    if (replayed := replies_to_replay()) and not replayed.kept_first:
        return _client_for_replay(context, clients)
    if stand_in := current_stand_in():
        return await _client_for_stand_in(context, clients, stand_in)
    return await _find_or_make_client(context, clients)


async def _find_or_make_client(context: ReaderContext, clients: dict[Any, Any]) -> ModelClient:
    named = find_model_entry(context.model)
    variables = named.table.variables if named and named.table else ()
    provider = find_provider(context.model)
    server = await asyncio.to_thread(provider.serve, context.model) if provider else None
    # Each of these runs one call at a time, and waiting calls would time out.
    at_once = 1 if server or (named and named.one_at_a_time) else calls_at_once(context)
    how = (context.timeout, context.retry_seconds, transport_of(context), context.max_reply_mb)
    identity: tuple[Any, ...] = (
        str(context.model),
        context.reply_form,
        *how,
        at_once,
        environment(*variables),
        server,
        named,
    )
    slots = clients.setdefault(at_once, asyncio.Semaphore(at_once))
    if named and named.given is not None:  # what is made of an object lasts as long as its name
        clients = clients.setdefault("given", WeakKeyDictionary()).setdefault(named, {})
        identity = identity[:-1]
    async with clients.setdefault(("making", identity), asyncio.Lock()):  # else each of many first calls makes one
        if identity not in clients:
            if named and not named.table:
                chat: BaseChatModel = await get_loop_object(context.model, named, BaseChatModel)
            else:
                chat = await asyncio.to_thread(make_chat, context, named.table if named else None, server)
            clients[identity] = await asyncio.to_thread(_client, context, chat, slots, named, server)
            clients[identity].in_flight = CallsInFlight(at_once)
    client: ModelClient = clients[identity]
    return client


async def is_known_to_see(context: ReaderContext) -> bool:
    """Whether the context's model is known to take pictures: LangChain's package for it says so."""
    if (replayed := replies_to_replay()) and not replayed.kept_first:  # its settings say so, if there were any
        return False
    try:
        client = await _find_or_make_client(context, await _clients.current_value())
    except ReadgraphError:
        return False
    profiles = [getattr(leaf, "profile", None) or {} for leaf in find_leaves(client.chat)]
    return not client.refuses_pictures and all(profile.get("image_inputs") for profile in profiles)


async def _client_for_stand_in(context: ReaderContext, clients: dict[Any, Any], stand_in: StandIn) -> ModelClient:
    """A client that is never called; where replies are kept, they are found by what the model's own would be.

    Without a key, or a package, that one can't be made, and no kept reply is found.
    """
    client = replace(_client_for_replay(context, clients), window=ModelWindow(told=Told()))
    if not stand_in.finds_kept or find_provider(context.model):
        return client
    try:
        own = await _find_or_make_client(context, clients)
    except ReadgraphError:
        return client
    return replace(client, server=own.server, writes=own.writes)


def _client_for_replay(context: ReaderContext, clients: dict[Any, Any]) -> ModelClient:
    """A client that is never called, since the replies of its model are published ones."""
    identity, at_once = ("replaying", context.model, context.reply_form), calls_at_once(context)
    if identity not in clients:
        form: ReplyForm = "plain" if is_function(context.model) else "json_schema"
        form = form if context.reply_form == "auto" else context.reply_form
        slots, nobody = asyncio.Semaphore(at_once), cast("BaseChatModel", None)
        clients[identity] = ModelClient(context.model, "", nobody, form, slots, 0, 0, ours=False)
        clients[identity].refuses_pictures = is_function(context.model)
    client: ModelClient = clients[identity]
    return client


def _client(
    context: ReaderContext,
    chat: BaseChatModel,
    slots: asyncio.Semaphore,
    named: ModelEntry | None,
    server: ModelServer | None,
) -> ModelClient:
    leaves = [*find_leaves(chat)]
    sdks = [getattr(leaf, "root_async_client", None) for leaf in leaves]  # OpenAI's, also for others with its protocol
    form: ReplyForm = context.reply_form
    if automatic := form == "auto":
        form = "json_schema" if all(sdks) else "plain" if is_function(context.model) else "function"
    # A local model has another port in each run, and its replies don't depend on that.
    told = [without_secrets(str(sdk.base_url)) for sdk in sdks if sdk and not server]
    table = named.table if named else None
    address = " or ".join(dict.fromkeys(told)) or (without_secrets(table.base_url) if table else "")
    first = form == "function" or (form == "json_schema" and any(host in address for host in FORM_FIRST))
    transport = transport_of(context)
    sender = transport.open(context, address, chat) if transport else None
    return ModelClient(
        str(context.model),
        address,
        chat,
        form,
        slots,
        context.timeout,
        context.retry_seconds,
        writes=_describe_writer(context, chat, named),
        ours=not named or bool(table or named.function),
        own=bool(named and not table),
        process=server,
        limits=named.limits if named and not sender else None,  # a transport has limits of its own
        sender=sender,
        forms_come_first=first and automatic and not sender,
        marks_heads=all(type(leaf).__module__.startswith("langchain_anthropic") for leaf in leaves),
        window=ModelWindow(str(context.model), address, leaves[0]),
        refuses_pictures=is_function(str(context.model)),
    )


def _describe_writer(context: ReaderContext, chat: BaseChatModel, named: ModelEntry | None) -> Any:
    """What changes the text of a model's replies, as plain JSON: its name, and its settings where these are known."""
    if not named or named.function:
        return context.model
    if table := named.table:
        return [table.full_name, table.text_settings] if table.text_settings else table.full_name
    return describe_writer(chat, context.model)

"""What a model's name stands for: an object of the caller's, one for each event loop, or a table `[models.NAME]`.

An object may be a model inside of `with_fallbacks`, `with_retry` and `bind`: what is changed of it, is changed inside.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary, finalize

from langchain_core.embeddings import Embeddings
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.fallbacks import RunnableWithFallbacks

from readgraph.models.own.tables import NAME, Limits, ModelTable, how_to_name, model_table
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.installed import of_kind
from readgraph.state.loops import PerLoop, close_client
from readgraph.state.providers import GivenModel, find_leaves, find_provider, providers
from readgraph.state.settings import EXAMPLE_MODEL
from readgraph.state.transports import transport_of, transports

if TYPE_CHECKING:  # what only a model needs is imported when one is asked
    from langchain_core.language_models import BaseChatModel

FUNCTION = "function:"
HOW_TO_NAME = f"write PROVIDER:NAME, for example {EXAMPLE_MODEL}."
Factory = Callable[[], Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelEntry:
    """What a name stands for; each registration is another one, also under the same name."""

    factory: Factory = dict
    limits: Limits | None = None
    window_words: int | None = None
    price: str = ""
    given: Any = None  # the object that a setting was given; then there is no factory
    one_at_a_time: bool = False  # the object serves one call after the other
    function: Callable[..., Any] | None = None  # what it is made of, if that is a function
    table: ModelTable | None = None  # of the settings file: there is no factory, since we make the client ourselves


_models: dict[str, ModelEntry] = {}
_embeddings: dict[str, ModelEntry] = {}


def register_model(
    name: str,
    factory: "Callable[[], BaseChatModel | Awaitable[BaseChatModel]]",
    *,
    window_words: int | None = None,
    price: str = "",
    requests_per_minute: int | None = None,
    tokens_per_minute: int | None = None,
) -> str:
    """Let a name stand for a chat model of LangChain; it then serves wherever a model's name does in this process.

    The object is used as it is: its headers, callbacks, keys and limiters. A second registration replaces the first at
    once.

    Args:
        name: Letters, digits, "_", "-" and "."; not "local".
        factory: Makes the model: called without arguments, or awaited if it is a coroutine, once in each event loop,
            inside that loop. What it raises is not wrapped.
        window_words: Bounds prompts.
        price: Dollars per million tokens, IN/OUT.
        requests_per_minute: Holds across all processes of one library.
        tokens_per_minute: Likewise.

    Returns:
        The name.

    Raises:
        BadInput: For a name that can't be used.
    """
    limits = Limits(requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute)
    check_name(name, factory)
    _models[name] = ModelEntry(factory=factory, limits=limits, window_words=window_words, price=price)
    return name


def register_embeddings(name: str, factory: "Callable[[], Embeddings | Awaitable[Embeddings]]") -> str:
    """Let a name stand for an embedding model of LangChain, as `register_model` does for chat models.

    An index of vectors is known by the name: give another embedding model another name.
    """
    check_name(name, factory)
    _embeddings[name] = ModelEntry(factory=factory)
    return name


def name_function(name: str, function: Callable[..., Any], chat: Factory, embeddings: Factory) -> None:
    """Let a name stand for a function, which serves as a chat model and as an embedding model."""
    _models[name] = ModelEntry(factory=chat, one_at_a_time=True, function=function)
    _embeddings[name] = ModelEntry(factory=embeddings, function=function)


def find_model_entry(name: str) -> ModelEntry | None:
    """What a model's name stands for: an object of this process, else a table of the settings file; None: neither."""
    if isinstance(name, GivenModel):
        return _entry_of_given(name)
    if name in _models:
        return _models[name]
    if ":" in name or not name:
        return None
    table = model_table(name)
    return _of_table(table) if table else None


@lru_cache(64)
def _of_table(table: ModelTable) -> ModelEntry:
    return ModelEntry(table=table, limits=table.limits, window_words=table.window_words, price=table.price)


def find_embeddings_entry(name: str) -> ModelEntry | None:
    """What an embedding model's name stands for in this process; None for any other name."""
    if isinstance(name, GivenModel):
        return _entry_of_given(name)
    return _embeddings.get(name)


def _entry_of_given(name: GivenModel) -> ModelEntry:
    """The entry of a model that was given as an object: it lasts as long as the name."""
    if name.entry is None:
        name.entry = ModelEntry(given=name.given)
    entry: ModelEntry = name.entry
    return entry


def context_for(settings: Mapping[str, Any]) -> ReaderContext:
    """The context of these settings; sizes that are left out fit the models. Raises `BadInput`."""
    asking = ("model", "reading_model", *transports())
    models = ReaderContext(**{name: settings[name] for name in asking if name in settings})
    check_transport(models)
    both = (models.model, models.reading_model)
    windows = [named.window_words for model in both if (named := find_model_entry(model)) and named.window_words]
    smallest = {"window_words": min(windows)} if windows else {}
    return ReaderContext(**{**_fitting_settings(*both), **smallest, **settings})


def _fitting_settings(*models: str) -> dict[str, Any]:
    """The settings with which prompts fit those of the models that run on this machine."""
    fitting = dict[str, Any]()
    for provider in providers().values():
        if served := [model for model in models if find_provider(model) is provider]:
            fitting |= of_kind(dict, provider.settings(*served), f"What offers the models '{provider.name}'")
    return fitting


def check_transport(context: ReaderContext) -> None:
    """Raise `BadInput` where calls are to be sent in a way in which a model of the context can't be asked."""
    if transport := transport_of(context):
        transport.check(context)


def within_window(context: ReaderContext) -> ReaderContext:
    """The context with prompts no longer than what its model's name says that the model holds."""
    named = find_model_entry(context.model)
    if named and named.window_words and named.window_words < context.window_words:
        return replace(context, window_words=named.window_words)
    return context


def check_name(name: str, factory: object) -> None:
    """Refuse what can't be registered."""
    if not isinstance(name, str) or not NAME.fullmatch(name) or name in providers():
        raise BadInput(f"{name!r:.60} can't be a model's name: {how_to_name()}.")
    if not callable(factory):
        raise BadInput(f"The model '{name}' needs a factory: a function without arguments that makes the model.")


Dropped: TypeAlias = list[tuple[Any, Any]]  # copies of given objects that no setting names any more, with these
Made: TypeAlias = "tuple[asyncio.Lock, WeakKeyDictionary[ModelEntry, Any], Dropped]"


async def _forget_objects(made: Made) -> None:
    """The caller's objects are the caller's to close; the connections of our copies are ours."""
    _, objects, dropped = made
    dropped += [(model, named.given) for named, model in objects.items() if named.given is not None]
    objects.clear()
    await _close_dropped(dropped)


async def _close_dropped(dropped: Dropped) -> None:
    while dropped:
        await close_copies(*dropped.pop())


_made = PerLoop[Made](lambda: (asyncio.Lock(), WeakKeyDictionary(), []), _forget_objects)


async def get_loop_object(name: str, named: ModelEntry, kind: type[Any]) -> Any:
    """The running event loop's object; raises `BadInput` if the factory makes something else than `kind`."""
    making, objects, dropped = await _made.current_value()
    async with making:
        await _close_dropped(dropped)
        if named not in objects:
            instance = named.factory() if named.given is None else copy_for_loop(named.given)
            instance = await instance if inspect.isawaitable(instance) else instance
            if not all(isinstance(leaf, kind) for leaf in find_leaves(instance)):
                raise BadInput(
                    f"The factory of '{name}' made {type(instance).__name__}, not a {kind.__name__} of LangChain: "
                    "let it return one."
                )
            objects[named] = instance
            if named.given is not None:
                finalize(named, dropped.append, (instance, named.given)).atexit = False
    return objects[named]


def is_function(model: str) -> bool:
    """Whether a model's name stands for a function."""
    return model.startswith(FUNCTION)


def unknown_function(name: str) -> BadInput:
    """The error for the name of a function that this process does not have."""
    return BadInput(f"This process has no function with the name '{name}': give the function itself again.")


def rebuild(given: Any, change: Callable[[Any], Any]) -> Any:
    """The same object with each of its models changed."""
    if isinstance(given, RunnableBindingBase):
        return given.model_copy(update={"bound": rebuild(given.bound, change)})
    if isinstance(given, RunnableWithFallbacks):
        others = [rebuild(fallback, change) for fallback in given.fallbacks]
        return given.model_copy(update={"runnable": rebuild(given.runnable, change), "fallbacks": others})
    return change(given)


def name_at_models(given: Any, config: RunnableConfig) -> tuple[Any, RunnableConfig]:
    """The object and its run's configuration, with the run's name at its models instead of at what is around them.

    LangGraph streams what a chain gives that has the name of a node, which prompts and nodes may share.
    """
    if next(find_leaves(given)) is given:
        return given, config
    unnamed = config.copy()
    name = unnamed.pop("run_name", None)
    return rebuild(given, lambda model: model.with_config(run_name=name)), unnamed


def extra_body_of(given: Any) -> dict[str, Any]:
    """What an object of the caller's sends beside OpenAI's own fields, which a call's would replace."""
    if isinstance(given, RunnableBindingBase):
        return extra_body_of(given.bound) | (given.kwargs.get("extra_body") or {})
    return getattr(next(find_leaves(given)), "extra_body", None) or {}


def copy_for_loop(given: Any) -> Any:
    """The same object for one event loop: clients of OpenAI's SDK keep connections, which belong to one."""
    return rebuild(given, _with_own_connections)


def _with_own_connections(model: Any) -> Any:
    resource = getattr(model, "async_client", None)
    sdk: Any = getattr(model, "root_async_client", None) or getattr(resource, "_client", None)
    if getattr(model, "http_async_client", "") is not None or not hasattr(sdk, "copy"):
        return model
    from openai import DefaultAsyncHttpxClient

    client = DefaultAsyncHttpxClient(timeout=sdk.timeout)
    own, sdk = model.model_copy(update={"http_async_client": client}), sdk.copy(http_client=client)
    own.async_client = sdk.embeddings if isinstance(model, Embeddings) else sdk.chat.completions
    if hasattr(model, "root_async_client"):
        own.root_async_client = sdk
    return own


async def close_copies(copied: Any, given: Any) -> None:
    """Close the connections that `copy_for_loop` made; the object's own are its owner's to close."""
    for own, model in zip(find_leaves(copied), find_leaves(given), strict=True):
        if own is not model:
            await close_client(own)

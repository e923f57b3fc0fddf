"""Names that stand for objects: a chat model or an embedding model of the caller's own, by a name without a colon.

The settings hold the name, so that they stay plain JSON; the object is made by a factory, once in each event loop that
uses it, since clients with open connections work only in the loop that opened them.
"""

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel

from readgraph.models.names.limits import Limits
from readgraph.models.names.model_table import ModelTable, model_table
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.running.per_loop import PerLoop

Factory = Callable[[], Any]

_NAME = re.compile(r"[\w.-]+")
RESERVED = ("local",)
"""Names without a colon that mean something already."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Named:
    """What a name stands for; each registration is another one, also under the same name.

    `one_at_a_time`: the object serves one call after the other. `function` or `table`: what it is made of, if that is a
    function, or a table of the settings file (which has no factory, since we make the client ourselves).
    """

    factory: Factory = dict
    limits: Limits = field(default_factory=Limits)
    window_words: int | None = None
    price: str = ""
    one_at_a_time: bool = False
    function: Callable[..., Any] | None = None
    table: ModelTable | None = None


_models: dict[str, Named] = {}
_embeddings: dict[str, Named] = {}


def register_model(
    name: str,
    factory: Callable[[], BaseChatModel | Awaitable[BaseChatModel]],
    *,
    window_words: int | None = None,
    price: str = "",
    requests_per_minute: int | None = None,
    tokens_per_minute: int | None = None,
) -> str:
    """Let a name stand for a chat model of LangChain; it then serves wherever a model's name does in this process.

    `factory` is called without arguments, or awaited if it is a coroutine, once in each event loop, inside that loop;
    what it raises is not wrapped. The object is used as it is: its headers, callbacks, keys and limiters.
    `window_words` bounds prompts, `price` is dollars per million tokens IN/OUT, and the two limits hold across all
    processes of one library. A second registration replaces the first at once. Returns the name. Raises `BadInput` for
    a name that can't be used: it may have letters, digits, "_", "-" and ".", and is not "local".
    """
    limits = Limits(requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute)
    check_name(name, factory)
    _models[name] = Named(factory=factory, limits=limits, window_words=window_words, price=price)
    return name


def register_embeddings(name: str, factory: Callable[[], Embeddings | Awaitable[Embeddings]]) -> str:
    """Let a name stand for an embedding model of LangChain, as `register_model` does for chat models.

    An index of vectors is known by the name: give another embedding model another name.
    """
    check_name(name, factory)
    _embeddings[name] = Named(factory=factory)
    return name


def name_function(name: str, function: Callable[..., Any], chat: Factory, embeddings: Factory) -> None:
    """Let a name stand for a function, which serves as a chat model and as an embedding model."""
    _models[name] = Named(factory=chat, one_at_a_time=True, function=function)
    _embeddings[name] = Named(factory=embeddings, function=function)


def named_model(name: str) -> Named | None:
    """What a model's name stands for: an object of this process, else a table of the settings file; None: neither."""
    if name in _models:
        return _models[name]
    table = model_table(name)
    return _of_table(table) if table else None


@lru_cache(64)
def _of_table(table: ModelTable) -> Named:
    return Named(table=table, limits=table.limits, window_words=table.window_words, price=table.price)


def named_embeddings(name: str) -> Named | None:
    """What an embedding model's name stands for in this process; None for any other name."""
    return _embeddings.get(name)


def named_settings(*models: str) -> dict[str, Any]:
    """The settings with which prompts fit the smallest window that is known of these models by their names."""
    windows = [named.window_words for model in models if (named := named_model(model)) and named.window_words]
    return {"window_words": min(windows)} if windows else {}


def within_window(context: ReaderContext) -> ReaderContext:
    """The context with prompts no longer than what its model's name says that the model holds."""
    named = named_model(context.model)
    if named and named.window_words and named.window_words < context.window_words:
        return replace(context, window_words=named.window_words)
    return context


def check_name(name: str, factory: object) -> None:
    """Refuse what can't be registered."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name in RESERVED:
        raise BadInput(f"{name!r:.60} can't be a model's name: use letters, digits, _, - and . (but not 'local').")
    if not callable(factory):
        raise BadInput(f"The model '{name}' needs a factory: a function without arguments that makes the model.")


@dataclass
class _Made:
    """The objects of one event loop, by what they were made for."""

    making: asyncio.Lock = field(default_factory=asyncio.Lock)
    objects: dict[Hashable, Any] = field(default_factory=dict)


async def _let_go(made: _Made) -> None:
    """The caller's objects are the caller's to close."""
    made.objects.clear()


_made = PerLoop(_Made, _let_go)


async def object_here(name: str, named: Named, kind: type[Any]) -> Any:
    """The running event loop's object; raises `BadInput` if the factory makes something else than `kind`."""
    here = await _made.here()
    async with here.making:
        if named not in here.objects:
            made = named.factory()
            made = await made if inspect.isawaitable(made) else made
            if not isinstance(made, kind):
                raise BadInput(
                    f"The factory of '{name}' made {type(made).__name__}, not a {kind.__name__} of LangChain: "
                    "let it return one."
                )
            here.objects[named] = made
    return here.objects[named]

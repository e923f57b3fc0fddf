"""A caller's own model as it is called: its parts changed inside of `with_fallbacks`, `with_retry` and `bind`."""

from collections.abc import Callable
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.fallbacks import RunnableWithFallbacks

from readgraph.state.loops import close_client
from readgraph.state.providers import find_leaves


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

"""A plain function as a node: it becomes a step, so that the trajectory shows it as it shows the others."""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any, TypeAlias

from langchain_core.runnables import Runnable
from langgraph.config import get_config
from langgraph.runtime import Runtime

from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

Node: TypeAlias = Runnable[Any, Any] | Callable[..., Any]
"""What can be a node: one of ours, another runnable, or a function or coroutine `(state, runtime) -> update`."""

OFFERED: dict[str, Callable[[Runtime[ReaderContext]], Any]] = {
    "runtime": lambda runtime: runtime,
    "config": lambda runtime: get_config(),
    "store": lambda runtime: runtime.store,
    "writer": lambda runtime: runtime.stream_writer,
}
"""What a function gets beside the state where a parameter has this name, as LangGraph's own nodes do."""


def as_node(name: str, node: Node) -> Runnable[Any, Any]:
    """A function or coroutine becomes a step of this name; what is a runnable stays as it is.

    It takes the state, then the runtime if it wants it, or by their names what LangGraph offers. A function that is no
    coroutine runs in a thread, so it may block. Raises `BadInput` for what can't be a node.
    """
    if isinstance(node, Runnable):
        return node
    if not callable(node) or isinstance(node, type):
        what = "None" if node is None else f"'{getattr(node, '__name__', type(node).__name__)}'"
        raise BadInput(f"The node '{name}' can't be {what}: give a step, a function or a coroutine.")
    wanted = _wanted(name, node)

    @wraps(node)
    async def work(state: Any, runtime: Runtime[ReaderContext]) -> Mapping[str, Any]:
        given = {parameter: OFFERED[thing](runtime) for parameter, thing in wanted.items()}
        said = partial(node, state, **given)
        update = await said() if inspect.iscoroutinefunction(node) else await asyncio.to_thread(said)
        if not isinstance(update, Mapping | None):
            raise BadInput(f"The node '{name}' must return what changed, a dictionary: it returned {update!r:.60}.")
        return update or {}

    return StepNode(work)


def _wanted(name: str, function: Callable[..., Any]) -> dict[str, str]:
    """What a function wants beside the state, by its parameters; the second is the runtime, whatever its name."""
    signature = inspect.signature(function)
    wanted = {}
    for place, parameter in enumerate([*signature.parameters.values()][1:]):
        if parameter.name in OFFERED:
            wanted[parameter.name] = parameter.name
        elif place == 0 and parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is parameter.empty:
            wanted[parameter.name] = "runtime"
    try:
        signature.bind({}, **wanted)
    except TypeError:
        parameters = ", ".join(signature.parameters)
        raise BadInput(
            f"The node '{name}' takes ({parameters}): it can be given (state), (state, runtime), or by name "
            f"{', '.join(OFFERED)}."
        ) from None
    return wanted

"""A plain function as a node: it becomes a step, so that the trajectory shows it like any other."""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime

from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

OFFERED: dict[str, Callable[[Runtime[ReaderContext]], Any]] = {
    "runtime": lambda runtime: runtime,
    "config": lambda runtime: get_config(),
    "store": lambda runtime: runtime.store,
    "writer": lambda runtime: runtime.stream_writer,
}
"""What a function gets, besides the state, for parameters with these names, as in LangGraph's own nodes."""


def step_of_function(name: str, node: Callable[..., Any]) -> StepNode[Any, Any]:
    """Make a function or coroutine a step with this name.

    The function takes the state, then optionally the runtime, or by name what LangGraph offers. A function that is not
    a coroutine runs in a thread, so it may block. Raises `BadInput` for anything that can't be a node.
    """
    if not callable(node) or isinstance(node, type):
        what = "None" if node is None else f"'{getattr(node, '__name__', type(node).__name__)}'"
        raise BadInput(f"The node '{name}' can't be {what}: give a step, a function or a coroutine.")
    parameters = _parameters(name, node)

    @wraps(node)
    async def work(state: Any, runtime: Runtime[ReaderContext]) -> Mapping[str, Any]:
        arguments = {parameter: OFFERED[offered](runtime) for parameter, offered in parameters.items()}
        call = partial(node, state, **arguments)
        update = await call() if inspect.iscoroutinefunction(node) else await asyncio.to_thread(call)
        if not isinstance(update, Mapping | None):
            raise BadInput(f"The node '{name}' must return a dictionary of what changed: it returned {update!r:.60}.")
        return update or {}

    return StepNode(work)


def _parameters(name: str, function: Callable[..., Any]) -> dict[str, str]:
    """A function's parameters after the state, with what each gets; the second is the runtime, whatever its name."""
    signature = inspect.signature(function)
    arguments = {}
    for place, parameter in enumerate([*signature.parameters.values()][1:]):
        if parameter.name in OFFERED:
            arguments[parameter.name] = parameter.name
        elif place == 0 and parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is parameter.empty:
            arguments[parameter.name] = "runtime"
    try:
        signature.bind({}, **arguments)
    except TypeError:
        names = ", ".join(signature.parameters)
        raise BadInput(
            f"The node '{name}' takes ({names}): it may take (state), (state, runtime), or by name "
            f"{', '.join(OFFERED)}."
        ) from None
    return arguments

"""Whatever may stand at a node's place becomes a step: a function, another runnable, a compiled graph."""

from collections.abc import Callable, Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin

from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.pregel.protocol import PregelProtocol
from langgraph.runtime import Runtime

from readgraph.graphs.wiring.paths import Builder
from readgraph.graphs.wiring.plain_functions import step_of_function
from readgraph.graphs.wiring.settings import groups_of
from readgraph.graphs.wiring.subgraphs import GraphStep
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

Node: TypeAlias = Runnable[Any, Any] | Callable[..., Any]
"""A node: one of readgraph's, a function or coroutine `(state, runtime) -> update`, a compiled graph, or another
runnable from the state to what changed."""


def as_node(name: str, node: Node, builder: Builder) -> StepNode[Any, Any]:
    """Make it a step with this name; raises `BadInput` for anything that can't be a node of this graph."""
    if isinstance(node, StepNode):
        return node
    if isinstance(node, PregelProtocol):
        return GraphStep(name, node, builder, settings=groups_of(node))
    if isinstance(node, Runnable):
        return _step_of_runnable(name, node)
    return step_of_function(name, node)


def _step_of_runnable(name: str, runnable: Runnable[Any, Any]) -> StepNode[Any, Any]:
    """A step that gives a runnable, such as a chain, the state; refused if it is known to give no dictionary."""
    given = [*_types(_output_type(runnable))]
    if given and not any(kind is NoneType or issubclass(kind, Mapping) for kind in given):
        raise BadInput(
            f"The node '{name}' gives {given[0].__name__}, where a dictionary of what changed is needed: end it with a "
            "function that makes one."
        )

    async def work(state: Any, runtime: Runtime[ReaderContext]) -> Mapping[str, Any]:
        update = await runnable.ainvoke(state)
        if not isinstance(update, Mapping | None):
            raise BadInput(f"The node '{name}' must give a dictionary of what changed: it gave {update!r:.60}.")
        return update or {}

    function = getattr(runnable, "func", None) or getattr(runnable, "afunc", None)
    if isinstance(runnable, RunnableLambda) and function:
        declared = getattr(function, "__annotations__", {})
        first = next(iter(declared), "return")  # only a function's state and return say what it reads and writes
        work.__annotations__ = {"state": declared[first] if first != "return" else Any}
        work.__annotations__ |= {"return": declared["return"]} if "return" in declared else {}
    work.__name__, work.__doc__ = name, getattr(function, "__doc__", None)
    return StepNode(work)


def _output_type(runnable: Runnable[Any, Any]) -> Any:
    try:
        return runnable.OutputType
    except TypeError:  # it says none
        return Any


def _types(annotation: Any) -> Iterator[type[Any]]:
    """The classes that a type stands for; none if it may be anything."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _types(arguments[0])
    elif origin in (Union, UnionType):
        members = [[*_types(argument)] for argument in arguments]
        if all(members):
            yield from (kind for member in members for kind in member)
    elif isinstance(origin or annotation, type) and annotation not in (object, Any):
        yield origin or annotation

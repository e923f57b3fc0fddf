"""The graphs of methods: built where their declarations say; those of other packages are looked at before use."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, get_type_hints

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.installed import object_at
from readgraph.state.reading import Answered

Builder = StateGraph[Any, ReaderContext, Any, Any]


def builder_at(place: str) -> Callable[..., Builder]:
    """The function that builds the graph whose compiled form is `package.module:name`; it stands beside it."""
    module, _, name = place.partition(":")
    builder: Callable[..., Builder] = getattr(import_module(module), builder_name(name))
    return builder


def builder_name(compiled: str) -> str:
    """The name of the function that builds a graph, from the name of the compiled one."""
    return "build" if compiled == "graph" else f"build_{compiled.removesuffix('_graph')}"


@cache
def load_graph_at(place: str) -> Builder:
    """The graph at `package.module:name`, or that a function there builds; raises `BadInput` for any other thing."""
    what = f"The method '{place}'"
    made = object_at(place, what)
    if callable(made) and not isinstance(made, CompiledStateGraph):
        try:
            made = made()
        except TypeError as problem:
            if problem.__traceback__ and problem.__traceback__.tb_next:  # raised inside of the function
                raise
            raise BadInput(f"{what} can't be built: {problem}; its function takes no arguments.") from problem
    builder = made.builder if isinstance(made, CompiledStateGraph) else made
    if not isinstance(builder, StateGraph):
        raise BadInput(f"{what} is no graph: {place} must give a StateGraph, as the build functions of ours do.")
    if lacking := sorted(get_type_hints(Answered).keys() - {*builder.schemas.get(builder.output_schema, ())}):
        raise BadInput(f"{what} gives no '{lacking[0]}': its output must be readgraph.state.reading.Answered, or more.")
    return builder

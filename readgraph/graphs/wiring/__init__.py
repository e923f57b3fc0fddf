"""Wiring of a graph's nodes, the check that they fit together, and what the `build` functions of all methods share.

In each `build`, every argument is a node: one of readgraph's, or a function or coroutine `(state, runtime) -> update`;
but `state`, which may be a class derived from the graph's own, with further channels. Each raises `BadInput` where a
node reads a key that no earlier node writes.
"""

from collections.abc import Callable, Collection, Iterator
from functools import wraps
from inspect import Parameter, signature
from itertools import pairwise
from typing import Any, ParamSpec, TypeVar, get_args, get_type_hints

from langgraph.graph import END, StateGraph
from langgraph.typing import InputT, OutputT, StateT
from typing_extensions import TypedDict

from readgraph.graphs.wiring.checks import check_output, check_wiring
from readgraph.graphs.wiring.declared import fit_context, with_channels
from readgraph.graphs.wiring.method_graph import Builder, MethodGraph, check_names
from readgraph.graphs.wiring.nodes import add_nodes, choosing
from readgraph.nodes.bounds import SearchProgress, within_loop_limit
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

__all__ = ["add_nodes", "check_wiring", "fit_context"]

BuilderT = TypeVar("BuilderT", bound=StateGraph[Any, Any, Any, Any])
BuildP = ParamSpec("BuildP")


def complete_graph(build: Callable[BuildP, BuilderT]) -> Callable[BuildP, BuilderT]:
    """Give the graph of a `build` the settings that its nodes use, and check its wiring.

    Refused are also what is no step of the graph, and a step that leaves the graph's output unwritten.
    """

    @wraps(build)
    def build_complete(*args: BuildP.args, **steps: BuildP.kwargs) -> BuilderT:
        parameters, known = signature(build).parameters, [*_steps_of(build)]
        if args:
            raise BadInput(f"Steps are given by name, such as {build.__name__}({(known or ['step'])[0]}=…).")
        where = f"this graph, of the steps {', '.join(known)}," if known else "this graph"
        check_names(f"{build.__name__}() was given", steps, known, where)
        builder = build(*args, **steps)
        fit_context(builder)
        check_wiring(builder)
        needed: Any = {name: step for name, step in steps.items() if _is_required(parameters.get(name))}
        if steps.keys() - needed:
            check_output(builder, build(**needed))  # type: ignore[call-arg]
        return builder

    return build_complete


def _is_required(parameter: Parameter | None) -> bool:
    return parameter is not None and parameter.default is parameter.empty


def _steps_of(build: Callable[..., Any]) -> Iterator[str]:
    """The names of what a `build` takes."""
    for name, parameter in signature(build).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from get_type_hints(get_args(get_type_hints(build)[name])[0])
        else:
            yield name


def begin_graph(
    state: type[Any], own: type[StateT], given: type[InputT], output: type[OutputT]
) -> MethodGraph[StateT, ReaderContext, InputT, OutputT]:
    """A graph without nodes, whose `state` has all channels of the graph's `own`."""
    return MethodGraph(
        with_channels(state, own), context_schema=ReaderContext, input_schema=given, output_schema=output
    )


def add_path(builder: Builder, *names: str) -> None:
    """Lead from each of these nodes to the next."""
    for before, after in pairwise(names):
        builder.add_edge(before, after)


class Begun(TypedDict):
    """What decides whether anything follows the reading."""

    question_text: str


def add_question(builder: Builder, read: str, asked: str) -> None:
    """After the node `read`, go on to the question with the node `asked`, if there is one."""

    def choose_question_or_end(state: Begun) -> str:
        return asked if state["question_text"] else END

    builder.add_conditional_edges(read, choosing(choose_question_or_end), [asked, END])


def add_search(
    builder: Builder,
    decides: str,
    on: str,
    otherwise: str = "answer",
    *,
    loop: Collection[str] = (),
    most: Callable[[ReaderContext], int] | None = None,
) -> None:
    """After the node `decides`, go on with the node `on` where there is more to look for, else with `otherwise`.

    `loop` names the nodes of a loop that this closes, which goes round at most `most` times (`within_loop_limit`).
    """

    def choose_search_or_answer(state: SearchProgress) -> str:
        looking = state["continue_search"] and (most is None or within_loop_limit(state, loop, most))
        return on if looking else otherwise

    builder.add_conditional_edges(decides, choosing(choose_search_or_answer), [on, otherwise])

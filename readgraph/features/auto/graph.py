"""auto: each question goes to the method that fits it and the text; memories are those of these methods.

What fits what the model reads at once is read whole. A question about all of a text is answered by a summary, one for
something of every part by a survey. Else places are looked up: in the memory that there is, by GAM in a history, by
ReadAgent in a text.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from readgraph.features.auto.route import RoutedAnswer, RouteState, RouteUpdate, route
from readgraph.features.auto.ways import WAYS, is_there
from readgraph.graphs.methods import method_kept
from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, choosing, complete_graph
from readgraph.nodes.contracts import Node
from readgraph.nodes.opening import OpenState
from readgraph.state.context import ReaderContext
from readgraph.state.installed import object_at
from readgraph.state.reading import Question


class Chosen(TypedDict):
    """What decides which method answers."""

    method: str


def choose_method(state: Chosen) -> str:
    """The node of the method that was chosen."""
    return state["method"].replace("-", "_")


@complete_graph
def build(
    *, route: Node[OpenState, RouteUpdate] = route, state: type[Any] = RouteState
) -> StateGraph[RouteState, ReaderContext, Question, RoutedAnswer]:
    """Choose a method, and run its graph."""
    builder = begin_graph(state, RouteState, Question, RoutedAnswer)
    ways = {name.replace("-", "_"): object_at(method_kept(name).graph, name) for name in WAYS if is_there(name)}
    add_nodes(builder, route=route, **ways)
    add_path(builder, START, "route")
    builder.add_conditional_edges("route", choosing(choose_method), [*ways])
    for name in ways:
        add_path(builder, name, END)
    return builder


graph = build().compile(name="auto")

"""Two texts are compared: what was added, removed, changed and moved from the earlier one to the later one.

Rules say what they can be sure of; a model, where there is one, is asked of what was reworded.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.changes import steps
from readgraph.features.changes.state import ChangesOutput, ChangesState, ChangesWanted
from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, complete_graph
from readgraph.nodes.building.build import ReadState, ReadWrites, cut_pages
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.building.recipes import recipe_of_pages
from readgraph.nodes.contracts import Node
from readgraph.nodes.opening import OpenUpdate
from readgraph.state.context import ReaderContext
from readgraph.state.settings import Paragraphs, Rebuilding

PAGE_WORDS = 300  # most words of a page, which is where a citation leads

recipe = recipe_of_pages("changes", lambda context: PAGE_WORDS)
"""The recipe of the pages."""

read = cut_pages(even_pages(lambda context: PAGE_WORDS), recipe, settings=(Paragraphs, Rebuilding))


@complete_graph
def build(
    *,
    open: Node[steps.ChangesOpenState, OpenUpdate] = steps.open_both,
    read: Node[ReadState, ReadWrites] = read,
    compare: Node[steps.CompareState, steps.CompareUpdate] = steps.compare,
    judge: Node[steps.JudgeState, steps.CompareUpdate] = steps.judge_reworded,
    tabulate: Node[steps.JudgeState, steps.TableUpdate] = steps.make_table,
    state: type[Any] = ChangesState,
) -> StateGraph[ChangesState, ReaderContext, ChangesWanted, ChangesOutput]:
    """Open both texts, cut them into pages, compare them by rules, judge what was reworded, make the table."""
    builder = begin_graph(state, ChangesState, ChangesWanted, ChangesOutput)
    add_nodes(builder, open=open, read=read, compare=compare, judge=judge, tabulate=tabulate)
    add_path(builder, START, "open", "read", "compare", "judge", "tabulate", END)
    return builder


graph = build().compile(name="changes")

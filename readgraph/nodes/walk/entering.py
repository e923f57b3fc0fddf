"""Begin a walk: stand at the root of the tree with nothing visited and nothing found."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.contracts import AskedState
from readgraph.nodes.extractive import query_of
from readgraph.nodes.memory_view import remembered
from readgraph.nodes.search_tools import OkapiTool
from readgraph.nodes.searching import Bounds, search_pages
from readgraph.nodes.step import step
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.summary_tree import TreeShape, node_id
from readgraph.state.walk import Hop


class Entered(TypedDict):
    """The channels of a walk that belong to one question."""

    current_node: str
    walk: int
    continue_search: bool
    hops: list[Hop]
    percent_read: float | None
    step_summary: str


@step
async def enter(state: AskedState, runtime: Runtime[ReaderContext]) -> Entered:
    """Stand at the root; a walk of an earlier question leaves nothing behind."""
    shape = TreeShape.of((await remembered(runtime, state["document"], state["memory"]))[1])
    asked = bool(state["question_text"])
    did = f"stood at the root, {shape.root}" if asked else "nothing is asked"
    return {
        "current_node": shape.root,
        "walk": 0,
        "continue_search": asked,
        "hops": [],
        "percent_read": None,
        "step_summary": did,
    }


@step
async def enter_at_leaf(state: AskedState, runtime: Runtime[ReaderContext]) -> Entered:
    """Stand at the leaf of the segment that shares most words with the question; at the root where none shares any.

    The nodes above it count as not visited: a revert goes up to its parent, where the other children are offered.
    """
    entered: Entered = await enter.work(state, runtime)
    if not entered["continue_search"]:
        return entered
    ranker = OkapiTool(page_store(runtime), *await remembered(runtime, state["document"], state["memory"]))
    found = await search_pages({"okapi": ranker}, {"okapi": [query_of(state)]}, Bounds(deep=1, most=1))
    if not found["okapi"]:
        return entered
    (best,) = found["okapi"]
    return {
        **entered,
        "current_node": node_id(0, best),
        "step_summary": f"stood at page {best}: it shares most words with the question",
    }

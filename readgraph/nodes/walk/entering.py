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


class AgainState(AskedState):
    """What beginning a further walk reads: what is missing, and where it was before."""

    requests: list[str]
    walk: int
    hops: list[Hop]


class AgainUpdate(TypedDict):
    """Where a further walk begins."""

    current_node: str
    walk: int
    continue_search: bool
    step_summary: str


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
    best = await _best_leaf([query_of(state)], state, runtime)
    if best is None:
        return entered
    return {
        **entered,
        "current_node": node_id(0, best),
        "step_summary": f"stood at page {best}: it shares most words with the question",
    }


@step
async def walk_again(state: AgainState, runtime: Runtime[ReaderContext]) -> AgainUpdate:
    """Begin a further walk at the leaf, of those not read, that shares most words with what is missing.

    Where none shares any, at the root; or at the first leaf that was not read, where the root has no child left.
    """
    _, memory = await remembered(runtime, state["document"], state["memory"])
    shape, unread = TreeShape.of(memory), [page for page in range(memory.pages) if page not in state["pages_read"]]
    best = await _best_leaf(state["requests"] or [query_of(state)], state, runtime)
    why = "it shares most words with what is missing"
    if best is None and {*shape.children(shape.root)} <= {hop["node"] for hop in state["hops"]}:
        best, why = min(unread, default=None), "it was not read"
    return {
        "current_node": shape.root if best is None else node_id(0, best),
        "walk": state["walk"] + 1,
        "continue_search": True,
        "step_summary": "stood at the root" if best is None else f"stood at page {best}: {why}",
    }


async def _best_leaf(queries: list[str], state: AskedState, runtime: Runtime[ReaderContext]) -> int | None:
    """The page, of those not read, that shares most words with the queries together; none where none shares any."""
    document, memory = await remembered(runtime, state["document"], state["memory"])
    unread = {*range(memory.pages)} - {*state["pages_read"]}
    ranker = OkapiTool(page_store(runtime), document, memory)
    bounds = Bounds(deep=1 + len(state["pages_read"]), most=1, among=unread)
    found = await search_pages({"okapi": ranker}, {"okapi": queries}, bounds)
    return next(iter(found["okapi"]), None)

"""Begin a walk at the root of the tree, with nothing visited and nothing found."""

from collections.abc import Callable

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.contracts import AskedState
from readgraph.nodes.extractive import query_of
from readgraph.nodes.memory_view import remembered
from readgraph.nodes.search_tools import ranker_of
from readgraph.nodes.searching import Bounds, Found, Search, searching
from readgraph.nodes.step import UpdateT, step
from readgraph.state.channels.walk import Hop
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.search.fusing import pages_of
from readgraph.state.summary_tree import TreeShape, node_id


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
    step_summary: str


@step
async def enter(state: AskedState, runtime: Runtime[ReaderContext]) -> Entered:
    """Begin at the root, and clear the walks of an earlier question."""
    shape = TreeShape.of((await remembered(runtime, state["document"], state["memory"]))[1])
    asked = bool(state["question_text"])
    did = f"stood at the root, {shape.name(shape.root)}" if asked else "nothing is asked"
    return {
        "current_node": shape.root,
        "walk": 0,
        "continue_search": asked,
        "hops": [],
        "step_summary": did,
    }


async def nearest_to_question(state: AskedState, runtime: Runtime[ReaderContext]) -> Search[Entered]:
    """Begin at the leaf whose segment shares most words with the question, or at the root if none shares any.

    The nodes above it count as unvisited: a revert goes up to its parent, where the other children are offered.
    """
    entered: Entered = await enter.work(state, runtime)

    def at_leaf(found: Found) -> Entered:
        if not (best := pages_of(found.get("okapi", []))):
            return entered
        did = f"stood at part {best[0]}: it shares most words with the question"
        return {**entered, "current_node": node_id(0, best[0]), "step_summary": did}

    return await _of_leaves([query_of(state)] if entered["continue_search"] else [], at_leaf, state, runtime)


async def nearest_to_missing(state: AgainState, runtime: Runtime[ReaderContext]) -> Search[AgainUpdate]:
    """Begin a further walk at the leaf, of those not read, that shares most words with what is missing.

    Where none shares any, at the root; or at the first leaf that was not read, where the root has no child left.
    """
    _, memory = await remembered(runtime, state["document"], state["memory"])
    shape, visited = TreeShape.of(memory), {hop["node"] for hop in state["hops"]}
    root = shape.name(shape.root)
    unread = [page for page in range(memory.pages) if page not in state["pages_read"]]

    def again(found: Found) -> AgainUpdate:
        best, why = pages_of(found["okapi"]), "it shares most words with what is missing"
        if not best and {*shape.children(shape.root)} <= visited:
            best, why = unread[:1], "it was not read"
        return {
            "current_node": node_id(0, best[0]) if best else shape.root,
            "walk": state["walk"] + 1,
            "continue_search": True,
            "step_summary": f"stood at part {best[0]}: {why}" if best else f"stood at the root, {root}",
        }

    return await _of_leaves(state["requests"] or [query_of(state)], again, state, runtime)


async def _of_leaves(
    queries: list[str], then: Callable[[Found], UpdateT], state: AskedState, runtime: Runtime[ReaderContext]
) -> Search[UpdateT]:
    """The search for the page, of those not read, that shares most words with the queries together."""
    document, memory = await remembered(runtime, state["document"], state["memory"])
    unread = {*range(memory.pages)} - {*state["pages_read"]}
    bounds = Bounds(most=1, among=unread)
    return Search({"okapi": ranker_of(page_store(runtime), document, memory)}, {"okapi": queries}, bounds, then)


enter_at_leaf = searching(nearest_to_question)
walk_again = searching(nearest_to_missing)

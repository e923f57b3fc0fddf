"""Begin a walk at the leaf that keyword search ranks first, instead of the root."""

from langgraph.runtime import Runtime

from readgraph.nodes.contracts import AskedState
from readgraph.nodes.entering import Entered, enter
from readgraph.nodes.extractive import ranked_pages
from readgraph.nodes.step import step
from readgraph.state.context import ReaderContext
from readgraph.state.summary_tree import node_id


@step
async def enter_at_leaf(state: AskedState, runtime: Runtime[ReaderContext]) -> Entered:
    """Stand at the leaf of the segment that shares most words with the question; at the root where none shares any.

    The nodes above it count as not visited: a revert goes up to its parent, where the other children are offered.
    """
    entered: Entered = await enter.work(state, runtime)
    ranked = await ranked_pages(state, runtime) if entered["looking"] else []
    if not ranked:
        return entered
    best = ranked[0][0]
    return {**entered, "at": node_id(0, best), "did": f"stood at page {best}: it shares most words with the question"}

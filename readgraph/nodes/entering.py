"""Begin a walk: stand at the root of the tree with nothing visited and nothing found."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.contracts import AskedState
from readgraph.nodes.memory_text import remembered
from readgraph.nodes.step import step
from readgraph.state.context import ReaderContext
from readgraph.state.summary_tree import TreeShape
from readgraph.state.walk import Finding, Hop


class Entered(TypedDict):
    """The channels of a walk that belong to one question."""

    at: str
    walk: int
    looking: bool
    hops: list[Hop]
    findings: list[Finding]
    percent_read: float | None
    did: str


@step
async def enter(state: AskedState, runtime: Runtime[ReaderContext]) -> Entered:
    """Stand at the root; a walk of an earlier question leaves nothing behind."""
    shape = TreeShape.of((await remembered(runtime, state["document"], state["memory"]))[1])
    asked = bool(state["asked"])
    did = f"stood at the root, {shape.root}" if asked else "nothing is asked"
    return {
        "at": shape.root,
        "walk": 0,
        "looking": asked,
        "hops": [],
        "findings": [],
        "percent_read": None,
        "did": did,
    }

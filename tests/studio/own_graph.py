"""A graph of a user's own, made of our nodes: ReadAgent with another answer."""

from typing import Any

from readgraph.graphs.read_agent import build as build_read_agent
from readgraph.nodes.contracts import AnswerState, AnswerWrites, ReaderRuntime
from readgraph.nodes.step import node


@node
async def say_where(state: AnswerState, runtime: ReaderRuntime) -> AnswerWrites:
    """Say only which parts were read again."""
    return {"answer": f"See parts {state['pages_read']}.", "status": "answered"}  # type: ignore[typeddict-item]


def build() -> Any:
    """ReadAgent, which says only where to look."""
    return build_read_agent(answer=say_where)

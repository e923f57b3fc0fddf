"""A user's own graph with one of readgraph's inside: a help desk that looks up a question and writes a letter."""

from typing import NotRequired

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from readgraph.graphs import gam
from readgraph.state.context import ReaderContext


class Desk(TypedDict):
    document: str
    question: str
    answer: NotRequired[str | None]
    letter: NotRequired[str]


def write(state: Desk) -> dict[str, str]:
    return {"letter": f"Dear reader, {state.get('answer')}"}


builder = StateGraph(Desk, context_schema=ReaderContext)
builder.add_node("research", gam.graph)
builder.add_node("write", write)
builder.add_edge(START, "research")
builder.add_edge("research", "write")
builder.add_edge("write", END)
graph = builder.compile(name="desk")

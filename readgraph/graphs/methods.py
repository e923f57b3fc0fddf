"""The reading methods by their names."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from langgraph.graph import StateGraph

from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document


@dataclass(frozen=True)
class Method:
    """A reading method: the module of its graph, what it does in one line, what it calls the note of a page."""

    name: str
    module: str
    line: str
    note: str

    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """The method's graph, not compiled."""
        made: StateGraph[Any, ReaderContext, Any, Any] = import_module(f"readgraph.graphs.{self.module}").build()
        return made


METHODS = {
    method.name: method
    for method in (
        Method("read-agent", "read_agent", "Gists of pages; looks pages up again for each question.", "gist"),
        Method("gam", "gam", "Memos of pages; researches the pages for each question, round by round.", "memo"),
    )
}


def method_named(name: str) -> Method:
    """The method of this name; raises `BadInput` where there is none."""
    if name not in METHODS:
        raise BadInput(f"There is no method '{name}': choose one of {', '.join(METHODS)}.")
    return METHODS[name]


def method_for(document: Document) -> Method:
    """The method for a document where none is named: GAM for a history, ReadAgent for a text."""
    return METHODS["gam" if document.sessions else "read-agent"]

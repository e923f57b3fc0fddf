"""The reading methods by their names."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from langgraph.graph import StateGraph

from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput


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
        Method("mem-gpt", "mem_gpt", "An agent searches the pages and opens them until it can answer.", "beginning"),
    )
}


def method_named(name: str) -> Method:
    """The method of this name; raises `BadInput` where there is none."""
    if name not in METHODS:
        raise BadInput(f"There is no method '{name}': choose one of {', '.join(METHODS)}.")
    return METHODS[name]

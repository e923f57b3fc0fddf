"""A graph as a picture in a notebook."""

from typing import Any

from langgraph.graph import END, START
from langgraph.graph.state import CompiledStateGraph

from readgraph.report.drawing import draw_alone

__all__ = ["Picture", "picture"]


class Picture(str):
    """A flowchart in mermaid's notation, which a notebook shows as a drawing."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_svg_(self) -> str:
        return draw_alone(self)


def picture(graph: CompiledStateGraph[Any, Any, Any, Any]) -> Picture:
    """A compiled graph's nodes and edges, without its start and end; dotted edges are choices.

    Drawn on this machine, where LangGraph's `draw_mermaid_png`, and a graph at the end of a cell, ask a server.
    """
    drawn = graph.get_graph()
    names = [name for name in drawn.nodes if name not in (START, END)]
    edges = [edge for edge in drawn.edges if edge.source in names and edge.target in names]
    edges.sort(key=lambda edge: (names.index(edge.source), names.index(edge.target)))
    lines = [f"{edge.source} {'-.->' if edge.conditional else '-->'} {edge.target}" for edge in edges]
    return Picture("\n    ".join(["graph LR", *(lines or names)]))

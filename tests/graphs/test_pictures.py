"""Graphs as pictures in a notebook, drawn without asking anyone."""

from xml.etree import ElementTree

import pytest
from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from readgraph.doors.report.picture import picture
from readgraph.graphs import gam
from readgraph.graphs.methods import METHODS
from tests.support.some_methods import mostly_slow

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", mostly_slow(METHODS))
def test_every_method_can_be_drawn(name: str) -> None:
    graph = METHODS[name].build().compile()
    drawing = ElementTree.fromstring(picture(graph)._repr_svg_())
    assert {text.text for text in drawing.iter(f"{SVG}text")} == {*graph.nodes} - {"__start__"}
    inner = [edge for edge in graph.get_graph().edges if not {edge.source, edge.target} & {"__start__", "__end__"}]
    assert len([*drawing.iter(f"{SVG}path")]) == len(inner)
    dotted = [path for path in drawing.iter(f"{SVG}path") if path.get("class") == "dotted"]
    assert len(dotted) == sum(edge.conditional for edge in inner)


@pytest.mark.parametrize("name", mostly_slow(METHODS))
def test_no_edge_has_the_name_of_another_node(name: str) -> None:
    drawn = METHODS[name].build().compile().get_graph()
    assert not [edge for edge in drawn.edges if edge.data not in (None, edge.target)]


def test_without_a_notebook_it_is_mermaid_s_notation() -> None:
    assert repr(picture(gam.memorize_graph)) == "graph LR\n    open --> memorize"


def test_a_single_node_is_drawn_too() -> None:
    class State(TypedDict):
        word: str

    builder = StateGraph(State)
    builder.add_node("alone", lambda state: state)
    builder.add_edge("__start__", "alone")
    assert ">alone</text>" in picture(builder.compile())._repr_svg_()

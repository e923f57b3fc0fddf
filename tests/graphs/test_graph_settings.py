"""A graph's context has the settings that its nodes read, and no others."""

from dataclasses import replace
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore

from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.graphs.wiring import add_nodes, check_wiring, fit_context
from readgraph.nodes.look_up import look_up_next, nearest_pages
from readgraph.nodes.opening import open_document
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Settings
from readgraph.state.errors import BadInput
from readgraph.state.reading import Answered, Question, ReadingState
from readgraph.state.settings import GROUPS, Walk

GIVEN: Any = {"text": "The lamp is red. The goat is on the gallery.", "question": "What is the lamp?"}


def settings_of(graph: Any) -> dict[str, Any]:
    """The settings that Studio's form shows."""
    return {**graph.get_context_jsonschema()["properties"]}


def test_the_form_of_a_graph_shows_the_settings_of_its_nodes() -> None:
    shown = settings_of(mem_walker.graph)
    assert {"model", "max_calls", "max_hops", "children", "window_words"} <= {*shown}
    assert not {"rounds", "tools", "max_chain", "max_pages", "gist_words", "memorize_batch"} & {*shown}
    assert all(setting["description"] for setting in shown.values())
    assert shown["max_hops"] | {"type": "integer", "minimum": 1, "default": 32} == shown["max_hops"]


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("rounds", "This graph does not use the setting 'rounds': leave it out."),
        ("max_hop", "There is no setting 'max_hop': do you mean 'max_hops'?"),
    ],
)
def test_a_setting_that_the_graph_does_not_have_is_refused_in_one_line(setting: str, complaint: str) -> None:
    context: Any = {"model": "", setting: 2}
    with pytest.raises(BadInput) as refused:
        mem_walker.build().compile(store=InMemoryStore()).invoke(GIVEN, context=context)
    assert str(refused.value) == complaint


def test_a_node_that_is_swapped_in_brings_its_settings_and_finds_all_of_them() -> None:
    seen = list[Any]()

    async def look_up(state: Any, runtime: Any) -> Any:
        seen.append(runtime.context)
        return {"pages_read": [0], "continue_search": False}

    graph = read_agent.build(look_up=StepNode(look_up, settings=(Walk,))).compile(store=InMemoryStore())
    assert {"max_hops", "walks"} <= {*settings_of(graph)} and "max_pages" not in settings_of(graph)
    part: Any = {"model": "", "max_hops": 3}
    assert graph.invoke(GIVEN, context=part)["status"] == "nearest"
    assert graph.invoke(GIVEN, context=ReaderContext(model="", rounds=7))["status"] == "nearest"
    assert seen == [ReaderContext(model="", max_hops=3), ReaderContext(model="", rounds=7)]


def test_a_graph_of_one_s_own_without_the_settings_of_a_node_is_refused() -> None:
    def built(schema: Any) -> Any:
        builder: Any = StateGraph(ReadingState, context_schema=schema, input_schema=Question, output_schema=Answered)
        walking = StepNode(look_up_next.work, settings=(Walk,))
        add_nodes(builder, open=open_document, read=read_agent.read, look_up=walking)
        for start, end in ((START, "open"), ("open", "read"), ("read", "look_up"), ("look_up", END)):
            builder.add_edge(start, end)
        return builder

    with pytest.raises(BadInput, match="'look_up' reads the setting 'triage_options', which the graph's context"):
        check_wiring(built(read_agent.graph.context_schema))
    for schema in (ReaderContext, None):
        check_wiring(built(schema))
    fit_context(fitted := built(read_agent.graph.context_schema))
    check_wiring(fitted)


def test_a_group_that_is_not_among_the_declared_ones_is_refused() -> None:
    class Verse(Settings):
        """A group of somebody's own."""

    with pytest.raises(BadInput, match="There is no group of settings 'Verse'"):
        read_agent.build(look_up=StepNode(nearest_pages.work, settings=(Verse,)))


def test_every_group_is_a_part_of_the_whole_context() -> None:
    assert all(issubclass(ReaderContext, group) for group in GROUPS)


def test_a_setting_is_understood_by_its_earlier_name() -> None:
    earlier: Any = {"block": 4}
    assert gam.recipe(ReaderContext(memo_page_words=90)).parameters["session_page_words"] == 90  # of memories there are
    assert ReaderContext(**earlier) == replace(ReaderContext(), **earlier) == ReaderContext(memorize_batch=4)

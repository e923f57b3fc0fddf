"""Every call is counted, however the graph is run: streamed by messages, interrupted, resumed, after a restart."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt

from readgraph.graphs.read_agent import build
from readgraph.models.asking import ask_text
from readgraph.models.prompt import Prompt
from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.step import node
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import ReadingState, Usage
from tests.doubles.model_server import ModelServer

pytestmark = pytest.mark.quick

GIVEN: Any = {
    "text": "The goat stood on the gallery of the lamp.\n\nIda carried the log book down. The keeper slept.",
    "question": "Who carried the log book?",
}
THREAD: Any = {"configurable": {"thread_id": "1"}}
CONTEXT = ReaderContext(model="openai:double")


def counts(usage: Usage) -> dict[str, float]:
    return {name: count for name, count in usage.items() if name != "seconds"}  # type: ignore[misc]


def streamed() -> Usage:
    graph = build().compile(store=InMemoryStore())
    *_, last = graph.stream(GIVEN, context=CONTEXT, stream_mode=["messages", "values"])
    usage: Usage = last[1]["usage"]  # type: ignore[index]
    return usage


def test_tokens_of_streamed_messages_are_counted(server: ModelServer) -> None:
    whole = build().compile(store=InMemoryStore()).invoke(GIVEN, context=CONTEXT)["usage"]
    assert counts(streamed()) == counts(whole)
    assert whole["input_tokens"] > 0


def test_a_server_that_counts_nothing_in_streams_is_read_all_the_same(server: ModelServer) -> None:
    server.refuses = frozenset({"stream_options"})
    usage = streamed()
    assert (usage["calls"], usage["input_tokens"]) == (3, 0)
    assert server.calls == len(server.answered) + 1, "it is asked for counts once"


@node
async def asks_a_person(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """Look up what two persons choose, after a call each."""
    chosen = []
    for number in range(2):
        await ask_text(runtime, Prompt("choice", 1, "You choose.", f"Which page, {number}?"))
        chosen.append(interrupt(f"Which page, {number}?"))
    return {"pages_read": chosen[:1], "continue_search": False, "step_summary": "asked"}


def test_calls_before_an_interrupt_are_counted(server: ModelServer) -> None:
    saver, store = InMemorySaver(), InMemoryStore()
    given = GIVEN
    for _ in range(2):  # each process compiles the graph anew
        graph = build(look_up=asks_a_person).compile(store=store, checkpointer=saver)
        assert "__interrupt__" in graph.invoke(given, THREAD, context=CONTEXT)
        given = Command(resume=0)
    found = build(look_up=asks_a_person).compile(store=store, checkpointer=saver).invoke(given, THREAD, context=CONTEXT)
    usage = found["usage"]
    assert (usage["calls"], usage["cached_calls"]) == (server.calls, 0)
    assert usage["input_tokens"] == sum(len(request.text.split()) for request in server.requests)
    assert [step["usage"]["calls"] for step in found["steps"] if step["node"] == "look_up"] == [2]
    assert not store.search(("readgraph", "interrupted"))


def test_calls_before_an_interrupt_count_against_the_budget(server: ModelServer) -> None:
    graph = build(look_up=asks_a_person).compile(store=InMemoryStore(), checkpointer=InMemorySaver())
    context = ReaderContext(model="openai:double", max_calls=3)  # the gist, and two choices
    graph.invoke(GIVEN, THREAD, context=context)
    graph.invoke(Command(resume=0), THREAD, context=context)
    found = graph.invoke(Command(resume=0), THREAD, context=context)
    assert (found["status"], server.calls) == ("budget", 3)


def test_calls_before_an_interrupt_in_a_graph_inside_are_counted(server: ModelServer) -> None:
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(ReadingState)
    builder.add_node("asks", asks_a_person)
    builder.add_edge(START, "asks")
    builder.add_edge("asks", END)
    graph = build(look_up=builder.compile()).compile(store=InMemoryStore(), checkpointer=InMemorySaver())
    graph.invoke(GIVEN, THREAD, context=CONTEXT)
    graph.invoke(Command(resume=0), THREAD, context=CONTEXT)
    usage = graph.invoke(Command(resume=0), THREAD, context=CONTEXT)["usage"]
    assert (usage["calls"], usage["cached_calls"]) == (server.calls, 0)


def test_an_unknown_setting_is_refused_as_over_a_server() -> None:
    graph = build().compile()
    schema: Any = graph.get_context_jsonschema()
    assert "max_pages" in schema["properties"] and "max_pagess" in schema["properties"], "no server may leave it out"
    assert "max_pagess" not in [*schema["properties"]]
    context: Any = {"max_pagess": 1}
    with pytest.raises(BadInput, match="no setting 'max_pagess': do you mean 'max_pages'"):
        graph.invoke(GIVEN, context=context)

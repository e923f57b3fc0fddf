"""Other runnables and compiled graphs stand at every node's place, or are refused when the graph is built."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from readgraph.graphs.loading import builder_at
from readgraph.graphs.method import Method
from readgraph.graphs.methods import METHODS
from readgraph.graphs.read_agent import build
from readgraph.models.asking import ask_text
from readgraph.nodes.look_up import look_up
from readgraph.nodes.step import StepNode, node
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import ReadingState
from tests.doubles.model_server import ModelServer
from tests.models.test_asking import PROMPT

pytestmark = pytest.mark.quick

GIVEN: Any = {
    "text": "The goat stood on the gallery of the lamp.\n\nIda carried the log book down. The keeper slept.",
    "question": "Who carried the log book?",
}
THREAD: Any = {"configurable": {"thread_id": "1"}}
WITHOUT_EMBEDDINGS = [method for method in METHODS.values() if method.name not in ("dense", "fused")]

Builder = StateGraph[Any, Any, Any, Any]
Compiled = CompiledStateGraph[Any, Any, Any, Any]


def as_lambda(node: StepNode[Any, Any], of: Builder) -> Runnable[Any, Any]:
    return RunnableLambda(node.invoke, node.ainvoke)


def as_chain(node: StepNode[Any, Any], of: Builder) -> Runnable[Any, Any]:
    return RunnableLambda(lambda state: state) | as_lambda(node, of)


def as_graph(node: StepNode[Any, Any], of: Builder) -> Compiled:
    return graph_of(node, of.state_schema)


def graph_of(node: Any, state: type[Any], **kept: Any) -> Compiled:
    builder: Builder = StateGraph(state)
    builder.add_node("inner", node)
    builder.add_edge(START, "inner")
    builder.add_edge("inner", END)
    return builder.compile(**kept)


def what_came(found: dict[str, Any]) -> list[Any]:
    steps = [(step["summary"], step["usage"]["calls"]) for step in found["steps"]]
    return [*(found.get(key) for key in ("answer", "status", "pages_read", "citations", "fallbacks")), steps]


OTHERS = [
    pytest.param(
        method,
        made,
        id=f"{method.name}-{made.__name__}",
        marks=[pytest.mark.slow] if made is not as_graph and method.name not in ("read-agent", "gam") else [],
    )
    for method in WITHOUT_EMBEDDINGS
    if not method.router  # its nodes are whole methods
    for made in (as_lambda, as_chain, as_graph)
]


@pytest.mark.parametrize(("method", "made"), OTHERS)
@pytest.mark.slow
async def test_they_do_at_every_place_what_the_step_inside_does(method: Method, made: Callable[..., Any]) -> None:
    plain = method.build()
    swapped = {name: made(spec.runnable, plain) for name, spec in plain.nodes.items()}
    other = builder_at(method.graph)(**swapped)
    expected = what_came(await plain.compile(store=InMemoryStore()).ainvoke(GIVEN))
    assert what_came(await other.compile(store=InMemoryStore()).ainvoke(GIVEN)) == expected
    assert what_came(other.compile(store=InMemoryStore()).invoke(GIVEN)) == expected


class Desk(TypedDict, total=False):
    question_text: str
    pages_read: list[int]
    continue_search: bool
    remarks: str


def at_desk(state: Desk) -> Desk:
    assert set(state) == {"question_text", "pages_read", "continue_search"}, "it gets the keys that both have"
    return {"pages_read": [0], "continue_search": False, "remarks": "this stays here"}


def test_a_graph_with_a_state_of_its_own_is_one_step() -> None:
    graph = build(look_up=graph_of(at_desk, Desk)).compile(store=InMemoryStore())
    found = graph.invoke(GIVEN)
    assert [step["node"] for step in found["steps"]] == "open read merge look_up answer cite".split()
    assert found["pages_read"] == [0]
    assert "remarks" not in found
    assert "look_up:inner" in graph.get_graph(xray=True).nodes


def test_settings_of_the_steps_inside_are_the_graphs_own(server: ModelServer) -> None:
    context: Any = {"model": "openai:double", "max_pages": 0, "strategy": "sequential"}
    graph = build(look_up=graph_of(look_up, ReadingState)).compile(store=InMemoryStore())
    found = graph.invoke(GIVEN, context=context)
    assert found["usage"] == build().compile(store=InMemoryStore()).invoke(GIVEN, context=context)["usage"] | {
        "seconds": found["usage"]["seconds"]
    }
    assert found["usage"]["calls"] == server.calls / 2


def test_a_person_is_asked_in_a_graph_inside(tmp_path: Any) -> None:
    def ask(state: Desk) -> Desk:
        return {"pages_read": [interrupt("Which page?")], "continue_search": False}

    for saver in (InMemorySaver(), None):
        with SqliteSaver.from_conn_string(str(tmp_path / "threads.sqlite")) as durable:
            graph = build(look_up=graph_of(ask, Desk)).compile(store=InMemoryStore(), checkpointer=saver or durable)
            if saver is None:  # a durable checkpointer wants a durable store
                with pytest.raises(BadInput, match="durable"):
                    graph.invoke(GIVEN, THREAD)
                continue
            (asked,) = graph.invoke(GIVEN, THREAD)["__interrupt__"]
            assert asked.value == "Which page?"
            (task,) = graph.get_state(THREAD, subgraphs=True).tasks
            assert task.state.next == ("inner",)  # type: ignore[union-attr]
            assert graph.invoke(Command(resume=0), THREAD)["pages_read"] == [0]


MODEL = FakeListChatModel(responses=["a reply"])


@pytest.mark.parametrize(
    ("node", "what"),
    [
        (MODEL, "gives AIMessage, where a dictionary of what changed is needed. End it with a function"),
        (MODEL | StrOutputParser(), "gives str, where a dictionary"),
        (StateGraph(ReadingState), "can't be 'StateGraph': give a step"),
    ],
    ids=["a model", "a chain", "not compiled"],
)
def test_what_gives_no_update_is_refused_when_the_graph_is_built(node: Any, what: str) -> None:
    with pytest.raises(BadInput, match=f"^The node 'look_up' {re.escape(what)}"):
        build(look_up=node)


def test_what_gives_no_update_only_then_is_one_line() -> None:
    graph = build(look_up=RunnableLambda(lambda state: [3])).compile(store=InMemoryStore())
    with pytest.raises(BadInput, match=r"^The node .look_up. must return a dictionary .*: it returned \[3\]\."):
        graph.invoke(GIVEN)


def test_a_lambda_is_held_to_what_its_function_declares() -> None:
    def misspelt(state: ReadingState) -> Desk:
        return {}

    with pytest.raises(BadInput, match="'look_up' writes 'remarks', which the graph's state does not have"):
        build(look_up=RunnableLambda(misspelt))


def test_what_a_step_inside_asks_is_counted(server: ModelServer) -> None:
    @node
    async def asks(state: Desk, runtime: Runtime[ReaderContext]) -> Desk:
        await ask_text(runtime, PROMPT)
        return {"pages_read": [0], "continue_search": False}

    graph = build(look_up=graph_of(asks, Desk)).compile(store=InMemoryStore())
    found = graph.invoke(GIVEN, context=ReaderContext(model="openai:double"))
    assert found["usage"]["calls"] == server.calls
    assert [step["usage"]["calls"] for step in found["steps"] if step["node"] == "look_up"] == [1]

"""A graph that was compiled with a store keeps it inside of another graph: in a node, a tool, and as a node."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from typing_extensions import TypedDict

from readgraph.graphs import read_agent
from readgraph.library.opening import open_library_in_background
from readgraph.library.page_store import PageStore

pytestmark = pytest.mark.quick

QUESTION = "Who carried the log book?"
THREAD: Any = {"configurable": {"thread_id": "outer"}}


class Desk(TypedDict, total=False):
    document: str
    question: str
    answer: str
    status: str


class Talker(FakeMessagesListChatModel):
    """A chat model that calls the tool once, whatever is bound, then ends."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def add(store: Any) -> str:
    text = "Ida carried the log book down the stairs. The keeper slept."
    return asyncio.run(PageStore(store).add_document(text)).id


def in_a_node(graph: Any, document: str, **kept: Any) -> str:
    def ask(state: Desk) -> Any:
        return {"answer": graph.invoke({"document": document, "question": QUESTION})["answer"]}

    return str(desk(ask).compile(**kept).invoke({}, THREAD)["answer"])


def in_a_coroutine(graph: Any, document: str, **kept: Any) -> str:
    async def ask(state: Desk) -> Any:
        found = await graph.ainvoke({"document": document, "question": QUESTION})
        return {"answer": found["answer"]}

    return str(asyncio.run(desk(ask).compile(**kept).ainvoke({}, THREAD))["answer"])


def as_a_node(graph: Any, document: str, **kept: Any) -> str:
    given: Any = {"document": document, "question": QUESTION}
    return str(desk(graph).compile(**kept).invoke(given, THREAD)["answer"])


def in_a_tool(graph: Any, document: str, **kept: Any) -> str:
    @tool
    def look_up(question: str) -> str:
        """Answer from the book."""
        return str(graph.invoke({"document": document, "question": question})["answer"])

    call = {"name": "look_up", "args": {"question": QUESTION}, "id": "1"}
    model = Talker(responses=[AIMessage("", tool_calls=[call]), AIMessage("done")])
    agent: Any = create_agent(model, [look_up], **kept)
    messages = agent.invoke({"messages": [("user", "Look it up.")]}, THREAD)["messages"]
    return next(str(message.content) for message in messages if isinstance(message, ToolMessage))


def desk(node: Any) -> StateGraph[Any, Any, Any, Any]:
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(Desk)
    builder.add_node("ask", node)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", END)
    return builder


@contextmanager
def nothing(folder: Path) -> Iterator[Any]:
    yield {}


@contextmanager
def in_memory(folder: Path) -> Iterator[Any]:
    yield {"checkpointer": InMemorySaver(), "store": InMemoryStore()}


@contextmanager
def in_sqlite(folder: Path) -> Iterator[Any]:
    with SqliteSaver.from_conn_string(str(folder / "threads.sqlite")) as saver:
        yield {"checkpointer": saver, "store": InMemoryStore()}


@contextmanager
def in_a_library(folder: Path) -> Iterator[Any]:
    with open_library_in_background(folder / "outer") as library:
        yield {"checkpointer": library.checkpointer, "store": library.store}


@pytest.mark.parametrize("call", [in_a_node, in_a_coroutine, as_a_node, in_a_tool], ids=lambda call: call.__name__)
@pytest.mark.parametrize("around", [nothing, in_memory, in_sqlite, in_a_library], ids=lambda around: around.__name__)
@pytest.mark.slow
def test_its_documents_are_those_of_its_own_store(tmp_path: Path, around: Any, call: Callable[..., str]) -> None:
    if call is in_a_coroutine and around is in_sqlite:
        pytest.skip("LangGraph's SqliteSaver has no asynchronous calls")
    own = InMemoryStore()
    graph = read_agent.build().compile(store=own)
    with around(tmp_path) as kept:
        assert "Ida" in call(graph, add(own), **kept)


@pytest.mark.parametrize("call", [in_a_node, as_a_node, in_a_tool], ids=lambda call: call.__name__)
def test_a_library_is_kept_with_its_checkpointer(tmp_path: Path, call: Callable[..., str]) -> None:
    with open_library_in_background(tmp_path / "own") as own:
        graph = read_agent.build().compile(store=own.store, checkpointer=own.checkpointer)
        document = add(own.store)
        with in_a_library(tmp_path) as kept:
            assert "Ida" in call(graph, document, **kept)
        assert "Ida" in call(graph, document, store=own.store, checkpointer=own.checkpointer)
        assert "document" not in graph.get_state(THREAD).values or call is as_a_node, "the outer thread stays its own"


def test_without_a_store_it_takes_the_one_around() -> None:
    around = InMemoryStore()
    assert "Ida" in in_a_node(read_agent.build().compile(), add(around), store=around)


def test_it_is_interrupted_and_resumed_with_the_run_around() -> None:
    own = InMemoryStore()
    graph = read_agent.build().compile(store=own, interrupt_before=["look_up"])
    outer = desk(graph).compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    given: Any = {"document": add(own), "question": QUESTION}
    assert "answer" not in outer.invoke(given, THREAD)
    assert outer.get_state(THREAD).next == ("ask",)
    assert "Ida" in outer.invoke(Command(resume=True), THREAD)["answer"]


def test_a_call_that_names_a_thread_is_a_run_of_its_own() -> None:
    own = InMemoryStore()
    graph: Any = read_agent.build().compile(store=own, checkpointer=InMemorySaver())
    document = add(own)
    thread: Any = {"configurable": {"thread_id": "own"}}

    def ask(state: Desk) -> Any:
        given: Any = {"question": QUESTION, "follow_up": True} if state.get("answer") else {"question": QUESTION}
        return {"answer": graph.invoke({"document": document, **given}, thread)["answer"]}

    outer = desk(ask).compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    outer.invoke({}, THREAD)
    assert "Ida" in outer.invoke({}, THREAD)["answer"]
    assert len(graph.get_state(thread).values["question_turns"]) == 2


def test_events_inside_reach_who_listens_outside() -> None:
    own = InMemoryStore()
    graph = read_agent.build().compile(store=own)
    given: Any = {"document": add(own), "question": QUESTION}
    events = [*desk(graph).compile(store=InMemoryStore()).stream(given, stream_mode="custom", subgraphs=True)]
    assert any("progress" in event for _, event in events)

"""Who leaves a run ends the build that it began: nothing more is asked, and what was read is kept."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from typing import Any

import anyio
import pytest
from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from readgraph.api import as_tool, ask, until_left
from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.library.page_store import PageStore
from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import reader
from tests.doubles.tool_user import is_agent, tool_user

CONTEXT = ReaderContext(model="openai:double", concurrency=2)
THREAD: Any = {"configurable": {"thread_id": "1"}}


async def leave(graph: Any, given: Any) -> None:
    async with aclosing(graph.astream(given, THREAD, context=CONTEXT, stream_mode="custom")) as events:
        async for event in events:
            if event["progress"]["usage"]["calls"] >= 2:
                break


def leave_synchronously(graph: Any, given: Any) -> None:
    events = graph.stream(given, THREAD, context=CONTEXT, stream_mode="custom")
    for event in events:
        if event["progress"]["usage"]["calls"] >= 2:
            break
    events.close()


@contextmanager
def cancelled_at(call: int, server: ModelServer, *, agent: bool = False) -> Iterator[anyio.CancelScope]:
    """Cancel what is inside, as servers do, at a call to the model."""
    loop, server.latency = asyncio.get_running_loop(), 0.02
    with anyio.CancelScope() as scope:

        def respond(request: ChatRequest) -> Any:
            if any(request is each for each in server.requests[call - 1 : call]):
                loop.call_soon_threadsafe(scope.cancel)
            return tool_user(request) if agent and is_agent(request) else reader(request)

        server.respond = respond
        yield scope


@pytest.mark.parametrize("mode", ["values", "custom", "messages", "updates"])
@pytest.mark.slow
async def test_a_server_that_cancels_again_and_again_ends_the_build(server: ModelServer, story: str, mode: Any) -> None:
    graph: Any = read_agent.build().compile(store=InMemoryStore())
    given: Any = {"text": story, "question": "Who?"}
    with cancelled_at(4, server) as scope:
        async for _ in graph.astream(given, context=CONTEXT, stream_mode=mode):
            pass
    left = server.calls
    found = await graph.ainvoke(given, context=CONTEXT)
    assert scope.cancelled_caught and found["usage"]["calls"] > 10 and left < server.calls / 2


async def test_an_agent_s_events_end_what_its_tool_began(server: ModelServer, story: str) -> None:
    store = InMemoryStore()
    document = await PageStore(store).add_document(story)
    model = init_chat_model("openai:double", base_url=server.url)
    agent: Any = create_agent(model, [as_tool(store, documents=[document.id], method="read-agent", context=CONTEXT)])
    with cancelled_at(5, server, agent=True) as scope:
        async for _ in until_left(agent.astream({"messages": [("user", "Who?")]}, stream_mode="messages")):
            pass
    answer = await ask(store, "Who?", documents=[document.id], method="read-agent", context=CONTEXT)
    assert scope.cancelled_caught and answer.usage["calls"] > 10


async def test_what_a_tool_began_ends_with_its_call(server: ModelServer, story: str) -> None:
    store = InMemoryStore()
    document = await PageStore(store).add_document(story)
    with cancelled_at(4, server) as scope:
        await ask(store, "Who?", documents=[document.id], method="read-agent", context=CONTEXT)
    answer = await ask(store, "Who?", documents=[document.id], method="read-agent", context=CONTEXT)
    assert scope.cancelled_caught and answer.usage["calls"] > 10


@pytest.mark.parametrize("method", [read_agent, gam, mem_walker])
@pytest.mark.parametrize("synchronous", [False, True])
@pytest.mark.slow
def test_a_stream_that_is_left_ends_its_build(server: ModelServer, story: str, method: Any, synchronous: bool) -> None:
    server.latency = 0.02
    store = InMemoryStore()
    graph: Any = method.build().compile(store=store, checkpointer=InMemorySaver())
    given: Any = {"text": story, "question": "Who?"}
    if synchronous:
        leave_synchronously(graph, given)
    else:
        asyncio.run(leave(graph, given))
    left = server.calls
    found = graph.invoke(given, THREAD, context=CONTEXT)
    assert found["status"] == "answered"
    assert left < server.calls / 2, "it went on until the whole text was read"


def interrupted_at(call: int, server: ModelServer) -> None:
    """Send this process Ctrl-C at a call to the model."""

    def respond(request: ChatRequest) -> Any:
        if any(request is each for each in server.requests[call - 1 : call]):
            os.kill(os.getpid(), signal.SIGINT)
        return reader(request)

    server.respond = respond


def test_ctrl_c_ends_the_build_of_a_synchronous_run(server: ModelServer, story: str) -> None:
    server.latency = 0.02
    interrupted_at(3, server)
    graph: Any = read_agent.build().compile(store=InMemoryStore(), checkpointer=InMemorySaver())
    given: Any = {"text": story, "question": "Who?"}
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(given, THREAD, context=CONTEXT)
    found = graph.invoke(given, THREAD, context=CONTEXT)
    assert found["status"] == "answered"
    assert found["usage"]["calls"] > 10, "it waited for the build that went on"


def test_ctrl_c_ends_what_a_tool_began(server: ModelServer, story: str) -> None:
    server.latency = 0.02
    interrupted_at(3, server)
    store = InMemoryStore()
    document = asyncio.run(PageStore(store).add_document(story))
    tool = as_tool(store, documents=[document.id], method="read-agent", context=CONTEXT)
    with pytest.raises(KeyboardInterrupt):
        tool.invoke({"question": "Who?"})
    answer: Any = tool.invoke({"name": "ask", "args": {"question": "Who?"}, "id": "1", "type": "tool_call"}).artifact
    assert answer["usage"]["calls"] > 10, "it waited for the build that went on"

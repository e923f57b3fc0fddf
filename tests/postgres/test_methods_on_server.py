"""Every method, and an agent, over a PostgreSQL server, as on many machines: `pytest -m postgres`."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import StateGraph
from langgraph.store.postgres.aio import AsyncPostgresStore

from readgraph import ReaderContext
from readgraph.features.agents.lives import agent_config
from readgraph.features.agents.mem_gpt import build_chat
from readgraph.graphs.methods import METHODS
from tests.doubles.agent import Script, call, say
from tests.doubles.model_server import ModelServer
from tests.support.postgres_server import postgres, programs

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed (Debian: apt install postgresql)"),
]
CONTEXT = ReaderContext(
    model="openai:double", embeddings="openai:double-embeddings", segment_words=200, children=3, memo_page_words=400
)


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres() as address:
        yield address


Build = Callable[[], "StateGraph[Any, Any, Any, Any]"]


async def asked(database: str, build: Build, given: Any, config: RunnableConfig) -> dict[str, Any]:
    """The output of a graph over new connections, as of another machine."""
    opened = AsyncPostgresStore.from_conn_string(database), AsyncPostgresSaver.from_conn_string(database)
    async with opened[0] as store, opened[1] as checkpointer:
        await store.setup()
        await checkpointer.setup()
        graph = build().compile(checkpointer=checkpointer, store=store)
        return dict(await graph.ainvoke(given, config, context=CONTEXT))


@pytest.mark.parametrize("method", METHODS)
async def test_a_thread_goes_on_elsewhere(server: ModelServer, database: str, story: str, method: str) -> None:
    build, thread = METHODS[method].build, RunnableConfig(configurable={"thread_id": method})
    first = await asked(database, build, {"text": story[:9000], "question": "Who took the log book?"}, thread)
    second = await asked(database, build, {"question": "When did the goat come?"}, thread)
    assert (first["status"], second["status"]) == ("answered", "answered")
    assert (first["document"], first["memory"]) == (second["document"], second["memory"])
    assert second["usage"]["calls"] <= first["usage"]["calls"], "what was read is not read again"
    assert first["usage"]["calls"] + second["usage"]["calls"] == server.calls


async def test_an_agent_goes_on_elsewhere(server: ModelServer, database: str) -> None:
    server.respond = Script(
        call("memory_append", request_heartbeat=True, block="human", text="Keeps goats."),
        say("Noted."),
        call("recall_search", request_heartbeat=True, words="goats"),
        say("You do."),
    )
    for text, reply in (("I keep goats.", "Noted."), ("Do I keep goats?", "You do.")):
        event = {"kind": "user", "text": text, "document": ""}
        found = await asked(database, build_chat, {"agent": "ada", "event": event}, agent_config("ada"))
        assert found["said"] == [reply]
    assert "Keeps goats." in server.requests[-1].text and "I keep goats." in server.requests[-1].text

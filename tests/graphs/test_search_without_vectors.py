"""Where a server of embeddings fails, the search goes on by words, is counted so, and is whole at the next question."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_openai import OpenAIEmbeddings
from starlette.responses import Response

from readgraph.features.agents.reader_agent import build as build_reader_agent
from readgraph.features.compression import ReadAgentGistEngine
from readgraph.graphs.methods import METHODS
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from tests.doubles.agent import Script, call
from tests.doubles.model_faults import embeddings, error_response
from tests.doubles.model_server import ModelServer
from tests.doubles.pipeline import Pipeline
from tests.doubles.reader import asked_for, reader
from tests.doubles.researcher import researcher
from tests.support.command import Command
from tests.support.examples import STORY

GOAT = "What did the keeper's Remarks for 19 January say about a goat?"
CONTEXT = ReaderContext(
    model="openai:double",
    embeddings="openai:double-embeddings",
    embedding_batch=4,
    concurrency=1,
    retry_seconds=5,
    retrieval_words=300,
    memo_page_words=300,
    rounds=1,
)


def fail_after(server: ModelServer, calls: int, status: int = 500) -> None:
    """Let the server fail from its next so many calls on."""
    last = server.embedding_calls + calls

    def respond(body: dict[str, Any]) -> Response:
        return embeddings(body) if server.embedding_calls <= last else error_response(status, "out of memory")

    server.embed = respond


def repair(server: ModelServer) -> set[str]:
    """Let the server work again; returns the texts whose vectors it has given."""
    server.embed = embeddings
    given = {text for texts in server.embedded[:2] for text in texts}
    server.embedded.clear()
    return given


def answer_research(request: Any) -> Any:
    return reader(request) if asked_for(request) in ("MemoAndHeader", "") else researcher(request)


@pytest.mark.parametrize(
    ("method", "settings", "status"),
    [
        ("dense", {}, 500),
        ("fused", {}, 400),
        ("retrieved-pages", {"ranking": "embeddings"}, 400),
        ("retrieved-pages", {"ranking": "both", "rank_gists": True}, 500),
        ("gam", {}, 400),
        ("gam", {"tools": ("vector",)}, 500),
    ],
)
async def test_a_search_goes_on_by_words_and_is_whole_later(
    server: ModelServer, library: Library, whole_story: str, method: str, settings: dict[str, Any], status: int
) -> None:
    if method == "gam":
        server.respond = answer_research
    document = await library.pages.add_document(whole_story, title="story")
    graph = METHODS[method].build().compile(store=library.store)
    context = replace(CONTEXT, **settings)

    async def ask(question: str) -> dict[str, Any]:
        return dict(await graph.ainvoke({"document": document.id, "question": question}, context=context))

    fail_after(server, 2, status)
    found = await ask(GOAT)
    assert found["fallbacks"]["vector_search"] >= 1
    assert found["pages_read"]
    for done in found.get("rounds", []):
        assert {tool for hit in done["hits"] for tool in hit["tools"]} == {"keyword"}, "it is called what it is"
    (said, *_) = [step["summary"] for step in found["steps"] if "by words, not by vectors: The " in step["summary"]]
    assert f"({status})" in said and "\n" not in said and "ranked by embeddings" not in said
    given = repair(server)
    again = await ask("Who was the keeper?")
    assert "vector_search" not in again["fallbacks"] and server.embedded
    assert given and given.isdisjoint(text for texts in server.embedded for text in texts), "they were kept"


async def test_a_query_without_a_vector_is_searched_for_by_words(
    server: ModelServer, library: Library, whole_story: str
) -> None:
    document = await library.pages.add_document(whole_story, title="story")
    graph = METHODS["dense"].build().compile(store=library.store)
    given: Any = {"document": document.id, "question": GOAT}
    await graph.ainvoke({**given, "question": "Who was the keeper?"}, context=CONTEXT)
    fail_after(server, 0)
    found = await graph.ainvoke(given, context=CONTEXT)
    words = await METHODS["bm25"].build().compile(store=library.store).ainvoke(given, context=CONTEXT)
    assert found["fallbacks"] == {"vector_search": 1}
    assert {*found["pages_read"]} & {*words["pages_read"]}


@pytest.mark.parametrize("name", ["meaning_search", "archival_search"])
async def test_an_agent_is_told_what_was_found_by_words(
    server: ModelServer, library: Library, whole_story: str, name: str
) -> None:
    build: Callable[[], Any] = build_reader_agent if name == "meaning_search" else METHODS["mem-gpt"].build
    server.respond = script = Script(call(name, query="goat"), call("answer", answer="Hay."))
    fail_after(server, 1)
    graph = build().compile(store=library.store)
    found = await graph.ainvoke({"text": whole_story, "question": GOAT}, context=CONTEXT)
    assert found["answer"] == "Hay." and found["fallbacks"]["vector_search"] == 1
    assert "showing " in script.requests[1].text
    assert ("found by words" in script.requests[1].text) == (name == "meaning_search")


def test_a_key_that_is_refused_ends_the_question(server: ModelServer, readgraph: Command) -> None:
    server.embed = lambda _: error_response(401, "no such key")
    ran = readgraph("ask", GOAT, STORY, "--method", "dense", *MODELS)
    assert (ran.code, "refused the key" in ran.err) == (2, True) and "Traceback" not in ran.err


MODELS = ("--model", "openai:double", "--embeddings", "openai:double-embeddings")


def test_a_command_says_why_it_searched_by_words(server: ModelServer, readgraph: Command) -> None:
    ask = ("ask", GOAT, STORY, "--method", "dense", *MODELS)
    fail_after(server, 0)
    ran = readgraph(*ask, "--show-steps")
    assert ran.code == 0
    assert "vector_search 1" in ran.err + ran.out
    assert "failed 9 times (500): go on later, nothing is lost. The search goes on by words." in " ".join(
        ran.err.split()
    )
    repair(server)
    assert readgraph(*ask, "--json").json["fallbacks"] == {}


async def test_a_tool_of_the_mcp_server_answers(
    server: ModelServer, library: Library, whole_story: str, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("mcp", reason="needs pip install 'readgraph[mcp]'")
    from mcp import Client

    from readgraph.doors.mcp.server import LibraryTools, library_server

    document = await library.pages.add_document(whole_story, title="story")
    tools, given = LibraryTools(library, CONTEXT, []), {"document": document.id, "method": "fused"}

    async def ask(client: Client, question: str) -> dict[str, Any]:
        result: Any = await client.call_tool("ask", {**given, "question": question})
        assert not result.is_error, result.content
        return dict(result.structured_content)

    async with Client(library_server(tools)) as client:
        fail_after(server, 2)
        assert (await ask(client, GOAT))["answer"] and "fallback=vector_search" in caplog.text
        kept = repair(server)
        caplog.clear()
        assert (await ask(client, "Who was the keeper?"))["answer"] and "fallback" not in caplog.text
        assert kept.isdisjoint(text for texts in server.embedded for text in texts)
    await tools.jobs.close()


def test_the_reading_room_shows_why(server: ModelServer, tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="needs pip install 'readgraph[serve]'")
    from tests.support.reading_room import reading_room

    fail_after(server, 2, 400)
    with reading_room(tmp_path / "library", CONTEXT) as room:
        document = room.added("story.txt", STORY.read_bytes())["id"]
        told, again = list[dict[str, Any]](), list[dict[str, Any]]()
        for question, events in ((GOAT, told), ("Who was the keeper?", again)):
            events += room.ran(documents=[document], question=question, method="dense")
            repair(server)
    summaries = [step["summary"] for event in told if event["type"] == "step" for step in event["update"]["steps"]]
    assert any("searched by words, not by vectors: The embedding model" in summary for summary in summaries)
    found = [
        next(event for event in events if event["type"] == "result")["report"]["found"] for events in (told, again)
    ]
    assert [each["fallbacks"] for each in found] == [{"vector_search": 1}, {}]


def test_gists_are_recalled_by_words(server: ModelServer) -> None:
    server.embed = lambda _: error_response(400, "out of memory")
    model = OpenAIEmbeddings(model="double", check_embedding_ctx_length=False)
    engine = ReadAgentGistEngine(local_llm_pipeline=Pipeline(), embedding_fn=model)
    engine.ingest("The lamp went out at ten. Nobody saw the boat. Ben took the log book home.")
    assert "lamp" in engine.recall("Which lamp went out?")[0]["episode"]
    failed = server.embedding_calls
    server.embed = embeddings
    assert engine.recall("Which lamp went out?") and server.embedding_calls > failed

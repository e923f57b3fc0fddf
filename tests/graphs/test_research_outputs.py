"""What research gives: context in its forms, ablations, a tool for other agents, the joined graph, the command."""

import warnings
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore

from readgraph.api import research_tool
from readgraph.graphs.gam import build, build_memorize, build_research
from readgraph.graphs.methods import method_named
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.models.embeddings.models import embedding_model
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Memory
from readgraph.state.words import count_words
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, between, reader
from tests.doubles.researcher import (
    CONTEXT,
    QUESTION,
    TRAIL,
    remembered_pages,
    research,
    researcher,
    shown_pages,
    trail_pages,
)
from tests.support.examples import example_named

NOTES = "\n".join(f"At {a} a note said: go on to {b}." for a, b in TRAIL.values())


@pytest.fixture
async def memory(server: ModelServer, library: Library) -> Memory:
    server.respond = researcher
    return await remembered_pages(library.store, trail_pages(), CONTEXT, header="The log, day {}.")


@pytest.mark.parametrize("evidence", ["integration", "pages", "snippets"])
async def test_the_context_holds_notes_and_what_was_asked_for(
    server: ModelServer, library: Library, memory: Memory, evidence: Any
) -> None:
    found = await research(library, memory, replace(CONTEXT, evidence=evidence))
    texts, answering = trail_pages(), server.requests[-1]
    assert found["context"].startswith(NOTES)
    assert between(answering, "notes") == NOTES
    shown = shown_pages(answering)
    expected = {
        "integration": {},
        "pages": {page: f"[The log, day {page}.]\n{texts[page].strip()}" for page in TRAIL},
        "snippets": {page: f"At {a} a note said: go on to {b}." for page, (a, b) in TRAIL.items()},
    }
    assert shown == expected[evidence]
    assert asked_for(answering) == ("AnswerAlone" if evidence == "integration" else "FreeAnswer")
    assert all(body in found["context"] for body in shown.values())
    content = {
        "integration": [],
        "pages": [texts[page] for page in TRAIL],
        "snippets": [*expected["snippets"].values()],
    }
    words = count_words(" ".join([NOTES, *content[evidence]]))
    assert found["compression_rate"] == round(100 * (1 - words / count_words("".join(texts))), 2)
    assert {citation["page"] for citation in found["citations"]} <= {*TRAIL} and found["citations"]


async def test_pages_in_the_context_keep_to_the_budget(server: ModelServer, library: Library, memory: Memory) -> None:
    texts = [text.replace("Nothing else", "Nothing else, " * 300) for text in trail_pages()]
    long = await remembered_pages(library.store, texts, CONTEXT)
    found = await research(library, long, replace(CONTEXT, evidence="pages", window_words=1500))
    assert found["answer"] == "At elm."
    assert all(request.text.count("Nothing else,") <= 750 for request in server.requests)


async def test_the_context_alone(server: ModelServer, library: Library, memory: Memory) -> None:
    found = await research(library, memory, replace(CONTEXT, context_only=True))
    assert (found["status"], found["answer"], found["context"]) == ("researched", None, NOTES)
    assert asked_for(server.requests[-1]) == "Verdict", "no answer was asked for"


@pytest.mark.parametrize("evidence", ["integration", "snippets"])
async def test_a_multiple_choice(server: ModelServer, library: Library, memory: Memory, evidence: Any) -> None:
    context = replace(CONTEXT, evidence=evidence)
    found = await research(library, memory, context, options=["at oak", "at elm"])
    assert (found["choice"], found["answer"], found["status"]) == ("B", "at elm", "answered")
    assert all("A. at oak\nB. at elm" in between(request, "question") for request in server.requests)


async def test_research_without_memory(server: ModelServer, library: Library, memory: Memory) -> None:
    found = await research(library, memory, replace(CONTEXT, without_memory=True))
    assert found["answer"] == "At elm."
    assert not any("Weather of day" in request.text for request in server.requests)


async def test_memory_without_research(server: ModelServer, library: Library, memory: Memory) -> None:
    server.respond = lambda request: {"answer": "Bad weather."}
    found = await research(library, memory, replace(CONTEXT, rounds=0))
    assert (found["answer"], found["pages_read"], server.calls) == ("Bad weather.", [], 1)
    assert "<page 29>\nThe log, day 29.\nWeather of day 29." in server.requests[0].text
    with pytest.raises(BadInput, match="there must be research"):
        replace(CONTEXT, rounds=0, without_memory=True)


async def test_a_long_memory_is_shown_in_part_the_recent_memos_whole(server: ModelServer, library: Library) -> None:
    server.respond = researcher
    memo = "On day {0} the weather was noted at length, " + "and again, " * 30 + "until night {0}."
    memory = await remembered_pages(library.store, trail_pages(200), CONTEXT, memo=memo)
    found = await research(library, memory, replace(CONTEXT, rounds=1, window_words=2000))
    seen = [int(number) for number in between_pages(server.requests[0])]
    assert seen[-5:] == [195, 196, 197, 198, 199]
    assert 3 in seen, "an older memo, of a page that has to do with the question"
    assert count_words(between(server.requests[0], "memory")) < 1000 + 2 * len(seen) + 1
    assert any(f"saw {len(seen)} of 200 memos" in step["summary"] for step in found["steps"])


def between_pages(request: ChatRequest) -> list[str]:
    return [line[6:-1] for line in between(request, "memory").splitlines() if line.startswith("<page ")]


async def test_research_is_a_tool_for_another_agent(server: ModelServer, library: Library, memory: Memory) -> None:
    tool = research_tool(library, memory.document, CONTEXT, name="search_memory")
    said = await tool.ainvoke({"question": QUESTION})
    assert said == {"context": NOTES, "sources": [*TRAIL], "status": "researched"}
    assert tool.invoke({"question": QUESTION}) == said
    server.respond = lambda request: {"keyword": ["zeppelin"]}
    nothing = await tool.ainvoke({"question": "Zeppelin?"})
    assert nothing == {"context": "", "sources": [], "status": "no_answer"}


async def test_the_example_agent_uses_its_memory(server: ModelServer, tmp_path: Any) -> None:
    example = example_named("agent_with_memory")
    question = "What was stopping the F sharp on Ted's accordion?"
    server.respond = remembering_agent
    assert await example.answer(question, "openai:double", tmp_path / "agent") == "A sequin, I am told."


@pytest.mark.parametrize("model", ["openai:double", ""])
async def test_the_example_retriever_finds_the_pages(server: ModelServer, tmp_path: Any, model: str) -> None:
    embeddings, question = embedding_model("openai:double-embeddings", 9.0), "What was wrong with Ted's accordion?"
    found = await example_named("own_retriever").ask(question, model, embeddings, tmp_path / "own")
    assert (found["status"], server.embedding_calls > 0) == ("answered" if model else "nearest", True)
    hits = [hit for done in found["rounds"] for hit in done["hits"]]
    assert {tool for hit in hits for tool in hit["tools"]} == {"vector"}
    assert {hit["page"] for hit in hits} == {*found["pages_read"]} and found["citations"]


def remembering_agent(request: ChatRequest) -> Any:
    """An agent that asks its memory once, with a memory that notes what it reads of an accordion."""
    if any(tool["function"]["name"].startswith("search_memory") for tool in request.tools):
        told = [message["content"] for message in request.messages if message["role"] == "tool"]
        if not told:
            return {"question": "What was wrong with the accordion?"}
        return "A sequin, I am told." if "sequin" in str(told) else "I don't know."
    wanted = asked_for(request)
    if wanted == "SearchPlan":
        return {"keyword": ["accordion F sharp"]}
    if wanted == "Integrated":
        lines = [line for line in between(request, "pages").splitlines() if "F sharp" in line]
        return {"content": "\n".join(lines), "sources": [*shown_pages(request)], "quotes": []}
    return {"enough": True, "missing": []} if wanted == "Verdict" else reader(request)


async def test_the_joined_graph_memorises_and_researches_what_grows(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: reader(request) if asked_for(request) == "MemoAndHeader" else researcher(request)
    texts = trail_pages()
    grown = (await append_sessions(library.pages, "log", [SessionText(text) for text in texts[:20]])).document
    compiled = build().compile(store=library.store)
    found = await compiled.ainvoke({"document": grown.id, "question": QUESTION}, context=CONTEXT)
    assert (found["answer"], found["sources"]) == ("At dogwood.", [3, 11, 17])
    await append_sessions(library.pages, "log", [SessionText(text) for text in texts[20:]])
    found = await compiled.ainvoke({"document": grown.id, "question": QUESTION}, context=CONTEXT)
    assert (found["answer"], found["sources"], found["steps"][1]["summary"]) == (
        "At elm.",
        [*TRAIL],
        "read 10 parts after the 20 before",
    )


async def test_a_short_text_in_memory_is_memorised_and_researched_without_a_model() -> None:
    compiled = method_named("gam").build().compile(store=InMemoryStore())
    text = "".join(trail_pages())
    found = await compiled.ainvoke({"text": text, "question": "What did the note at cedar say?"})
    assert (found["status"], found["usage"]["calls"]) == ("nearest", 0)
    assert "cedar" in found["answer"]
    assert [text[c["start"] : c["end"]] for c in found["citations"]] == [c["quote"] for c in found["citations"]]


MESSAGES = ["Ada: Der Schlüssel liegt unter dem blauen Topf.", "Ben: Ich gieße morgen die Bohnen.", "Ada: Gut."]


async def test_research_says_how_many_sessions_are_not_memorised(library: Library) -> None:
    sessions, context = [SessionText(text) for text in MESSAGES], ReaderContext()
    grown = (await append_sessions(library.pages, "Garten", sessions[:1])).document
    await build_memorize().compile(store=library.store).ainvoke({"document": grown.id}, context=context)
    graph, asked = build_research().compile(store=library.store), "Wer gießt die Bohnen?"
    whole = await graph.ainvoke({"document": grown.id, "question": asked}, context=context)
    assert whole["not_memorised"] == {"sessions": 0, "words": 0}
    await append_sessions(library.pages, "Garten", sessions[1:])
    with pytest.warns(UserWarning, match=r"'Garten': 2 sessions \(8 words\) are not memorised"):
        found = await graph.ainvoke({"document": grown.id, "question": asked}, context=context)
    assert found["not_memorised"] == {"sessions": 2, "words": 8}
    step = next(step for step in found["steps"] if step["node"] == "find_memory")
    assert step["summary"].endswith("part; 2 sessions (8 words) are not memorised")
    with pytest.warns(UserWarning, match="2 sessions"):
        said = await graph.ainvoke({"document": grown.id, "messages": [HumanMessage(asked)]}, context=context)
    assert said["messages"][-1].text.endswith("\n\n2 sessions (8 words) are not memorised.")
    joined = build().compile(store=library.store)
    with warnings.catch_warnings(record=True) as told:
        memorised = await joined.ainvoke({"document": grown.id, "question": asked}, context=context)
    assert not [each for each in told if "memorised" in str(each.message)]
    assert memorised["not_memorised"] == {"sessions": 0, "words": 0} and "Bohnen" in memorised["answer"]


async def test_research_says_how_much_of_a_book_is_not_memorised(library: Library, server: ModelServer) -> None:
    document = await library.pages.add_document("\n\n".join(f"Day {day}: a lamp." for day in range(40)), title="log")
    context = ReaderContext(model="openai:double", memo_page_words=50, rounds=1)
    begun = replace(context, max_calls=2)
    await build_memorize().compile(store=library.store).ainvoke({"document": document.id}, context=begun)
    with pytest.warns(UserWarning, match="80 words are not memorised"):
        found = (
            await build_research()
            .compile(store=library.store)
            .ainvoke({"document": document.id, "question": "Who?"}, context=context)
        )
    assert found["not_memorised"] == {"sessions": 0, "words": 80}

"""What an agent searches: by words and by meaning, and the pages that the graph's `read` made."""

from dataclasses import replace
from typing import Any

import pytest

from readgraph.features.agents.lives import forget_agent, undo_turn
from readgraph.features.agents.mem_gpt import build
from readgraph.features.agents.store import agent_id, recall_index
from readgraph.graphs.baselines import read_segments
from readgraph.library.opening import Library
from readgraph.library.search.indexes import indexes_of
from readgraph.state.context import ReaderContext
from tests.doubles.agent import Living, Script, call, say
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for, reader

SAID = "It was what it was, to me and to you."
MEANT = "zeppelin: what was it to you and me"
"""Shares only words with what was said that say nothing alone: no keyword search finds it, the double's vectors do."""

CONTEXT = ReaderContext(model="openai:double", window_words=4000)
BY_MEANING = replace(CONTEXT, embeddings="openai:double-embeddings")


def searches() -> list[Any]:
    return [call("recall_search", words=MEANT), call("archival_search", query=MEANT), say("Yes.")]


@pytest.mark.parametrize("context", [CONTEXT, BY_MEANING], ids=["words", "meaning"])
async def test_storages_are_searched_by_meaning_too(
    library: Library, server: ModelServer, context: ReaderContext
) -> None:
    ada = Living(library, context=context)
    server.respond = script = Script(call("archival_insert", text=SAID), say("Noted."), say("Fine."))
    await ada.turn(SAID)
    await ada.turn("Goats eat lamps.")
    script.steps = searches()
    await ada.turn("What was it?")
    recalled, archived = (await ada.results())[-3:-1]
    found = context is BY_MEANING
    assert (f"user: {SAID}" in recalled, f"passage 0: {SAID}" in archived) == (found, found), (recalled, archived)
    assert ("showing 0 of 0" in archived, server.embedding_calls > 0) == (not found, found)


async def test_what_was_undone_or_forgotten_is_not_found_by_meaning(library: Library, server: ModelServer) -> None:
    ada = Living(library, context=BY_MEANING)
    server.respond = script = Script(call("archival_insert", text=SAID), say("Noted."))
    await ada.turn("Good morning.")
    script.steps = [call("archival_delete", passages=0), *searches()]
    await ada.turn(SAID)
    assert SAID not in (await ada.results())[-2], "it was deleted"
    await undo_turn(ada.graph, "ada")
    script.steps = searches()
    await ada.turn("And now?")
    recalled, archived = (await ada.results())[-3:-1]
    assert SAID not in recalled and SAID in archived, "the turn was taken back, and with it the deletion"
    agent = await ada.store.require_agent("ada")
    await forget_agent(ada.library, agent)
    vectors = await (await indexes_of(library.store)).vectors("openai:double-embeddings")
    for name in (recall_index(agent_id("ada")), agent.index):
        assert (await vectors.extent(name)).count == 0
    assert not await library.store.asearch(("readgraph", "embeddings"))


async def test_a_reading_searches_pages_by_meaning(library: Library, server: ModelServer) -> None:
    server.respond = Script(call("archival_search", query=MEANT), call("answer", answer="So it was."))
    pages = "\n\n".join(["The goat ate a lamp. " * 12, f"{SAID} " * 10, "Rain fell on the gallery. " * 12])
    context = replace(BY_MEANING, min_page_words=30, max_page_words=80)
    graph = build().compile(store=library.store)
    found = await graph.ainvoke({"text": pages, "question": "What was it?"}, context=context)
    assert (found["pages_read"][0], found["answer"]) == (1, "So it was.")


async def test_the_agent_works_on_the_pages_of_another_read(library: Library, server: ModelServer, story: str) -> None:
    """One set of pages: what the agent opens, what is counted as read and what is cited is of the graph's memory."""
    script = Script(call("document_open", document=1, page=2), call("answer", answer="So it was."))
    server.respond = lambda request: script(request) if asked_for(request) == "NextStep" else reader(request)
    document = await library.pages.add_document(story[:9000])
    graph = build(read=read_segments).compile(store=library.store)
    found = await graph.ainvoke(
        {"document": document.id, "question": "What was it?"}, context=replace(CONTEXT, retrieval_words=400)
    )
    memories = await library.pages.memories(document.id)
    assert [memory.id for memory in memories] == [found["memory"]], "no other pages were made"
    assert memories[0].recipe.method == "segments"
    (page,) = await library.pages.pages(found["memory"], [2])
    (text,) = await library.pages.spans(document, [(page.start, page.end)])
    shown = " ".join(script.requests[-1].text.split())
    assert found["pages_read"] == [2] and " ".join(text.split()) in shown

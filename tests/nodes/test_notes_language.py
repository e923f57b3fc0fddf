"""Notes are in the document's language, or in that of the setting; nothing changes for English documents."""

from dataclasses import replace
from typing import Any

import pytest
from langgraph.runtime import Runtime

from readgraph.features.agents.evict import summary_language
from readgraph.features.agents.store import Agent, Event, initial_state
from readgraph.graphs.methods import METHODS
from readgraph.graphs.read_agent import recipe
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.opening import Library
from readgraph.nodes.building.recipes import resolve_notes_language
from readgraph.state.context import ReaderContext
from readgraph.state.records import Memory
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for

GERMAN = "Der Wärter zündete die Lampe an und ging hinunter zum Ufer, wo die Ziege stand.\n\n" * 12
ENGLISH = "The keeper lit the lamp and went down to the shore, where the goat of the house stood.\n\n" * 12
CONTEXT = ReaderContext(
    model="openai:double", min_page_words=40, max_page_words=80, segment_words=50, node_words=60, memo_page_words=60
)


async def read(library: Library, text: str, context: ReaderContext = CONTEXT, method: str = "read-agent") -> Memory:
    document = await library.pages.add_document(text)
    graph: Any = METHODS[method].build().compile(store=library.store)
    found = await graph.ainvoke({"document": document.id}, context=context)
    return await library.pages.memory(document.id, found["memory"])


def languages(server: ModelServer) -> list[str]:
    """The language that each request for a note names, or ""."""
    asked = [request.text for request in server.requests if asked_for(request) in ("", "MemoAndHeader")]
    return [text.rpartition("Write in ")[2].partition(".")[0] if "Write in " in text else "" for text in asked]


@pytest.mark.parametrize("method", ["read-agent", "mem-walker", "gam", "recurrent"])
async def test_notes_are_asked_for_in_the_documents_language(
    library: Library, server: ModelServer, method: str
) -> None:
    memory = await read(library, GERMAN, method=method)
    assert {*languages(server)} == {"German"}
    assert sum("Write in German." in request.text for request in server.requests) == len(languages(server))
    assert memory.recipe.prompts["language"] == 1 and "language" not in memory.recipe.parameters
    assert await read(library, GERMAN, replace(CONTEXT, language="de"), method) == memory
    server.reset()
    english = await read(library, ENGLISH, method=method)
    assert {*languages(server)} == {""} and "language" not in english.recipe.prompts
    assert await read(library, ENGLISH, replace(CONTEXT, language="English"), method) == english


async def test_another_language_makes_another_memory(library: Library, server: ModelServer) -> None:
    english = await read(library, ENGLISH)
    server.reset()
    wanted = replace(CONTEXT, language="de")
    document = await library.pages.document(english.document)
    estimate = await rehearse_method(METHODS["read-agent"], library.pages, document, wanted, {})
    assert estimate.calls.expected > 0
    german = await read(library, ENGLISH, wanted)
    assert {*languages(server)} == {"German"} and german.recipe.parameters["language"] == "de"
    assert german.id != english.id
    estimate = await rehearse_method(METHODS["read-agent"], library.pages, document, wanted, {})
    assert estimate.calls.high == 0


async def test_a_memory_of_earlier_prompts_stays_in_use(library: Library, server: ModelServer) -> None:
    document = await library.pages.add_document(GERMAN)
    before = await library.pages.open_memory(document.id, recipe(CONTEXT))
    assert (await read(library, GERMAN)).id == before.id
    assert (await read(library, GERMAN, replace(CONTEXT, rebuild=True))).id != before.id


async def test_a_memory_without_a_models_notes_has_no_language(library: Library) -> None:
    document = await library.pages.add_document(GERMAN)
    without = recipe(replace(CONTEXT, model="", language="fr"))
    assert await resolve_notes_language(without, document, CONTEXT, library.pages) == (without, "")


async def test_an_agents_summary_is_in_the_language_of_what_it_reads_or_hears(library: Library) -> None:
    german = [Event(0, "user", "", "Der Wärter ging hinunter."), Event(1, "user", "", "Und wo stand die Ziege?")]
    english = [Event(0, "user", "", ENGLISH)]
    runtime = Runtime(context=CONTEXT, store=library.store)
    heard = [await summary_language(None, events, runtime) for events in (german, english, [])]
    assert heard == ["de", "", ""]
    document = await library.pages.add_document(GERMAN)
    agent = Agent("a", "a", "", initial_state("a", []), "", reading=document.id)
    assert await summary_language(agent, english, runtime) == "de"
    assert await summary_language(agent, german, runtime.override(context=replace(CONTEXT, language="fr"))) == "fr"

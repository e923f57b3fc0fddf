"""What baselines and hybrids have in common: the same input and output as ReadAgent, with a model and without."""

from dataclasses import replace
from typing import Any

import pytest

from readgraph.graphs.methods import METHODS
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document
from tests.doubles.model_server import ModelServer
from tests.support.command import assert_cited
from tests.support.some_methods import mostly_slow

CONTEXT = ReaderContext(model="openai:double", embeddings="openai:double-embeddings", segment_words=200, children=3)
WITHOUT_MODEL = replace(CONTEXT, model="")
GOAT = "What did the keeper's Remarks for 19 January say about a goat?"
NAMES = [name for name in METHODS if ".baselines:" in METHODS[name].graph or ".hybrids." in METHODS[name].graph]
each_mostly_slow = pytest.mark.parametrize(
    "method", mostly_slow(NAMES, ["full-text", "fused", "gist-research", "guided-walk"])
)
each = pytest.mark.parametrize("method", NAMES)


@pytest.fixture
def story(story: str) -> str:
    """A part of the story, with the goat in it."""
    return story[4_000:16_000]


@pytest.fixture
async def document(library: Library, story: str) -> Document:
    return await library.pages.add_document(story, title="a part")


async def run(
    method: str, library: Library, document: Document, context: ReaderContext = CONTEXT, **asked: Any
) -> dict[str, Any]:
    graph = METHODS[method].build().compile(store=library.store)
    return dict(await graph.ainvoke({"document": document.id, **asked}, context=context))


@each_mostly_slow
async def test_a_question_is_answered_with_citations(
    server: ModelServer, library: Library, document: Document, story: str, method: str
) -> None:
    found = await run(method, library, document, question=GOAT)
    assert (found["status"], found["answer"]) == ("answered", "It says so.")
    assert found["usage"]["calls"] == server.calls == sum(step["usage"]["calls"] for step in found["steps"])
    assert 0 <= found["compression_rate"] < 100
    if found["pages_read"]:  # notes alone hold no words of the text
        assert_cited(found, story)
    chosen = await run(method, library, document, question=GOAT, options=["the boy", "the gander"])
    assert (chosen["choice"], chosen["answer"]) == ("B", "the gander")


@each
@pytest.mark.slow
async def test_without_a_model_sentences_are_quoted(
    server: ModelServer, library: Library, document: Document, story: str, method: str
) -> None:
    about = "What did Marian say about the lamp?"  # a summary of 375 words still has something about her
    found = await run(method, library, document, WITHOUT_MODEL, question=about)
    assert (found["status"], found["fallbacks"], found["usage"]["calls"]) == ("nearest", {}, 0)
    assert_cited(found, story)
    assert found["answer"] in story
    if found["pages_read"]:  # a summary need not have what is offered
        options = ["a whale", "a lamp and a keeper"]
        chosen = await run(method, library, document, WITHOUT_MODEL, question=about, options=options)
        assert (chosen["status"], chosen["choice"]) == ("nearest", "B")


@each_mostly_slow
async def test_without_a_question_the_memory_is_built(library: Library, document: Document, method: str) -> None:
    found = await run(method, library, document, WITHOUT_MODEL)
    memory = await library.pages.memory(document.id, found["memory"])
    pages = await library.pages.pages(memory.id, range(memory.pages))
    assert (found["status"], memory.complete) == ("reading", True)
    assert [page.start for page in pages] == [0, *(page.end for page in pages[:-1])]
    assert pages[-1].end == document.characters


@each
@pytest.mark.parametrize("most", [0, 1])
@pytest.mark.slow
async def test_a_spent_budget_is_reported(
    server: ModelServer, library: Library, document: Document, story: str, method: str, most: int
) -> None:
    if most:
        await run(method, library, document)
    before = server.calls
    found = await run(method, library, document, replace(CONTEXT, max_calls=most), question=GOAT)
    assert found["status"] in ("answered", "budget") and server.calls - before <= most
    assert found["status"] == "budget" or most
    if most and found["pages_read"]:
        assert_cited(found, story)
    assert (await run(method, library, document, question=GOAT))["status"] == "answered"

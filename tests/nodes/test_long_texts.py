"""Texts whose gists don't fit the window, and texts that are paged in stretches."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.runtime import Runtime

from readgraph.graphs.read_agent import build
from readgraph.library.opening import Library
from readgraph.nodes.bounds import gists_allowed
from readgraph.nodes.building.parts import in_stretches, paragraph_ends, stretch_ends
from readgraph.nodes.extractive import pages_by_rule
from readgraph.state.context import PROFILES, ReaderContext
from readgraph.state.records import Document, Memory, Page
from readgraph.state.words import count_words, first_words
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, pages_shown, passage, reader

CONTEXT = ReaderContext(model="openai:double", min_page_words=100, max_page_words=200)
Responder = Callable[[ChatRequest], str | dict[str, object]]


@pytest.fixture
async def document(library: Library, story: str) -> Document:
    return await library.pages.add_document(story, title="story")


@pytest.fixture
async def beginning(library: Library, story: str) -> Document:
    """The story's beginning, where nothing is to be merged."""
    return await library.pages.add_document(story[:12_000], title="beginning")


@pytest.fixture
async def long(library: Library, whole_story: str) -> Document:
    return await library.pages.add_document(whole_story, title="long")


async def read(library: Library, document: Document, context: ReaderContext, **asked: Any) -> dict[str, Any]:
    compiled = build().compile(store=library.store)
    given: Any = {"document": document.id, **asked}
    return dict(await compiled.ainvoke(given, context=context))


async def pages_of(library: Library, found: dict[str, Any]) -> tuple[Memory, list[Page], int]:
    memory = await library.pages.memory(found["document"], found["memory"])
    notes = await library.pages.notes(memory.id, range(memory.pages))
    return memory, await library.pages.pages(memory.id, range(memory.pages)), sum(note.words for note in notes)


def merging(answer: str) -> Responder:
    """No page begins anew ("no"), each of them does ("yes"), or the reply can't be used."""

    def respond(request: ChatRequest) -> str | dict[str, object]:
        if asked_for(request) != "BeginAnew":
            return reader(request)
        begin = [*pages_shown(request)] if answer == "yes" else []
        return {"nothing": answer} if answer == "nonsense" else {"begin_anew": begin}

    return respond


def assert_tiled(memory: Memory, pages: list[Page], document: Document) -> None:
    assert memory.complete
    assert [page.start for page in pages] == [0, *(page.end for page in pages[:-1])]
    assert [page.number for page in pages] == [*range(len(pages))]
    assert pages[-1].end == document.characters


@pytest.mark.slow
async def test_pages_are_merged_until_their_gists_fit(server: ModelServer, library: Library, long: Document) -> None:
    server.respond = merging("no")
    found = await read(library, long, replace(CONTEXT, window_words=3000), question="Who?")
    memory, pages, words = await pages_of(library, found)
    assert_tiled(memory, pages, long)
    assert words <= 1500
    assert "merged" in found["steps"][2]["summary"]
    assert found["status"] == "answered"
    before = server.calls
    again = await read(library, long, replace(CONTEXT, window_words=3000))
    assert (again["memory"], server.calls) == (found["memory"], before)


@pytest.mark.parametrize("answer", ["yes", "nonsense"])
@pytest.mark.slow
async def test_where_nothing_may_be_merged_gists_of_gists_stand_for_old_pages(
    server: ModelServer, library: Library, document: Document, answer: str
) -> None:
    server.respond = merging(answer)
    _, pages, words = await pages_of(library, await read(library, document, CONTEXT))
    context = replace(CONTEXT, window_words=1500)
    found = await read(library, document, context, question="Who?")
    memory, kept, same = await pages_of(library, found)
    assert (kept, same, memory.complete) == (pages, words, True)
    assert words > gists_allowed(context)
    summary = found["steps"][2]["summary"]
    assert "kept all parts" in summary and "gists of gists for old parts" in summary
    assert max(count_words(request.text) for request in server.requests) <= 1500
    asked = next(request.text for request in server.requests if asked_for(request) == "PagesToRead")
    assert "<page 0-" in asked and f"<page {len(pages) - 1}>" in asked
    assert found["pages_read"] and found["citations"]
    assert ("merge" in found["fallbacks"]) == (answer == "nonsense") and "gists_too_long" not in found["fallbacks"]


async def test_a_window_that_is_large_enough_changes_nothing(
    server: ModelServer, library: Library, beginning: Document
) -> None:
    found = await read(library, beginning, CONTEXT)
    assert "kept all parts" in found["steps"][2]["summary"]
    assert not [request for request in server.requests if asked_for(request) == "BeginAnew"]


@pytest.mark.parametrize("strategy", ["parallel", "sequential"])
@pytest.mark.slow
async def test_pages_are_looked_up_by_importance_until_the_window_is_full(
    server: ModelServer, library: Library, document: Document, strategy: Any
) -> None:
    def respond(request: ChatRequest) -> str | dict[str, object]:
        if asked_for(request) == "PagesToRead":
            return {"reason": "", "pages": [12, 3, 7, 1, 9]}
        return merging("no")(request)

    server.respond = respond
    context = replace(CONTEXT, window_words=1000, max_pages=40, strategy=strategy)
    found = await read(library, document, context, question="Who?")
    _, pages, _ = await pages_of(library, found)
    full = sum(pages[number].words for number in found["pages_read"])
    assert found["pages_read"]
    assert full <= 1000
    assert found["compression_rate"] >= round(100 * (1 - 1000 / document.words), 2)


async def test_stretches_cover_the_text_and_page_at_once(
    server: ModelServer, library: Library, beginning: Document
) -> None:
    server.latency = 0.01
    found = await read(library, beginning, replace(CONTEXT, stretches=4))
    memory, pages, _ = await pages_of(library, found)
    assert_tiled(memory, pages, beginning)
    first_gist = next(n for n, request in enumerate(server.requests) if not asked_for(request))
    assert len({passage(request)[:20] for request in server.requests[: first_gist + 1]}) >= 4
    assert found["usage"]["calls"] == server.calls


async def test_stretches_that_were_stopped_go_on(server: ModelServer, library: Library, beginning: Document) -> None:
    context = replace(CONTEXT, stretches=3)
    whole = await read(library, beginning, replace(context, sample=0))
    _, pages, _ = await pages_of(library, whole)
    for budget in (4, 10, 17, None):
        stopped = await read(library, beginning, replace(context, sample=1, max_calls=budget))
    _, again, _ = await pages_of(library, stopped)
    assert [(page.start, page.end) for page in again] == [(page.start, page.end) for page in pages]


async def test_a_text_that_ends_before_the_last_page_has_no_more_stretches() -> None:
    runtime = Runtime(context=ReaderContext(model="", stretches=4))
    paged = in_stretches(pages_by_rule)("The lamp was out.", Page(7, 0, 400, 80, "rule"), runtime)
    assert [page async for page in paged] == []


@given(
    st.lists(st.sampled_from(["word " * 30, "A Heading", "One line.\nAnother.", "字" * 40]), min_size=1, max_size=60),
    st.integers(1, 9),
)
def test_stretches_end_at_paragraphs(parts: list[str], number: int) -> None:
    text = "\n\n".join(parts)
    ends = paragraph_ends(text)
    chosen = stretch_ends(text, ends, number)
    assert chosen == sorted({*chosen})
    assert len(chosen) <= number
    assert {*chosen} <= {*ends}
    assert chosen[-1] == len(text)


async def test_what_stands_around_is_shown_where_wanted(
    server: ModelServer, library: Library, beginning: Document, story: str
) -> None:
    found = await read(library, beginning, replace(CONTEXT, show_previous_page=True, show_next_paragraph=True))
    _, pages, _ = await pages_of(library, found)
    asked = [request.last for request in server.requests if asked_for(request) == "PausePoint"]
    shown = [f"<before>\n{story[page.start : page.end].strip()}\n</before>\n\n<passage>" for page in pages]
    assert all(prompt.startswith(tuple(shown)) for prompt in asked[1:])
    assert "\n<after>\n" in asked[0]


async def test_a_profile_sets_the_papers_numbers(server: ModelServer, library: Library, document: Document) -> None:
    found = await read(library, document, ReaderContext(model="openai:double", **PROFILES["movie"]))
    _, pages, _ = await pages_of(library, found)
    assert all(600 <= page.words <= 1000 for page in pages[:-1])
    assert "to at most 96 words" in next(request for request in server.requests if not asked_for(request)).last


@pytest.mark.slow
async def test_a_budget_that_ends_a_merge_leaves_all_pages_in_view(
    server: ModelServer, library: Library, long: Document
) -> None:
    built = await read(library, long, CONTEXT)
    context = replace(CONTEXT, window_words=3000, max_calls=4)
    found = await read(library, long, context, question="What of the goat?")
    assert (found["status"], found["memory"]) == ("budget", built["memory"])
    memory, _, words = await pages_of(library, await read(library, long, replace(context, max_calls=None)))
    assert memory.complete
    assert words <= 1500


@pytest.mark.slow
async def test_merging_takes_few_of_the_calls_of_reading(server: ModelServer, library: Library, long: Document) -> None:
    server.respond = lambda request: reader(request) if asked_for(request) else first_words(passage(request), 60)
    context = replace(CONTEXT, window_words=3000)
    await read(library, long, replace(context, window_words=30_000))
    reading, words = server.calls, sum(count_words(request.text) for request in server.requests)
    found = await read(library, long, context)
    memory, pages, _ = await pages_of(library, found)
    assert_tiled(memory, pages, long)
    assert "fit the window" in found["steps"][2]["summary"]
    merging = server.requests[reading:]
    assert 0 < len(merging) <= 0.15 * reading
    assert sum(count_words(request.text) for request in merging) < 0.75 * words
    assert max(count_words(request.text) for request in merging) <= 3000

"""By default a text says how many stretches it is paged in, whatever calls are allowed."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from readgraph import open_library
from readgraph.graphs.read_agent import build, recipe
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.nodes.building.parts import (
    REACH_PAGES,
    STRETCH_PAGES,
    count_begun,
    count_stretches,
    even_page_words,
    join_short_end,
    paragraph_ends,
    stretch_ends,
)
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document, Page
from readgraph.state.words import count_words
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for, passage

CONTEXT = ReaderContext(model="openai:double", min_page_words=20, max_page_words=40)


@pytest.fixture
async def text(library: Library, story: str) -> Document:
    return await library.pages.add_document(story[:8_000], source="/text.txt")


async def read(library: Library, document: Document, context: ReaderContext, **asked: Any) -> tuple[Any, list[Page]]:
    given: Any = {"document": document.id, **asked}
    found = await build().compile(store=library.store).ainvoke(given, context=context)
    memory = await library.pages.memory(document.id, found["memory"])
    return found, await library.pages.pages(memory.id, range(memory.pages))


def test_each_stretch_has_five_pages_or_more(whole_story: str) -> None:
    context = ReaderContext()
    stretches = count_stretches(whole_story, context)
    ends = stretch_ends(whole_story, paragraph_ends(whole_story), stretches, REACH_PAGES / STRETCH_PAGES)
    assert len(ends) == stretches == 4
    assert all(
        count_words(whole_story[start:end]) > 4.9 * even_page_words(context) for start, end in pairwise([0, *ends])
    )
    assert count_stretches(whole_story, replace(context, paging="even")) == 1, "even pages wait for no call"
    assert count_stretches(whole_story, replace(context, stretches=1)) == 1


async def test_pages_are_the_same_whatever_calls_are_allowed(
    server: ModelServer, library: Library, text: Document
) -> None:
    _, four = await read(library, text, replace(CONTEXT, concurrency=4))
    asked = server.calls
    other, pages = await read(library, text, replace(CONTEXT, concurrency=16, sample=1))
    assert (pages, other["usage"]["calls"]) == (four, asked)
    _, in_order = await read(library, text, replace(CONTEXT, stretches=1))
    assert pages != in_order


async def test_a_memory_is_found_where_another_number_of_calls_is_allowed(
    server: ModelServer, library: Library, where: str, text: Document
) -> None:
    built, _ = await read(library, text, replace(CONTEXT, concurrency=4))
    found, _ = await read(library, text, replace(CONTEXT, concurrency=16), question="Who?")
    async with open_library(where) as again:
        later, _ = await read(again, text, replace(CONTEXT, concurrency=1), question="What?")
    assert built["memory"] == found["memory"] == later["memory"]
    assert found["usage"]["calls"] == later["usage"]["calls"] == 2


async def test_what_was_read_in_order_is_used_on_and_never_the_other_way(
    server: ModelServer, library: Library, text: Document, story: str
) -> None:
    in_order, _ = await read(library, text, replace(CONTEXT, stretches=1))
    found, _ = await read(library, text, CONTEXT)
    assert found["memory"] == in_order["memory"] and found["usage"]["calls"] == 0
    assert "older prompts" not in found["steps"][1]["summary"]
    assert not recipe(replace(CONTEXT, stretches=8)).serves(recipe(CONTEXT))
    changed = await library.pages.add_document(f"{story[:8_000]}\n\nThe end.", source="/text.txt")
    asked = server.calls
    await read(library, changed, CONTEXT)
    assert server.calls - asked <= 4, "its unchanged pages stay"
    other = await library.pages.add_document(story[8_000:16_000], title="other")
    default, _ = await read(library, other, CONTEXT)
    one, _ = await read(library, other, replace(CONTEXT, stretches=1))
    assert one["memory"] != default["memory"]


@pytest.mark.parametrize("budget", [{"max_calls": 20}, {"max_words": 1_500}])
async def test_a_budget_is_spent_on_pages_with_their_notes(
    server: ModelServer, library: Library, text: Document, budget: dict[str, Any]
) -> None:
    whole, pages = await read(library, text, CONTEXT)
    stopped, some = await read(library, text, replace(CONTEXT, sample=1, **budget))
    notes = await library.pages.notes(stopped["memory"], range(len(some)))
    assert len(some) - STRETCH_PAGES <= len(notes) and len(notes) > 3
    _, rest = await read(library, text, replace(CONTEXT, sample=1))
    assert rest == pages and server.calls == 2 * whole["usage"]["calls"], "and nothing was asked for twice"


def test_a_budget_bounds_how_many_stretches_are_begun() -> None:
    context = ReaderContext()
    assert count_begun(context) == context.concurrency
    assert [count_begun(replace(context, max_calls=calls)) for calls in (0, 28, 1_000)] == [1, 2, 16]
    assert count_begun(replace(context, max_words=30_000)) == 3


async def test_a_history_that_grows_keeps_its_pages(server: ModelServer, library: Library, story: str) -> None:
    sessions = [SessionText(story[start : start + 3_000], time=f"day {start}") for start in range(0, 9_000, 3_000)]
    document = (await append_sessions(library.pages, "log", sessions[:2])).document
    _, before = await read(library, document, CONTEXT)
    document = (await append_sessions(library.pages, "log", sessions)).document
    server.requests.clear()
    _, pages = await read(library, document, CONTEXT)
    assert pages[: len(before)] == before and pages[-1].end == document.characters
    labelled = [passage(request) for request in server.requests if asked_for(request) == "PausePoint"]
    assert labelled and not any(story[:60] in each for each in labelled)


def test_a_short_end_of_a_stretch_joins_the_page_before_where_there_is_room() -> None:
    first, page, rest = (Page(0, 0, 150, 30, "model"), Page(1, 150, 250, 25, "model"), Page(2, 250, 300, 10, "rest"))
    assert join_short_end([first, page, rest], CONTEXT) == [first, Page(2, 150, 300, 35, "rest")]
    for whole in ([first], [first, page], [first, replace(rest, words=11)]):
        assert join_short_end(whole, CONTEXT) == whole

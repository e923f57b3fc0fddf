"""Gists by age: what is shown of a memory that grows, and what making it costs."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.graphs.read_agent import build
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.nodes.bounds import OlderGist, choose_gists_by_age, gists_allowed, level_sizes, older_gist_words
from readgraph.state.context import ReaderContext
from readgraph.state.records import Note
from readgraph.state.summary_tree import FAN
from readgraph.state.words import count_words
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, pages_shown, passage, reader

CONTEXT = ReaderContext(model="openai:double", window_words=3000, max_pages=2, min_page_words=280, max_page_words=600)


@given(st.integers(1, 300), st.integers(1, 90), st.integers(100, 3000), st.lists(st.integers(0, 599), max_size=5))
def test_every_page_is_shown_once_and_new_pages_are_the_sharpest(
    pages: int, words: int, most: int, near: list[int]
) -> None:
    notes = {number: Note(number, "", words) for number in range(pages)}
    known = [OlderGist(level, n, "", 10) for level, size in enumerate(level_sizes(pages), 1) for n in range(size)]
    older = choose_gists_by_age(notes, known, pages, most)
    covered = [page for gist in older for page in gist.pages]
    assert covered == sorted({*covered}) and {*covered} <= {*notes}
    assert [gist.level for gist in older] == sorted((gist.level for gist in older), reverse=True)
    alone = {*notes} - {*covered}
    assert not alone or min(alone) > max(covered, default=-1)
    shown = sum(words + 2 for _ in alone) + sum(gist.words + 2 for gist in older)
    fewest = 3 * (words + 2) + 3 * 12 * len(level_sizes(pages))
    assert shown <= max(most, fewest)
    with_near = choose_gists_by_age(notes, known, pages, most, near)
    everywhere = [page for gist in with_near for page in gist.pages]
    assert everywhere == sorted({*everywhere}) and {*everywhere} <= {*notes}


def test_a_gist_that_is_missing_leaves_those_below_it() -> None:
    notes = {number: Note(number, "", 10) for number in range(64)}
    known = [OlderGist(1, number, "", 10) for number in range(16) if number != 3]
    older = choose_gists_by_age(notes, known, 64, 100)
    assert [gist.number for gist in older] == [*range(3), *range(4, 16)]


def remembering(request: ChatRequest) -> str | dict[str, object]:
    """Gist by the first words; name the page whose own gist holds the beacon."""
    if asked_for(request) == "PagesToRead":
        named = [number for number, text in pages_shown(request).items() if "beacon" in text]
        return {"reason": "", "pages": named[:1]}
    if asked_for(request):
        return reader(request)
    return " ".join(passage(request).split()[:60])


def session(number: int, events: int) -> SessionText:
    lines = [f"{number}.{n}: the keeper of lamp {number * n % 97} spoke of oil." for n in range(events)]
    if not number:
        lines[0] = "0.0: the beacon key lies under the third stair."
    return SessionText("\n".join(lines), time=f"day {number}")


async def grown(library: Library, server: ModelServer, sessions: int, events: int, *, asked_every: int) -> list[Any]:
    """A history appended session by session, and asked about in between: what each question found."""
    server.respond = remembering
    graph, found = build().compile(store=library.store), []
    for number in range(sessions):
        document = (await append_sessions(library.pages, "log", [session(number, events)])).document
        if number % asked_every == asked_every - 1:
            given: Any = {"document": document.id, "question": "Where does the beacon key lie?"}
            found.append(await graph.ainvoke(given, context=CONTEXT))
            assert max(count_words(request.text) for request in server.requests) <= CONTEXT.window_words
            server.requests.clear()
    return found


@pytest.mark.slow
async def test_a_history_that_grows_stays_within_the_window(server: ModelServer, library: Library) -> None:
    found = await grown(library, server, 26, 60, asked_every=13)
    assert all(answer["pages_read"] == [0] for answer in found)
    assert all("gists_too_long" not in answer["fallbacks"] for answer in found)
    memory = await library.pages.memory(found[-1]["document"], found[-1]["memory"])
    notes = await library.pages.notes(memory.id, range(memory.pages))
    assert sum(note.words for note in notes) > gists_allowed(CONTEXT)
    before = server.calls
    again: Any = {"document": memory.document, "question": "Whose is the beacon key?"}
    await build().compile(store=library.store).ainvoke(again, context=CONTEXT)
    assert server.calls - before == 2, "nothing is read or gisted twice"


@pytest.mark.slow
async def test_thousands_of_events_in_five_hundred_sessions(server: ModelServer, library: Library) -> None:
    found = await grown(library, server, 500, 50, asked_every=10)
    assert all(answer["pages_read"] == [0] and answer["status"] == "answered" for answer in found)
    calls = [answer["usage"]["calls"] for answer in found]
    assert max(calls[25:]) <= 1.2 * max(calls[:25]), "calls are linear"
    assert not any(re.search("don't fit", step["summary"]) for answer in found for step in answer["steps"])
    memory = await library.pages.memory(found[-1]["document"], found[-1]["memory"])
    assert sum(calls) <= memory.pages * (2 + 1 / (FAN - 1)) + 3 * len(found)


@pytest.mark.parametrize("pages", [1000, 4095])
def test_the_oldest_page_can_be_shown_by_itself(pages: int) -> None:
    most, allowed = older_gist_words(CONTEXT), gists_allowed(CONTEXT)
    notes = {number: Note(number, "", 60) for number in range(pages)}
    known = [OlderGist(level, n, "", most) for level, size in enumerate(level_sizes(pages), 1) for n in range(size)]
    older = choose_gists_by_age(notes, known, pages, allowed, [0])
    assert 0 not in {page for gist in older for page in gist.pages}

"""Histories grow by sessions, and nothing in them ever shifts."""

import asyncio
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.base import Op, PutOp, Result
from langgraph.store.memory import InMemoryStore

from readgraph.library.documents import PART, document_id
from readgraph.library.histories import BETWEEN, SessionText, append_sessions, history, sessions_of
from readgraph.library.opening import Library, open_library
from readgraph.library.page_store import PageStore
from readgraph.library.stored_items import BATCH, ROOT
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, Session
from readgraph.state.words import count_words
from tests.support.forking import ended, forked_call
from tests.support.tables import asked_at

ON_SERVER_TOO = True

FIRST = SessionText("The lamp was lit.", "Lamp", "11 February 2024, 19:05")
SECOND = SessionText("The lamp went out.", time="22 February 2024")

texts = st.text(st.sampled_from("lamp 灯😀\n\r\ud83d"), min_size=1, max_size=40).filter(str.strip)
long_texts = texts.map(lambda text: text * (PART // len(text) + 1))
sessions = st.builds(SessionText, texts | long_texts, st.sampled_from(["", "Lamp"]), st.sampled_from(["", "Monday"]))


class TornStore(InMemoryStore):
    """Makes so many of the writes of a batch, and fails, as a process does that is killed."""

    left = sys.maxsize

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        given = list(ops)
        if not any(isinstance(op, PutOp) for op in given) or len(given) <= self.left:
            return await super().abatch(given)
        await super().abatch(given[: self.left])
        raise ConnectionError("killed")


async def whole(pages: PageStore, name: str) -> tuple[Document, str, list[Session], list[tuple[int, str]]]:
    document = await history(pages, name)
    assert document
    return document, await pages.text(document), await sessions_of(pages, document), await pages.places(document)


def unique(given: list[SessionText]) -> list[SessionText]:
    normal = [SessionText(text.encode("utf-8", "replace").decode().rstrip(), *named) for text, *named in given]
    return list(dict.fromkeys(normal))


@given(st.lists(st.lists(sessions, min_size=1, max_size=4), min_size=1, max_size=4))
async def test_a_history_is_the_same_however_it_came(appends: list[list[SessionText]]) -> None:
    pages, grown = PageStore(InMemoryStore()), ""
    for new in appends:
        appended = await append_sessions(pages, "log", new)
        text = await pages.text(appended.document)
        assert text.startswith(grown), "what was there moved"
        assert len(appended.added) + appended.known == len(new)
        grown = text
    at_once = [session for new in appends for session in new]
    await append_sessions(other := PageStore(InMemoryStore()), "log", at_once)
    document, text, kept, places = await whole(pages, "log")
    assert (text, kept, places) == (await whole(other, "log"))[1:]

    expected = unique(at_once)
    assert [(text[one.start : one.end], one.title, one.time) for one in kept] == [
        (session.text + BETWEEN, session.title, session.time) for session in expected
    ]
    assert [one.number for one in kept] == [*range(1, len(kept) + 1)]
    assert (document.characters, document.words, document.sessions) == (len(text), count_words(text), len(kept))
    assert places == [(one.start, one.place) for one in kept]
    assert await pages.spans(document, [(one.start, one.end) for one in kept]) == [s.text + BETWEEN for s in expected]


@given(st.lists(sessions, min_size=1, max_size=3), st.lists(sessions, min_size=1, max_size=3), st.integers(0, 8))
async def test_an_append_that_is_killed_leaves_nothing_broken(
    killed: list[SessionText], others: list[SessionText], writes: int
) -> None:
    pages = PageStore(store := TornStore())
    await append_sessions(pages, "log", [FIRST])
    before = await whole(pages, "log")
    store.left, taken = writes, [FIRST]
    try:
        await append_sessions(pages, "log", killed)
        taken += killed
    except ConnectionError:
        assert await whole(pages, "log") == before
    store.left = sys.maxsize
    await append_sessions(pages, "log", others)
    await append_sessions(other := PageStore(InMemoryStore()), "log", [*taken, *others])
    assert (await whole(pages, "log"))[1:] == (await whole(other, "log"))[1:]


async def test_of_a_session_that_goes_on_only_what_is_new_is_appended(library: Library) -> None:
    begun, untimed = FIRST._replace(text="Lit.\n\nOut."), SessionText("Lit.")
    await append_sessions(library.pages, "log", [begun, untimed], go_on=True)
    longer = begun._replace(text="Lit.\n\nOut.\n\nLit again.")
    others = [
        begun._replace(text="Lit."),
        begun._replace(text="Lit.\n\nOut.ward"),
        untimed._replace(text="Lit.\n\nOut."),
    ]
    for known in (1, 5):
        appended = await append_sessions(library.pages, "log", [longer, *others, FIRST], go_on=True)
        assert appended.known == known
    _, text, kept, _ = await whole(library.pages, "log")
    assert [text[one.start : one.end].strip() for one in kept] == [
        "Lit.\n\nOut.",
        "Lit.",
        "Lit again.",
        "Lit.\n\nOut.ward",
        "Lit.\n\nOut.",
        FIRST.text,
    ]
    assert [one.time for one in kept[:3]] == [begun.time, "", begun.time]


async def test_more_sessions_than_one_stored_group_holds(library: Library) -> None:
    given = [SessionText(f"Session of day {day}.", time=f"day {day}") for day in range(2 * BATCH + 7)]
    for first in range(0, len(given), 400):
        document = (await append_sessions(library.pages, "days", given[first : first + 400])).document
    kept = await sessions_of(library.pages, document)
    assert [one.time for one in kept] == [session.time for session in given]
    assert await library.pages.place_names(document, [kept[-1].start]) == [
        f"session {len(given)}, day {len(given) - 1}"
    ]
    again = await append_sessions(library.pages, "days", [*given, SessionText("One more.", time="later")])
    assert ([session.time for session in again.added], again.known) == (["later"], len(given))
    named = await library.pages.place_names(again.document, [again.added[0].start])
    assert named == [f"session {len(given) + 1}, later"]


async def test_places_name_the_session(library: Library) -> None:
    document = (await append_sessions(library.pages, " my\nlog ", [FIRST, SECOND])).document
    assert document.title == "my log" and document == await history(library.pages, "my log")
    text = await library.pages.text(document)
    offsets = [text.index("lit"), text.index("went")]
    assert await library.pages.place_names(document, offsets) == [
        "session 1, Lamp, 11 February 2024, 19:05",
        "session 2, 22 February 2024",
    ]


async def test_places_are_those_of_the_history_that_has_the_name_now(library: Library) -> None:
    for session, place in (
        (FIRST, "session 1, Lamp, 11 February 2024, 19:05"),
        (SECOND, "session 1, 22 February 2024"),
    ):
        document = (await append_sessions(library.pages, "log", [session])).document
        assert await library.pages.place_names(document, [0]) == [place]
        await forget_document(library, document)


async def test_an_id_names_its_history_and_never_begins_another(library: Library) -> None:
    first = (await append_sessions(library.pages, "Протокол", [FIRST])).document
    both = (await append_sessions(library.pages, first.id, [SECOND])).document
    assert (both.id, both.title, both.sessions) == (first.id, "Протокол", 2)
    other = await library.pages.add_document("The lamp went out.", title="Lamps")
    with pytest.raises(BadInput, match="'Lamps' is no history"):
        await append_sessions(library.pages, other.id, [FIRST])
    assert {each.id for each in await library.pages.documents()} == {first.id, other.id}


async def test_what_holds_nothing_is_refused(library: Library) -> None:
    for name, new, reason in [
        (" ", [FIRST], "no name"),
        ("log", [], "no session"),
        ("log", [FIRST, SessionText(" \n")], "Session 2 of 2 is empty"),
    ]:
        with pytest.raises(BadInput, match=reason):
            await append_sessions(library.pages, name, new)
    assert await library.pages.documents() == [] and await history(library.pages, "log") is None


async def test_a_record_of_before_there_were_histories_is_read(library: Library) -> None:
    old = {"id": "d", "title": "t", "source": "", "words": 2, "characters": 9, "added": "2026-01-01", "places": 0}
    await library.pages.put([((ROOT, "documents"), "d", old)])
    document = await library.pages.document("d")
    assert document.sessions == 0 and await sessions_of(library.pages, document) == []


async def test_a_history_is_another_document_than_its_text(library: Library) -> None:
    document = (await append_sessions(library.pages, "log", [FIRST])).document
    text = await library.pages.text(document)
    assert document.id != document_id(text) == (await library.pages.add_document(text)).id


async def test_tasks_that_append_at_once_dont_mix() -> None:
    pages = PageStore(InMemoryStore())
    given = [SessionText(f"{task} says {number}. " * 50) for task in "ab" for number in range(10)]
    await asyncio.gather(*(append_sessions(pages, "log", [session]) for session in given))
    _, text, kept, _ = await whole(pages, "log")
    assert {text[one.start : one.end] for one in kept} == {session.text.rstrip() + BETWEEN for session in given}


def append_twelve(folder: Path, name: str) -> None:
    async def append() -> None:
        async with open_library(folder) as library:
            for number in range(12):
                await append_sessions(library.pages, "log", [SessionText(f"{name} says {number}. " * 200)])

    asyncio.run(append())


@pytest.mark.slow
def test_processes_that_append_at_once_dont_mix(tmp_path: Path) -> None:
    running = [forked_call(append_twelve, tmp_path / "both", name) for name in "ab"]
    assert [ended(process) for process in running] == [0, 0]

    async def check() -> None:
        async with open_library(tmp_path / "both") as library:
            _, text, kept, _ = await whole(library.pages, "log")
            said = [text[one.start : one.end].split(". ")[0] for one in kept]
            assert [one.number for one in kept] == [*range(1, 25)]
            for name in "ab":
                assert [each for each in said if each[0] == name] == [f"{name} says {number}" for number in range(12)]

    asyncio.run(check())


async def test_nothing_is_left_of_a_forgotten_history(library: Library, where: str) -> None:
    name = SessionText("Mariposa keeps the lamp. " * 2000, "Mariposa", "Mariposa")
    gone = (await append_sessions(library.pages, "gone", [name, FIRST])).document
    kept = (await append_sessions(library.pages, "kept", [FIRST])).document
    stale: Any = {"text": "Mariposa"}  # as an append leaves it that was killed
    await library.pages.put([((ROOT, "text", gone.id), f"{-(-gone.characters // PART):010d}", stale)])
    await forget_document(library, gone)
    for told in ("Mariposa", gone.id):
        held = f"CAST(value AS TEXT) LIKE '%{told}%' OR prefix LIKE '%{told}%' OR key LIKE '%{told}%'"
        assert asked_at(where, f"SELECT count(*) FROM store WHERE {held}") == [(0,)]
    assert await library.pages.documents() == [kept]
    assert (await append_sessions(library.pages, "gone", [SECOND])).document.sessions == 1

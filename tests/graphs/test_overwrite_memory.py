"""Notes on the question, written anew after each page: what they hold, what comes back, and what it costs."""

import random
import re
import signal
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from readgraph.features.overwrite.earlier_notes import KEPT_READINGS, EarlierNotes
from readgraph.features.overwrite.graph import build
from readgraph.features.overwrite.note_taking import MOST_TURNS, pages_at_once
from readgraph.features.overwrite.question_notes import (
    MOST_PAGES,
    QUESTION_SHARE,
    NewNotes,
    NoteLine,
    chunk_words,
    count_note_words,
    fit_lines,
    format_notes,
    lines_from_reply,
    lines_in,
    most_found_words,
    most_note_words,
    take_notes_prompt,
)
from readgraph.library.opening import Library
from readgraph.library.stored_items import EVERY, ROOT
from readgraph.library.upkeep.compacting import compact
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.models.replies.forms import reply_instructions
from readgraph.nodes.bounds import LAST_STEPS
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ModelUnavailable
from readgraph.state.words import count_words
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.doubles.reader import asked_for, between, reader
from tests.models.test_faulty_readings import FAULTS
from tests.support.command import DOUBLE
from tests.support.forking import ended, forked

CONTEXT = ReaderContext(model="openai:double", chunk_words=50)
OFFLINE = replace(CONTEXT, model="")
KEY = "Old Tamsin hid the brass key of the boathouse under the blue stone beside the well."
ASKED = "Where is the brass key of the boathouse?"


def text_of(pages: int, planted: int | None = None) -> str:
    """A text of so many pages of 50 words, each a paragraph; one begins with the key."""
    days = [f"On day {day} the crew counted {day * 7} gulls above the mast and slept again." for day in range(pages)]
    texts = [f"{KEY} {day}" if number == planted else day for number, day in enumerate(days)]
    return "\n\n".join(" ".join([*text.split(), *["Rain", "fell."] * 25][:50]) for text in texts)


class NoteTaker:
    """Notes the key where it reads it, and drops it with the next page.

    With page `asks` it searches for the key, and it keeps what comes back. Pages in `spoilt` get no usable reply.
    """

    def __init__(self, asks: int | None = None, spoilt: tuple[int, ...] = ()) -> None:
        self.asks, self.spoilt = asks, spoilt
        self.with_key = dict[int, tuple[bool, bool]]()

    def __call__(self, request: ChatRequest) -> str | dict[str, Any]:
        """The notes after a page, or the answer."""
        if asked_for(request) != "NewNotes":
            noted = "brass key" in between(request, "notes")
            return {"answer": "Under the blue stone." if noted else None}
        page = int(re.findall(r"The passage is page (\d+)\.", request.text)[0])
        notes, earlier, passage = (between(request, part) for part in ("notes", "earlier-notes", "passage"))
        self.with_key[page] = "brass key" in notes, "brass key" in earlier
        if page in self.spoilt:
            return "no idea"
        lines = [f"{page * 7} gulls were counted [{page}]"]
        if "brass key" in passage or "brass key" in earlier or (self.asks is not None and page > self.asks + 1):
            lines += [line for line in f"{notes}\n{earlier}".splitlines() if "brass key" in line] or [f"{KEY} [{page}]"]
        return {"notes": lines, "look_back": ["brass key boathouse"] if page == self.asks else []}


async def run(library: Library, text: str, context: ReaderContext = CONTEXT, **more: Any) -> dict[str, Any]:
    graph = build().compile(store=library.store)
    return dict(await graph.ainvoke({"text": text, "question": ASKED, **more}, context=context))  # type: ignore[call-overload]


async def test_what_was_overwritten_comes_back_by_a_search(server: ModelServer, library: Library) -> None:
    server.respond = taker = NoteTaker(asks=30)
    found = await run(library, text_of(40, planted=3))
    assert taker.with_key[4] == (True, False), "noted on its page"
    assert not any(any(taker.with_key[page]) for page in range(5, 31)), "overwritten with the next"
    assert taker.with_key[31] == (False, True) and taker.with_key[32] == (True, False), "found, and taken back"
    assert (found["status"], found["answer"]) == ("answered", "Under the blue stone.")
    assert found["pages_read"] == [3, 39], "the last notes name these"
    assert [(quoted["page"], quoted["quote"]) for quoted in found["citations"]] == [(3, KEY)]
    assert found["usage"]["calls"] == server.calls == 41, "one for each page, and the answer"
    assert not found["fallbacks"] and "earlier" not in found


async def test_without_looking_back_it_is_gone(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: (
        {"notes": [f"{KEY} [{3}]" if KEY in request.text else "Gulls [2]"]}
        if asked_for(request) == "NotesAlone"
        else {"answer": None}
    )
    found = await run(library, text_of(9, planted=3), replace(CONTEXT, look_back=False))
    assert (found["status"], found["answer"], found["by_rule"]) == ("no_answer", None, False)
    for kind in ("note-readings", "earlier-notes"):
        assert await library.store.asearch((ROOT, kind)) == []


async def test_what_is_found_after_the_last_page_is_answered_from(server: ModelServer, library: Library) -> None:
    server.respond = NoteTaker(asks=11)
    found = await run(library, text_of(12, planted=3))
    assert (found["status"], found["pages_read"]) == ("answered", [3, 11])
    assert found["steps"][-3]["summary"].endswith("; found 1 earlier note")


@pytest.mark.parametrize("pages", [6, 24])
async def test_calls_words_and_checkpoints_are_linear(server: ModelServer, library: Library, pages: int) -> None:
    graph = build().compile(store=library.store, checkpointer=library.checkpointer)
    config: Any = {"configurable": {"thread_id": "1"}}
    found = await graph.ainvoke({"text": text_of(pages), "question": ASKED}, config, context=CONTEXT)
    assert found["usage"]["calls"] == pages + 1
    assert max(count_words(request.text) for request in server.requests) < 500
    written_once = [step for step in found["steps"] if step["node"] == "write_notes"]
    assert len(written_once) == -(-pages // 8)


def test_a_long_text_takes_no_more_steps_than_a_run_may_take() -> None:
    for pages in (1, 8, 64, 513, 4000, 100_000):
        assert -(-pages // pages_at_once(pages, 10_000)) <= MOST_TURNS
    assert pages_at_once(4000, LAST_STEPS) == 4000


async def test_all_pages_are_read_however_few_steps_a_run_may_take(server: ModelServer, library: Library) -> None:
    graph = build().compile(store=library.store).with_config(recursion_limit=11)  # five steps would be wanted
    asks: Any = {"text": text_of(36), "question": ASKED}
    found = await graph.ainvoke(asks, context=CONTEXT)
    assert server.calls == 37 and found["status"] == "answered"


@given(st.integers(1000, 6000), st.integers(20, 3000), st.integers(50, 6000), st.data())
def test_a_prompt_fits_the_window(window: int, note_words: int, chunk: int, data: st.DataObject) -> None:
    context = ReaderContext(window_words=window, note_words=note_words, chunk_words=chunk)
    asked = data.draw(st.integers(1, window // QUESTION_SHARE - 2))
    page, notes, found = (each(context) for each in (chunk_words, most_note_words, most_found_words))
    texts = ("word " * page, "word " * notes, "word " * found, "word " * asked)
    prompt = take_notes_prompt(*texts, choices={}, page=4000, most_words=768)
    assert prompt.words + count_words(reply_instructions(NewNotes)) + 6 <= window
    assert chunk_words(context) >= min(chunk, window // 4)


async def test_the_update_gate_leaves_notes_as_they_are(server: ModelServer, library: Library) -> None:
    def gated(request: ChatRequest) -> dict[str, Any]:
        if asked_for(request) != "NewNotes":
            return {"answer": "Under the stone." if "brass key" in between(request, "notes") else None}
        if KEY in between(request, "passage"):
            return {"notes": [KEY], "look_back": []}
        return {"unchanged": True, "notes": ["Gulls."], "look_back": []}

    server.respond = gated
    found = await run(library, text_of(6, planted=2), replace(CONTEXT, update_gate=True))
    assert (found["answer"], found["notes"]) == ("Under the stone.", f"{KEY} [2]")
    assert "nothing on the question in parts 0, 1, 3, 4, 5" in found["steps"][2]["summary"]
    assert "say so in unchanged" in server.requests[0].text and found["usage"]["calls"] == 7
    await run(library, text_of(6, planted=2))
    assert "unchanged" not in server.requests[7].text, "without the gate nothing is asked of it"


async def test_the_exit_gate_ends_the_reading(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: (
        {"notes": [KEY], "look_back": [], "enough": KEY in between(request, "passage")}
        if asked_for(request) == "NewNotes"
        else {"answer": "Under the stone."}
    )
    context = replace(CONTEXT, exit_gate=True)
    found = await run(library, text_of(40, planted=3), context)
    assert (found["answer"], found["usage"]["calls"]) == ("Under the stone.", 5)
    assert found["steps"][2]["summary"].endswith("; enough was noted, 36 parts left unread")
    assert found["compression_rate"] and found["compression_rate"] > 85, "only what was read counts as seen"


async def test_the_block_that_was_used_least_recently_is_overwritten(server: ModelServer, library: Library) -> None:
    seen = list[str]()

    def heads(request: ChatRequest) -> dict[str, Any]:
        if asked_for(request) != "NewNotes":
            return {"answer": "Under the stone." if "brass key" in between(request, "notes") else None}
        seen.append(between(request, "notes"))
        page = int(re.findall(r"The passage is page (\d+)\.", request.text)[0])
        key = KEY in between(request, "passage")
        return {"notes": [KEY if key else f"Gulls on {page}."], "look_back": [], "used": [1]}

    server.respond = heads
    found = await run(library, text_of(9, planted=0), replace(CONTEXT, heads=3))
    assert found["answer"] == "Under the stone." and f"{KEY} [0]" in found["notes"], "a block that is used stays"
    assert seen[0] == "" and seen[1].startswith(f"Block 1:\n{KEY} [0]\nBlock 2:\n(empty)")
    assert "Write block 2 of the notes anew" in server.requests[1].text
    assert found["notes"].count("Gulls") == 2 and found["usage"]["calls"] == 10


async def test_notes_that_are_too_long_are_asked_for_again_and_cut(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: (
        {"notes": ["The boat is red. It leaks. " * 40], "look_back": []}
        if asked_for(request) == "NewNotes"
        else reader(request)
    )
    found = await run(library, text_of(3), replace(CONTEXT, note_words=50, window_words=1000))
    assert found["fallbacks"] == {"notes_cut": 3} and server.calls == 2 * 3 + 1
    assert "has 241 words" not in server.requests[1].text and "the notes have 241 words" in server.requests[1].text
    assert count_words(found["notes"]) <= 50 and re.search(r"\. \[0\]$", found["notes"])
    assert max(count_words(request.text) for request in server.requests) <= 1000


async def test_a_bad_reply_leaves_the_notes_as_they_were(server: ModelServer, library: Library) -> None:
    server.respond = NoteTaker(spoilt=(4,))
    found = await run(library, text_of(5, planted=3))
    assert (found["answer"], found["fallbacks"]) == ("Under the blue stone.", {"take_notes": 1})
    assert found["usage"]["refused"] == 3 and found["pages_read"] == [3]
    assert "no usable reply at part 4: the notes before stay" in found["steps"][2]["summary"]


@pytest.mark.parametrize("spoilt", [(), (2,)])
async def test_what_the_notes_do_not_hold_may_stand_in_a_part_that_could_not_be_read(
    server: ModelServer, library: Library, spoilt: tuple[int, ...]
) -> None:
    server.respond = NoteTaker(spoilt=spoilt)
    found = await run(library, text_of(5))
    assert (found["status"], found["answer"], found["by_rule"]) == ("no_answer", None, bool(spoilt))
    assert found["notes"] and found["fallbacks"] == ({"take_notes": 1} if spoilt else {})


@pytest.mark.parametrize(
    ("reply", "by_rule"), [("no idea", True), ({"unexpected": True}, True), ({"notes": [], "look_back": []}, False)]
)
async def test_where_nothing_was_noted_nobody_is_asked(
    server: ModelServer, library: Library, reply: Any, by_rule: bool
) -> None:
    server.respond = lambda request: reply
    found = await run(library, text_of(3))
    assert (found["status"], found["answer"], found["by_rule"]) == ("no_answer", None, by_rule)
    assert server.calls == (9 if by_rule else 3) and found["pages_read"] == []


async def test_with_a_third_of_bad_replies_it_still_comes_back(server: ModelServer, library: Library) -> None:
    faults = [*FAULTS.values(), *(made() for made in (Fault.not_json, Fault.wrong_schema, Fault.empty))] * 2
    faults += [Fault.truncated(20)] * 20
    server.respond, chance = NoteTaker(asks=30), random.Random(5)
    server.fault_for = lambda request, call: chance.choice(faults) if chance.random() < 1 / 3 else None
    found = await run(library, text_of(40, planted=3))
    assert (found["status"], found["answer"]) == ("answered", "Under the blue stone.")
    assert found["citations"][0]["quote"] == KEY and found["usage"]["refused"] > 3
    assert found["fallbacks"].keys() <= {"take_notes"} and server.calls > 41 * 1.3


@pytest.mark.parametrize("call", [5, 13])
async def test_a_reading_that_was_stopped_goes_on_and_pays_nothing_twice(
    server: ModelServer, library: Library, call: int
) -> None:
    server.respond = NoteTaker(asks=13)
    graph = build().compile(store=library.store, checkpointer=library.checkpointer)
    config: Any = {"configurable": {"thread_id": "1"}}
    server.fault_for = lambda request, number: Fault.unauthorized() if number == call else None
    given: Any = {"text": text_of(20, planted=3), "question": ASKED}
    with pytest.raises(ModelUnavailable):
        await graph.ainvoke(given, config, context=CONTEXT)
    assert (await graph.aget_state(config)).values["next_page"] == call // 8 * 8 and server.calls == call
    found = await graph.ainvoke(None, config, context=CONTEXT)
    assert (found["answer"], found["pages_read"]) == ("Under the blue stone.", [3, 19])
    assert server.calls == 21 + 1, "the call that failed was made again, and no other"
    assert found["usage"]["cached_calls"] == 4
    assert len(await library.store.asearch((ROOT, "note-readings"))) == 1, "it is the same reading"


async def test_a_reading_that_is_begun_anew_leaves_nothing_of_the_one_that_was_stopped(
    server: ModelServer, library: Library
) -> None:
    server.respond, graph = NoteTaker(asks=13), build().compile(store=library.store)
    server.fault_for = lambda request, number: Fault.unauthorized() if number == 15 else None
    given: Any = {"text": text_of(20, planted=3), "question": ASKED}
    with pytest.raises(ModelUnavailable):
        await graph.ainvoke(given, context=CONTEXT)
    await graph.ainvoke(given, context=CONTEXT)
    await graph.ainvoke(given, context=replace(CONTEXT, concurrency=2))
    (kept,) = await library.store.asearch((ROOT, "note-readings"))
    assert kept.value["ended"] and len(await library.store.asearch((ROOT, "earlier-notes"), limit=EVERY)) == 20
    await graph.ainvoke(given, context=replace(CONTEXT, sample=1))
    assert len(await library.store.asearch((ROOT, "note-readings"))) == 2, "another sample is a reading of its own"


async def test_compacting_drops_what_readings_left_that_were_stopped_long_ago(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = EarlierNotes(library.store)
    for reading in ("ended", "stopped"):
        await notes.begin("book", reading)
        await notes.put_lines(reading, 0, ["Die Lampe erlosch [0]"])
    await notes.put_lines("nameless", 0, ["Ida lit it [0]"])
    await notes.end("book", "ended")
    await compact(library)
    left = {item.namespace[-1] for item in await library.store.asearch((ROOT, "earlier-notes"), limit=EVERY)}
    assert left == {"ended", "stopped"}, "it may still go on"
    monkeypatch.setattr("readgraph.features.overwrite.earlier_notes.STOPPED_AFTER", timedelta(seconds=-9))
    await compact(library)
    left = {item.namespace[-1] for item in await library.store.asearch((ROOT,), limit=EVERY)}
    assert "ended" in left and "stopped" not in left
    assert [item.key for item in await library.store.asearch((ROOT, "note-readings"))] == ["ended"]


@pytest.mark.slow
def test_a_killed_command_pays_for_no_part_twice(server: ModelServer, tmp_path: Path) -> None:
    book, taker, asked = tmp_path / "book.txt", NoteTaker(asks=30), list[str]()
    book.write_text(text_of(40, planted=3))

    def killing(request: ChatRequest) -> str | dict[str, Any]:
        if len(asked) in (6, 20, 33):
            process.kill()
        asked.append(request.key)
        return taker(request)

    server.respond, ends = killing, list[int | None]()
    while not ends or ends[-1] != 0:
        more = ("--method", "overwrite-memory", "--chunk-words", 50, "--library", tmp_path / "library")
        process = forked("ask", ASKED, book, *DOUBLE, *more)
        ends.append(ended(process))
    assert ends == [-signal.SIGKILL] * 3 + [0]
    assert len({*asked}) == 41 and len(asked) <= 41 + 3, "at most the call that was under way is made again"


async def test_a_spent_budget_leaves_the_notes_and_reads_on_without_a_model(
    server: ModelServer, library: Library
) -> None:
    server.respond = NoteTaker(asks=3)
    found = await run(library, text_of(20, planted=15), replace(CONTEXT, max_calls=10))
    assert (found["status"], server.calls) == ("budget", 10)
    assert found["steps"][3]["summary"].startswith("read parts 8-9 of 20")
    assert found["steps"][4]["summary"].startswith("the budget is spent: read parts 10-17 of 20")
    assert found["citations"][0]["quote"] == KEY and found["by_rule"]


async def test_without_a_model_the_nearest_sentences_are_kept(server: ModelServer, library: Library) -> None:
    found, again = [await run(library, text_of(20, planted=3), OFFLINE) for _ in range(2)]
    assert (found["status"], server.calls) == ("nearest", 0)
    assert found["citations"][0]["quote"] == KEY and f"{KEY} [3]" in found["notes"]
    assert again["notes"] == found["notes"]
    brief = await run(library, text_of(20, planted=3), replace(OFFLINE, note_words=20))
    assert brief["notes"] == f"{KEY} [3]", "the nearest stays to the end"
    none = await run(library, text_of(3), OFFLINE, question="Xylophones?")
    assert (none["status"], none["notes"], none["pages_read"]) == ("no_answer", "", [])


async def test_an_option_is_chosen_from_the_notes(server: ModelServer, library: Library) -> None:
    found = await run(library, text_of(4, planted=1), options=["the roof", "the stone"])
    assert (found["choice"], found["answer"], found["compression_rate"]) == ("B", "the stone", 0.0)
    assert [finding["page"] for finding in found["findings"]] == found["pages_read"] == [0, 1, 2, 3]
    assert 1 <= len(found["citations"]) <= 3 and not found["fallbacks"]


async def test_pages_are_shared_by_questions_and_earlier_notes_are_forgotten(
    server: ModelServer, library: Library
) -> None:
    document = await library.pages.add_document(text_of(6, planted=3))
    graph = build().compile(store=library.store)
    for question in (ASKED, "Who counted the gulls?"):
        await graph.ainvoke({"document": document.id, "question": question}, context=CONTEXT)
    assert len(await library.pages.memories(document.id)) == 1
    kept = [await library.store.asearch((ROOT, kind), limit=EVERY) for kind in ("note-readings", "earlier-notes")]
    assert [*map(len, kept)] == [2, 12] and all(item.value["ended"] for item in kept[0])
    await forget_document(library, document)
    for kind in ("note-readings", "earlier-notes"):
        assert await library.store.asearch((ROOT, kind), limit=EVERY) == []


async def test_earlier_notes_are_kept_of_the_last_readings_only() -> None:
    notes = EarlierNotes(InMemoryStore())
    for number in range(KEPT_READINGS + 2):
        await notes.begin("book", f"reading-{number}")
        await notes.put_lines(f"reading-{number}", 0, ["The lamp went out [0]"])
    await notes.put_lines("reading-0", 1, ["Ida lit it [1]"])
    assert await notes.lines("reading-0", 1) == ["The lamp went out [0]"], "what lies ahead is not seen"
    for number in range(KEPT_READINGS + 1):
        await notes.end("book", f"reading-{number}")
    left = [number for number in range(KEPT_READINGS + 2) if await notes.lines(f"reading-{number}", 2)]
    assert left == [*range(1, KEPT_READINGS + 2)], "one that has not ended stays"


SEEN = [NoteLine("The lamp was sold to Ida in March", (2,)), NoteLine("Ben rowed", (0, 5))]


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        (["The lamp went out [7]."], [NoteLine("The lamp went out.", (7,))]),
        (["19. Januar: Schnee. [7]"], [NoteLine("19. Januar: Schnee.", (7,))]),
        (["- Ben rowed [0, 5, 7]"], [NoteLine("Ben rowed", (0, 5, 7))]),
        (["Ben rowed [page 5] and sank (p. 7)"], [NoteLine("Ben rowed and sank", (5, 7))]),
        (
            ["Ben rowed [5] It sank [7] It rose [0]"],
            [NoteLine("Ben rowed", (5,)), NoteLine("It sank", (7,)), NoteLine("It rose", (0,))],
        ),
        (["It sank [3]"], [NoteLine("It sank", (7,))]),
        (["In March the lamp was sold to Ida"], [NoteLine("In March the lamp was sold to Ida", (2,))]),
        (["He says in [12] that it sank"], [NoteLine("He says in [12] that it sank", (7,))]),
        (["It sank (1912)"], [NoteLine("It sank (1912)", (7,))]),
        (["It sank [5]", "It sank [7]", " "], [NoteLine("It sank", (5, 7))]),
    ],
)
def test_a_line_names_pages_that_can_be_known(said: list[str], lines: list[NoteLine]) -> None:
    assert lines_from_reply(said, 7, SEEN) == lines
    assert lines_in(format_notes(lines), 13) == lines


@given(st.lists(st.text('ab.– [](),-*"3712p字', min_size=1, max_size=40), max_size=6), st.data())
def test_notes_are_read_as_they_were_written(texts: list[str], data: st.DataObject) -> None:
    pages = st.sets(st.integers(0, 12), min_size=1, max_size=MOST_PAGES)
    lines = [NoteLine(" ".join(text.split()), tuple(sorted(data.draw(pages)))) for text in texts if text.strip()]
    assert lines_in(format_notes(lines), 13) == lines


def test_notes_fit_by_whole_lines_and_sentences() -> None:
    lines = [NoteLine("Ben rowed.", (0,)), NoteLine("The lamp went out. Ida lit it again at nine.", (2,)), SEEN[0]]
    for most in range(1, 30):
        kept = fit_lines(lines, most)
        assert count_note_words(kept) <= max(most, 2) and format_notes(kept)
        assert kept[0].text in ("Ben rowed.", "Ben")
    assert fit_lines(lines, 10)[-1] == NoteLine("The lamp went out.", (2,))
    assert fit_lines(lines, 60) == lines

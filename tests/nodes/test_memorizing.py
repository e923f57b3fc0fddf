"""GAM's memorize: one note a page, in order, at a bounded cost; what is new is memorised, what is there stays."""

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from readgraph.graphs.gam import build_memorize, memorize, memorize_graph, recipe
from readgraph.library.histories import SessionText, append_sessions, sessions_of
from readgraph.library.opening import Library, open_library_in_background
from readgraph.library.page_store import PageStore
from readgraph.nodes.building.notes import MemoRecall
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ModelUnavailable
from readgraph.state.records import Document, Memory, Note, Page
from readgraph.state.words import count_words
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.doubles.reader import between, reader

DATA = Path(__file__).parents[3] / "shared" / "data"
SMALL = ReaderContext(model="openai:double", memo_page_words=60)

Built = tuple[Memory, list[Page], list[Note], dict[str, Any]]


def day(number: int, words: int = 100) -> SessionText:
    """A session of lines of ten words."""
    line = "On day {0} keeper {0} said that line {1} was {0}-{1}."
    return SessionText("\n".join(line.format(number, at) for at in range(words // 10)), time=f"day {number}")


DAYS = [day(number) for number in range(1, 13)]


async def built(library: Library, document: Document, context: ReaderContext = SMALL) -> Built:
    graph = build_memorize().compile(store=library.store)
    found = await graph.ainvoke({"document": document.id}, context=context)
    memory = await library.pages.memory(document.id, found["memory"])
    pages = await library.pages.pages(memory.id, range(memory.pages))
    notes = await library.pages.notes(memory.id, range(memory.pages))
    return memory, pages, notes, dict(found)


async def log(library: Library, sessions: list[SessionText], name: str = "log") -> Document:
    return (await append_sessions(library.pages, name, sessions)).document


def passages(server: ModelServer) -> list[str]:
    return [between(request, "passage") for request in server.requests]


def memo_pages(request: ChatRequest) -> list[int]:
    """The pages whose memos are shown."""
    return [int(page) for page in re.findall(r"(?m)^Page (\d+): ", between(request, "memory"))]


async def test_long_sessions_are_cut_at_turns(library: Library) -> None:
    document = await log(library, [day(1, 400)])
    _, pages, _, _ = await built(library, document, ReaderContext(model="", memo_page_words=150))
    text = await library.pages.text(document)
    assert [page.words for page in pages] == [143, 143, 77, 77]
    assert all(text[page.end - 1] == "\n" for page in pages)


async def test_a_page_has_its_memo_and_header(server: ModelServer, library: Library) -> None:
    document = await log(library, DAYS)
    memory, pages, notes, found = await built(library, document)
    assert memory.complete and memory.recipe.method == "gam" and memory.read_to == document.characters
    assert len(pages) == 24 == server.calls and [note.page for note in notes] == [*range(24)]
    text = await library.pages.text(document)
    for page, note in zip(pages, notes, strict=True):
        assert note.text == "In short: " + " ".join(text[page.start : page.end].split()[:25])
        assert note.words == count_words(note.text) and not note.fallback
        assert note.header == f"Of session {page.number // 2 + 1}, day {page.number // 2 + 1}."
    assert found["fallbacks"] == {} and [step["node"] for step in found["steps"]] == ["open", "memorize"]


async def test_each_page_is_asked_for_with_the_memory_so_far(server: ModelServer, library: Library) -> None:
    document = await log(library, DAYS[:3])
    await built(library, document)
    assert [memo_pages(request) for request in server.requests] == [[*range(number)] for number in range(6)]
    assert server.most_in_flight == 1


async def test_pages_of_a_block_are_memorised_at_once(server: ModelServer, library: Library) -> None:
    server.latency = 0.02
    document = await log(library, DAYS[:5])
    memory, pages, notes, _ = await built(library, document, replace(SMALL, memorize_batch=4))
    assert len(pages) == len(notes) == 10 and memory.complete and 1 < server.most_in_flight <= 4
    shown = sorted(memo_pages(request) for request in server.requests)
    assert shown == [[]] * 4 + [[0, 1, 2, 3]] * 4 + [[*range(8)]] * 2


async def test_a_history_that_grew_goes_on(server: ModelServer, library: Library) -> None:
    document = await log(library, DAYS[:5])
    first, pages, notes, _ = await built(library, document)
    server.reset()
    grown = await log(library, DAYS[:7])
    memory, more_pages, more_notes, found = await built(library, grown)
    assert memory.id == first.id and memory.complete and memory.pages == 14
    assert more_pages[:10] == pages and more_notes[:10] == notes
    assert server.calls == 4 and all("On day 6" in text or "On day 7" in text for text in passages(server))
    assert "after the 10 before" in found["steps"][-1]["summary"]
    assert "took the memory of 14 parts" in (await built(library, grown))[3]["steps"][-1]["summary"]

    at_once = await log(library, DAYS[:7], "another")
    _, same_pages, same_notes, _ = await built(library, at_once)
    assert (same_pages, same_notes) == (more_pages, more_notes)


@pytest.mark.parametrize("block", [1, 4])
async def test_what_was_stopped_goes_on_and_nothing_is_paid_for_twice(
    server: ModelServer, library: Library, block: int
) -> None:
    context = replace(SMALL, memorize_batch=block)
    document = await log(library, DAYS)
    for failing_from in (3, 5, 11):
        # Of a block, an early page fails while later ones are answered.
        failing = f"was {failing_from}-0"
        server.fault_for = lambda request, call, failing=failing: (
            Fault.server_error() if failing in between(request, "passage") else None
        )
        with pytest.raises(ModelUnavailable):
            await built(library, document, context)
    server.fault_for = None
    memory, _, notes, _ = await built(library, document, context)
    assert memory.complete and [note.page for note in notes] == [*range(24)]
    assert len(server.answered) == len({*server.answered}) == 24


async def test_growth_that_was_stopped_goes_on(server: ModelServer, library: Library) -> None:
    await built(library, await log(library, DAYS[:2]))
    grown = await log(library, DAYS[:4])
    memory, pages, notes, _ = await built(library, grown, replace(SMALL, max_calls=0))
    assert not memory.complete and len(pages) > 4 == len(notes)
    memory, _, notes, _ = await built(library, grown)
    assert memory.complete and len(notes) == 8 == server.calls


async def test_a_budget_stops_a_block_whose_pages_wait_for_each_other(server: ModelServer, library: Library) -> None:
    document = await log(library, DAYS)
    memory, _, notes, _ = await built(library, document, replace(SMALL, memorize_batch=4, max_calls=6))
    assert not memory.complete and len(notes) == 6 == server.calls
    assert (await built(library, document, replace(SMALL, memorize_batch=4)))[0].complete and server.calls == 24


@pytest.mark.parametrize("said", [{"memo": " ", "header": "h"}, {"memo": "m", "header": ""}, {"header": "h"}, "no"])
async def test_an_unusable_reply_is_asked_again_then_extracted(
    server: ModelServer, library: Library, said: str | dict[str, object]
) -> None:
    server.respond = lambda request: said if "keeper 2" in between(request, "passage") else reader(request)
    document = await log(library, DAYS[:3])
    memory, pages, notes, found = await built(library, document)
    assert memory.complete and [note.page for note in notes] == [*range(6)]
    assert [note.fallback for note in notes] == [False, False, True, True, False, False]
    assert found["fallbacks"] == {"memo": 2} and found["usage"]["refused"] == 6
    text = await library.pages.text(document)
    for page, note in list(zip(pages, notes, strict=True))[2:4]:
        assert note.text and note.text.split(".")[0] in text[page.start : page.end]
        assert note.header.startswith("session 2, day 2: ")


async def test_equal_memos_shift_nothing(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: {"memo": "The same.", "header": "The same."}
    document = await log(library, DAYS)
    memory, _, notes, _ = await built(library, document)
    assert memory.complete and notes == [Note(number, "The same.", 2, False, "The same.") for number in range(24)]


async def test_two_calls_ask_for_memo_and_header_apart(server: ModelServer, library: Library) -> None:
    def respond(request: ChatRequest) -> str:
        wanted = "header" if "Reply with the header only" in request.text else "memo"
        return "" if wanted == "header" and "keeper 2" in between(request, "passage") else f"The {wanted}."

    server.respond = respond
    document = await log(library, DAYS[:2])
    _, _, notes, found = await built(library, document, replace(SMALL, two_calls=True))
    assert [(note.text, note.fallback) for note in notes] == [("The memo.", False)] * 2 + [("The memo.", True)] * 2
    assert [note.header for note in notes[:2]] == ["The header."] * 2
    assert notes[2].header.startswith("session 2, day 2: ") and found["fallbacks"] == {"header": 2}
    assert found["usage"]["calls"] == 12


async def test_prompts_stay_small_however_long_the_memory(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: {"memo": "memo word " * 30 + between(request, "passage")[:60], "header": "h"}
    document = await log(library, [day(number, 50) for number in range(60)])
    await built(library, document, replace(SMALL, memory_words=300))
    sizes = [count_words(between(request, "memory")) for request in server.requests]
    assert max(sizes) < 300 + 5 * 2 and sizes[-1] > 250
    assert all(memo_pages(request) == sorted({*memo_pages(request)}) for request in server.requests)
    assert memo_pages(server.requests[-1])[-2:] == [57, 58]


@given(st.lists(st.integers(0, 60), max_size=30), st.integers(0, 200), st.integers(1, 5))
def test_the_newest_and_the_nearest_memos_are_shown(sizes: list[int], budget: int, asked: int) -> None:
    memos = [Note(number, f"subject{number} " * size, size) for number, size in enumerate(sizes)]
    recalling = MemoRecall(budget)
    for known in range(0, len(memos) + 1, asked):
        wanted = known // 2
        shown = recalling.near(memos[:known], f"What of subject{wanted}?")
        assert sum(memo.words for memo in shown) <= budget
        assert [memo.page for memo in shown] == sorted({memo.page for memo in shown})
        assert shown == MemoRecall(budget).near(memos[:known], f"What of subject{wanted}?")
        if sum(memo.words for memo in memos[:known]) <= budget:
            assert shown == memos[:known]
        elif known and 0 < memos[wanted].words <= budget / 2:
            assert memos[wanted] in shown, "the one memo that has to do with the page is missing"


async def test_an_old_memo_is_shown_where_the_page_has_to_do_with_it(server: ModelServer, library: Library) -> None:
    sessions = [SessionText("The brass barometer fell off the wall."), *DAYS, SessionText("Who broke the barometer?")]
    await built(library, await log(library, sessions), replace(SMALL, memory_words=200))
    shown = memo_pages(server.requests[-1])
    assert 0 in shown and 24 in shown and 1 not in shown
    assert 0 not in memo_pages(server.requests[-2])


async def test_without_a_model_memos_and_headers_are_extracted(library: Library) -> None:
    sessions = [SessionText("Ann: The goat ate the log book.\nBo: The goat again?\nAnn: The same goat.", time="Monday")]
    document = await log(library, sessions)
    for _ in range(2):
        memory, _, (note,), found = await built(library, document, ReaderContext(model=""))
        assert memory.complete and memory.recipe.model == "" and found["usage"]["calls"] == 0
        assert "goat ate the log book" in note.text
        assert note.header.startswith("session 1, Monday: goat") and "Bo" not in note.header


async def test_any_document_is_read_as_a_stream_of_pages(server: ModelServer, library: Library, story: str) -> None:
    document = await library.pages.add_document(story, title="story", places=[(0, "line 1")])
    memory, pages, notes, _ = await built(library, document, replace(SMALL, memo_page_words=400))
    assert memory.complete and "".join(story[page.start : page.end] for page in pages) == story
    assert len(notes) == len(pages) == -(-document.words // 400) or len(pages) < 2.5 * document.words / 400
    assert {note.header for note in notes} == {"Of line 1."}


async def test_a_changed_file_keeps_what_did_not_change(server: ModelServer, library: Library, story: str) -> None:
    context = replace(SMALL, memo_page_words=200, memorize_batch=4)
    old = await library.pages.add_document(story, source="/story.txt")
    _, pages, _, _ = await built(library, old, context)
    server.reset()
    middle = pages[len(pages) // 2].start
    new = await library.pages.add_document(story[:middle] + "A new line.\n\n" + story[middle:], source="/story.txt")
    memory, _, notes, _ = await built(library, new, context)
    assert memory.complete and [note.page for note in notes] == [*range(memory.pages)]
    assert 0 < server.calls <= 4


def test_the_graph_runs_synchronously_and_takes_a_text(server: ModelServer, tmp_path: Path) -> None:
    with open_library_in_background(tmp_path / "library") as library:
        graph = build_memorize().compile(store=library.store)
        found = graph.invoke({"text": "The lamp was lit."}, context=SMALL)
        assert found["memory"] and found["usage"]["calls"] == 1
    assert memorize_graph.name == "gam_memorize" and memorize.builds


async def test_recipes_tell_memories_apart() -> None:
    changes: list[dict[str, Any]] = [
        {"memorize_batch": 2},
        {"memory_words": 9},
        {"two_calls": True},
        {"memo_page_words": 99},
    ]
    assert len({recipe(replace(SMALL, **change)).fingerprint for change in [{}, *changes]}) == 5
    extracted = ReaderContext(model="")
    assert recipe(extracted) == recipe(replace(extracted, memorize_batch=8)), (
        "without a model nothing depends on the block"
    )


async def test_real_conversations_are_remembered() -> None:
    file = DATA / "locomo_mini.jsonl"
    if not file.exists():
        pytest.skip("the shared sample of conversations is not beside the checkout")
    for line in file.read_text(encoding="utf-8").splitlines():
        sessions = [
            SessionText("\n".join(f"{turn['speaker']}: {turn['text']}" for turn in one["turns"]), time=one["date_time"])
            for one in json.loads(line)["sessions"]
        ]
        pages = PageStore(InMemoryStore())
        document = (await append_sessions(pages, "chat", sessions)).document
        graph = build_memorize().compile(store=pages.store)
        found = await graph.ainvoke({"document": document.id}, context=ReaderContext(model=""))
        memory = await pages.memory(document.id, found["memory"])
        kept = await pages.pages(memory.id, range(memory.pages))
        assert memory.complete and len(sessions) <= memory.pages <= 1.5 * len(sessions)
        ends = {page.end for page in kept}
        assert all(session.end in ends for session in await sessions_of(pages, document))
        assert all(one.end == other.start for one, other in pairwise(kept))
        headers = [note.header for note in await pages.notes(memory.id, range(memory.pages))]
        assert headers[0].startswith(f"session 1, {sessions[0].time}: ")

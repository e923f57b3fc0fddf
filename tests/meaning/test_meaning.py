"""Without a model, texts are searched by meaning too, where an embedding model is installed on this machine."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from readgraph.api import functions, meaning
from readgraph.api.meaning import make_vectors
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.library import Library
from readgraph.library.opening import open_library
from readgraph.library.stored_items import EVERY, ROOT
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.models.embeddings.models import full_name
from readgraph.nodes import meaning as nodes_meaning
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from tests.doubles.meaning import WordMeanings, install
from tests.doubles.model_server import ModelServer
from tests.support.command import Command

ON_SERVER_TOO = True
pytestmark = pytest.mark.quick

GOAT = " ".join(["The goat walked along the gallery at noon.", "Then it walked on, and the gallery shook."] * 6)
FILLER = [
    f"Chapter {number} tells of ledgers, tides, lamps, keepers, letters, boats and the weather on the {number}th day. "
    f"The keeper wrote number {number} in a large book, and the boat brought oil, bread, coal and newspapers for all."
    for number in range(30)
]
TEXT = "\n\n".join([*FILLER[:16], GOAT, *FILLER[16:]])
ASKED = "Which animal strolled on the balcony?"
CONTEXT = ReaderContext(min_page_words=40, max_page_words=80)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> WordMeanings:
    """The stand-in, which nothing asks in the background: each test says when vectors are made."""
    monkeypatch.setattr("readgraph.api.running.begin_vectors", lambda *_: None)
    return install(monkeypatch)


async def put(library: Library, text: str = TEXT) -> Document:
    return await library.pages.add_document(text, title="Sarn")


async def kept(library: Library) -> int:
    return len(await library.pages.search((ROOT, "embeddings"), EVERY))


async def test_what_shares_no_word_is_found_once_vectors_are_made(library: Library, model: WordMeanings) -> None:
    document = await put(library)
    for method in ("read-agent", "gam"):
        before = await functions.ask(library, ASKED, documents=[document], method=method, context=CONTEXT)
        assert (before.answer, before.searched_by) == (None, ["words"])
    assert await functions.search(library, ASKED) == []
    assert await make_vectors(library.pages, [document], CONTEXT)
    for method in ("read-agent", "gam", "mem-walker"):
        after = await functions.ask(library, ASKED, documents=[document], method=method, context=CONTEXT)
        assert after.answer is not None and "goat" in after.answer, method
        assert (after.status, after.searched_by) == ("nearest", ["words", "meaning"])
        assert any("found by its meaning" in notice for notice in after.notices)
    hit = (await functions.search(library, ASKED))[0]
    assert "goat" in hit.text and hit.found_by == ["meaning"] and not hit.marks
    assert (await functions.search(library, "the goat on the balcony"))[0].found_by == ["words", "meaning"]


async def test_never_means_words_alone(library: Library, model: WordMeanings) -> None:
    document, never = await put(library), ReaderContext(meaning="never")
    assert await make_vectors(library.pages, [document], never) and model.texts == []
    await make_vectors(library.pages, [document], CONTEXT)
    answer = await functions.ask(library, ASKED, documents=[document], context=never)
    assert (answer.answer, answer.searched_by) == (None, ["words"])


async def test_each_passage_is_asked_once(library: Library, model: WordMeanings) -> None:
    document = await put(library)
    both = await asyncio.gather(*(make_vectors(library.pages, [document], CONTEXT) for _ in range(2)))
    assert any(both)
    await make_vectors(library.pages, [document], CONTEXT)
    assert len(model.texts) == len({*model.texts}) == await kept(library) > 10


async def test_what_is_made_before_a_kill_stays(library: Library, model: WordMeanings) -> None:
    document, batches = await put(library), iter(range(3))

    def die() -> None:
        if next(batches, None) is None:
            raise asyncio.CancelledError

    model.before = die
    with pytest.raises(asyncio.CancelledError):
        await make_vectors(library.pages, [document], CONTEXT)
    made = await kept(library)
    assert made == 3 * meaning.AT_ONCE
    model.before = lambda: None
    assert await make_vectors(library.pages, [document], CONTEXT)
    assert len(model.texts) == len({*model.texts}) == await kept(library) > made


async def test_of_what_is_appended_only_what_is_new_is_made(library: Library, model: WordMeanings) -> None:
    sessions = [SessionText("\n\n".join(FILLER[:10]), time="12 March 2024")]
    history = (await append_sessions(library.pages, "log", sessions)).document
    await make_vectors(library.pages, [history], CONTEXT)
    first = len(model.texts)
    history = (await append_sessions(library.pages, "log", [SessionText(GOAT, time="13 March 2024")])).document
    found = await functions.ask(library, ASKED, documents=[history], context=CONTEXT)
    assert found.searched_by == ["words"]
    await make_vectors(library.pages, [history], CONTEXT)
    assert first < len(model.texts) <= first + 2
    found = await functions.ask(library, ASKED, documents=[history], context=CONTEXT)
    assert found.answer and "goat" in found.answer


async def test_nothing_is_left_of_a_text_that_is_forgotten_meanwhile(library: Library, model: WordMeanings) -> None:
    document = await put(library)
    await asyncio.gather(make_vectors(library.pages, [document], CONTEXT), forget_document(library, document))
    assert await kept(library) == 0


async def test_documents_that_are_asked_together_share_their_vectors(library: Library, model: WordMeanings) -> None:
    two = [await put(library), await library.pages.add_document("\n\n".join(FILLER[20:]), title="Other")]
    await make_vectors(library.pages, two, CONTEXT)
    asked = len(model.texts)
    found = await functions.ask(library, ASKED, documents=two, context=CONTEXT)
    assert found.answer and "goat" in found.answer and len(model.texts) == asked


async def test_another_tenant_sees_none(where: str, model: WordMeanings) -> None:
    async with open_library(where, namespace="one") as one, open_library(where, namespace="two") as two:
        for tenant in (one, two):
            await put(tenant)
        await make_vectors(one.pages, await one.pages.documents(), CONTEXT)
        assert (await functions.search(one, ASKED), await functions.search(two, ASKED))[1] == []
        assert await kept(one) > 0 == await kept(two)


@pytest.mark.parametrize(
    "text",
    [
        "Die Ziege lief über die Galerie, und niemand wusste, wie sie dorthin gekommen war, denn die Tür war zu. " * 8,
        "山羊在中午走过了画廊，没有人知道它是怎么来的，因为门是关着的。" * 20,
        "سارت الماعز على طول الشرفة عند الظهر ولم يعرف أحد كيف وصلت إلى هناك لأن الباب كان مغلقا. " * 8,
    ],
)
async def test_texts_in_other_languages_are_searched_by_words(library: Library, model: WordMeanings, text: str) -> None:
    document = await put(library, text)
    assert await make_vectors(library.pages, [document], CONTEXT)
    assert model.texts == []
    assert (await functions.ask(library, "Tier?", documents=[document], context=CONTEXT)).searched_by == ["words"]


@pytest.mark.parametrize("text", ["x" * 9000, " ".join(map(str, range(4000))), "a"])
async def test_odd_texts_are_read(library: Library, model: WordMeanings, text: str) -> None:
    document = await put(library, text)
    assert await make_vectors(library.pages, [document], CONTEXT)
    await functions.ask(library, ASKED, documents=[document], context=CONTEXT)
    await functions.search(library, ASKED)


async def test_large_texts_are_made_only_when_asked(
    library: Library, model: WordMeanings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning, "MOST_WORDS", 100)
    document = await put(library)
    await make_vectors(library.pages, [document], CONTEXT)
    assert model.texts == []
    await make_vectors(library.pages, [document], ReaderContext(meaning="always"))
    assert model.texts


async def test_with_a_model_nothing_changes(library: Library, server: ModelServer, model: WordMeanings) -> None:
    document = await put(library)
    await make_vectors(library.pages, [document], CONTEXT)
    found = await functions.ask(library, ASKED, documents=[document], context=ReaderContext(model="openai:double"))
    assert (found.searched_by, found.output.get("searched_by")) == ([], None)


class Broken(WordMeanings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise BadInput("The model is damaged.")

    embed_query = embed_documents  # type: ignore[assignment]


async def test_a_model_that_fails_is_told_once_and_words_go_on(
    library: Library, model: WordMeanings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodes_meaning, "already_told", set())
    document = await put(library)
    install(monkeypatch, Broken())
    with pytest.warns(UserWarning, match=r"The model is damaged\. The search goes on by words\."):
        assert not await make_vectors(library.pages, [document], CONTEXT)
    found = await functions.ask(library, "Where was the goat?", documents=[document], context=CONTEXT)
    assert found.answer and found.searched_by == ["words"]


async def test_vectors_are_made_in_the_background_until_the_library_is_closed(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert go_on.wait(10)

    model = install(monkeypatch, WordMeanings(wait))
    async with open_library(where) as library:
        document = await put(library)
        first = await functions.ask(library, ASKED, documents=[document], context=CONTEXT)
        assert first.searched_by == ["words"]  # the answer did not wait
        assert await asyncio.to_thread(begun.wait, 10)
        threading.Timer(0.05, go_on.set).start()
    assert not any(thread.name == "readgraph-background" for thread in threading.enumerate())
    made = len(model.texts)
    async with open_library(where) as library:
        assert await kept(library) == made
        assert await make_vectors(library.pages, [document], CONTEXT)
        assert (await functions.ask(library, ASKED, documents=[document], context=CONTEXT)).searched_by[1:]
    assert len(model.texts) == len({*model.texts})


def test_the_model_with_other_numbers_has_another_name() -> None:
    assert full_name("local") == "local:all-MiniLM-L6-v2-int8"
    with pytest.raises(BadInput, match="all-MiniLM-L6-v2-int8"):
        full_name("local:all-MiniLM-L6-v2")


def test_the_command_answers_first_and_read_makes_the_rest(
    readgraph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: WordMeanings
) -> None:
    text = tmp_path / "sarn.txt"
    text.write_text(TEXT)
    asked = readgraph("ask", ASKED, text)
    assert asked.code == 0 and "'readgraph read' makes search by meaning ready" in asked.err
    assert readgraph("ask", ASKED, text, "--json").json["searched_by"] == ["words"]
    assert model.texts == []
    assert readgraph("read", text).code == 0
    assert model.texts
    found: dict[str, Any] = readgraph("ask", ASKED, text, "--json").json
    assert "goat" in found["answer"] and found["searched_by"] == ["words", "meaning"]
    assert "found by meaning: it shares no word" in readgraph("search", ASKED, text).text
    assert readgraph("ask", ASKED, text, "--meaning", "never", "--json").json["answer"] is None


@pytest.mark.parametrize("meaning, told", [("always", True), ("auto", False)])
def test_without_the_packages_only_who_asks_for_meaning_is_told_what_to_install(
    readgraph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meaning: str, told: bool
) -> None:
    monkeypatch.setattr(nodes_meaning, "meaning_model", lambda: None)
    monkeypatch.setattr(nodes_meaning, "already_told", set())
    (file := tmp_path / "goat.txt").write_text(GOAT)
    ran = readgraph("ask", "Where did the goat walk?", file, "--meaning", meaning)
    assert ("pip install 'readgraph[meaning]'" in ran.err) == told
    assert "The goat walked" in ran.text

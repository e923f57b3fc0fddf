"""Pages of PDFs as pictures beside the text of parts that were looked up: which, for whom, and what is kept of it."""

import os
import re
from base64 import b64decode
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from reportlab.lib.pagesizes import A5
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from readgraph.api import functions, replay_answer, save_answer
from readgraph.api.documents import store_each
from readgraph.api.results import Answer
from readgraph.features.look import step
from readgraph.features.look.pages import BLOCK, PdfFile
from readgraph.features.look.settings import Look
from readgraph.features.look.step import looking
from readgraph.graphs.methods import METHODS
from readgraph.graphs.read_agent import build
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.opening import Library
from readgraph.models.own.functions import function_model
from readgraph.models.pictures import NOT_SEEN
from readgraph.models.prompt import PICTURE_WORDS
from readgraph.nodes.answering.answer import answer
from readgraph.nodes.answering.citations import mark_seen
from readgraph.sources.loading import read_file
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Citation, Question
from tests.doubles.model_faults import Fault, JsonObject
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, between, reader
from tests.look.reports import PAGES, draw_chart, letter, write_report
from tests.support.command import Command, assert_refused
from tests.support.examples import STORY
from tests.support.some_methods import mostly_slow

QUESTION = "What does the keeper write of the chart?"
SETTINGS: dict[str, Any] = {
    "model": "openai:double",
    "embeddings": "openai:double-embeddings",
    "min_page_words": 60,
    "max_page_words": 110,
    "paging": "even",
    "segment_words": 100,
    "memo_page_words": 110,
}
CHART, SCAN = "PDF page 2", "PDF page 3"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return write_report(tmp_path / "report.pdf")


@pytest.fixture(autouse=True)
def _read_aloud(server: ModelServer) -> None:
    server.respond = reader


def pictures_in(request: ChatRequest) -> dict[str, bytes]:
    """The pictures of a request, by the places that stand before them."""
    pictures, before = dict[str, bytes](), ""
    for message in request.messages:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "image_url":
                pictures[before.partition(", whose")[0]] = b64decode(part["image_url"]["url"].partition("base64,")[2])
            before = part.get("text", "")
    return pictures


def shown(server: ModelServer) -> set[str]:
    """The places of all pictures that were sent."""
    return {place for request in server.requests for place in pictures_in(request)}


async def ask(library: Library, path: Path, method: str = "read-agent", up_to: str = "", **settings: Any) -> Answer:
    context = ReaderContext(**{**SETTINGS, **settings})
    (document,) = await store_each(functions.pages_of(library, context), read_file(path))
    asked: Any = {"documents": [document], "method": method, "up_to": up_to}
    return await functions.ask(library, QUESTION, **asked, context=context)


@pytest.mark.parametrize(
    ("look", "places"),
    [("auto", {CHART, SCAN}), ("always", {f"PDF page {page}" for page in PAGES}), ("never", set()), (None, set())],
)
async def test_pages_are_chosen_as_the_settings_say(
    server: ModelServer, library: Library, report: Path, look: Look | None, places: set[str]
) -> None:
    await ask(library, report, "full-text", look=look)
    assert shown(server) == places


@pytest.mark.parametrize(("up_to", "pages"), [("page 2", [1, 2]), ("30%", [1]), ("10%", []), ("page 4", PAGES)])
async def test_no_page_shows_what_follows_a_place(
    server: ModelServer, library: Library, report: Path, up_to: str, pages: Sequence[int]
) -> None:
    await ask(library, report, "full-text", up_to, look="always")
    assert shown(server) == {f"PDF page {page}" for page in pages}


async def test_a_page_without_text_behind_a_place_is_not_shown(
    server: ModelServer, library: Library, tmp_path: Path
) -> None:
    await ask(
        library,
        write_report(tmp_path / "report.pdf", about=("river", "", "lamp")),
        "full-text",
        "page 1",
        look="always",
    )
    assert shown(server) == {"PDF page 1"}


@pytest.mark.parametrize("method", mostly_slow(METHODS))
async def test_only_what_is_looked_up_is_shown(
    server: ModelServer, library: Library, report: Path, method: str
) -> None:
    answer = await ask(library, report, method, look="always", max_pages=1, max_hops=9)
    for request in server.requests:
        for place in pictures_in(request):
            assert f"On page {place.removeprefix('PDF page ')}," in request.last
    sent = [*dict.fromkeys(place for step in answer.output["steps"] for place in step.get("pictures", ()))]
    assert {*sent} == shown(server)


async def test_a_picture_is_of_bounded_size(server: ModelServer, library: Library, report: Path) -> None:
    await ask(library, report, "full-text", look="auto")
    (pictures,) = filter(None, map(pictures_in, server.requests))
    for png in pictures.values():
        assert max(Image.open(BytesIO(png)).size) == 1024


async def test_a_prompt_has_no_more_pictures_than_its_window_holds(
    server: ModelServer, library: Library, report: Path
) -> None:
    await ask(library, report, look="always", window_words=1900)
    assert max(len(pictures_in(request)) for request in server.requests) == 1


async def test_texts_alone_are_asked_as_before(server: ModelServer, library: Library) -> None:
    sent = list[list[JsonObject]]()
    for look in ("never", "always"):
        server.reset()
        await ask(library, Path(STORY), look=look, namespace=look)
        sent.append([request.body for request in server.requests])
    first, second = (sorted(map(str, bodies)) for bodies in sent)
    assert first == second


def refuse_pictures(request: ChatRequest, _: int) -> Fault | None:
    said = '{"error": {"message": "This model does not support image input.", "type": "invalid_request_error"}}'
    return Fault("no pictures", status=400, body=said) if pictures_in(request) else None


async def test_a_server_that_takes_none_gets_the_text_alone(
    server: ModelServer, library: Library, report: Path
) -> None:
    server.fault_for = refuse_pictures
    answer = await ask(library, report, "full-text", look="auto")
    assert answer.status == "answered"
    assert answer.output["fallbacks"] == {NOT_SEEN: 2}
    assert not any(step.get("pictures") for step in answer.output["steps"])
    server.reset()
    server.fault_for = refuse_pictures
    await ask(library, report, "full-text", look="always", again=True)
    assert not shown(server)  # it is not tried again


async def test_kept_replies_are_of_the_same_pictures(server: ModelServer, library: Library, report: Path) -> None:
    await ask(library, report, "full-text", look="auto")
    server.reset()
    again = await ask(library, report, "full-text", look="auto")
    assert (again.output["usage"]["calls"], server.calls) == (0, 0)
    assert (await ask(library, report, "full-text", look="never")).output["usage"]["calls"] == 1
    write_report(report, bars=(90, 20, 30))
    other = await ask(library, report, "full-text", look="auto")
    assert (other.document, other.output["usage"]["calls"]) == (again.document, 1)


@pytest.mark.parametrize("is_gone", [False, True])
async def test_a_file_that_is_gone_or_another_one_now_is_not_shown(
    server: ModelServer, library: Library, report: Path, is_gone: bool
) -> None:
    (document,) = await store_each(library.pages, read_file(report))
    other = write_report(report.with_name("other.pdf"), bars=(90, 20, 30))
    os.utime(other, (0, 0))  # it is older
    report.unlink() if is_gone else other.replace(report)
    context = ReaderContext(**SETTINGS, look="always")
    with pytest.warns(UserWarning, match="report: its pages are not shown as pictures: .* is gone, or was changed"):
        await functions.ask(library, QUESTION, documents=[document], method="full-text", context=context)
    assert not shown(server)


def test_a_letterhead_is_known_on_a_page_behind_many(tmp_path: Path) -> None:
    canvas, logo = Canvas(str(tmp_path / "letters.pdf"), pagesize=A5), ImageReader(letter())
    for number in range(1, BLOCK + 3):
        canvas.drawString(40, 400, f"On page {number} the keeper writes at some length of the lamp.")
        canvas.drawImage(logo, 40, 460, 200, 80)
        if number == BLOCK + 2:
            draw_chart(canvas, (40, 90, 60))
        canvas.showPage()
    canvas.save()
    file = PdfFile(tmp_path / "letters.pdf", 0, 0)
    assert [page for page in range(1, BLOCK + 3) if file.shows_more(page)] == [BLOCK + 2]


async def test_an_estimate_counts_pictures(server: ModelServer, library: Library, report: Path) -> None:
    (document,) = await store_each(library.pages, read_file(report))
    contexts = [ReaderContext(**SETTINGS, look=look) for look in ("never", "auto", "always")]
    given = {"question": QUESTION, "options": []}
    method = METHODS["full-text"]
    estimates = [await rehearse_method(method, library.pages, document, context, given) for context in contexts]
    words = [estimate.input_words.expected for estimate in estimates]
    assert [each - words[0] for each in words] == [0, 2 * PICTURE_WORDS, 4 * PICTURE_WORDS]
    assert not server.requests
    answer = await ask(library, report, "full-text", look="auto")
    assert answer.output["usage"]["input_words"] >= 2 * PICTURE_WORDS


def note_bar(request: ChatRequest) -> str | JsonObject:
    """Notes a bar of the chart, and a line of the text."""
    if asked_for(request) == "Integrated" and CHART in pictures_in(request):
        before = between(request, "pages").partition("On page 2, line 8")[0]
        part = int(re.findall(r"<page (\d+)>", before)[-1])
        said = ("The chart has 90.", "On page 2, line 8, the keeper writes of the chart.")
        quotes = [{"page": part, "quote": quote} for quote in said]
        return {"content": "The second bar is 90 high.", "sources": [part], "quotes": quotes, "reasoning": ""}
    return reader(request)


async def test_notes_of_research_name_what_was_seen(server: ModelServer, library: Library, report: Path) -> None:
    server.respond = note_bar
    answer = await ask(library, report, "gam", look="auto")
    told = {citation["quote"]: citation.get("seen") for citation in answer.output["citations"]}
    assert told["The chart has 90."] == "in the picture"
    assert told["On page 2, line 8, the keeper writes of the chart."] == "with the text"


async def test_a_model_that_is_known_to_see_needs_no_setting(
    server: ModelServer, library: Library, report: Path
) -> None:
    await ask(library, report, "full-text", model="openai:gpt-5.4-mini")
    assert shown(server) == {CHART, SCAN}


async def test_a_function_gets_the_text_alone(library: Library, report: Path) -> None:
    answer = await ask(library, report, "full-text", model=function_model(lambda prompt: "No."), look="always")
    assert answer.output["fallbacks"][NOT_SEEN] == len(PAGES)


async def test_what_cannot_be_drawn_is_not_shown(
    server: ModelServer, library: Library, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise BadInput("Page 2 of report.pdf can't be drawn.")

    monkeypatch.setattr(step, "page_picture", fail)
    answer = await ask(library, report, "full-text", look="auto")
    assert (answer.status, answer.output["fallbacks"]) == ("answered", {NOT_SEEN: 2})


async def test_documents_that_are_read_as_one_show_their_own_pages(
    server: ModelServer, library: Library, report: Path, tmp_path: Path
) -> None:
    (first,) = await store_each(library.pages, read_file(report))
    other = write_report(tmp_path / "other.pdf", about=("bridge", "chart"))
    (second,) = await store_each(library.pages, read_file(other))
    context = ReaderContext(**SETTINGS, look="auto")
    await functions.ask(library, QUESTION, documents=[first, second], method="full-text", context=context)
    assert shown(server) == {f"report, {CHART}", f"report, {SCAN}", f"other, {CHART}"}


async def test_documents_of_one_name_show_their_pages_by_names_apart(
    server: ModelServer, library: Library, report: Path, tmp_path: Path
) -> None:
    (tmp_path / "later").mkdir()
    later = write_report(tmp_path / "later" / "report.pdf", about=("bridge", "chart"))
    documents = [document for path in (report, later) for document in await store_each(library.pages, read_file(path))]
    context = ReaderContext(**SETTINGS, look="auto")
    answer = await functions.ask(library, QUESTION, documents=documents, method="full-text", context=context)
    places = {place for step in answer.output["steps"] for place in step.get("pictures", ())}
    assert len(places) == 3 and places == shown(server)


@pytest.mark.parametrize(
    ("place", "picture", "seen"),
    [
        (CHART, CHART, True),
        (f"§ 2 Of charts, {CHART} (ii)", CHART, True),
        (SCAN, CHART, False),
        (f"other, § 2 Of charts, {CHART}", f"other, {CHART}", True),
        (f"other, {CHART}", f"report, {CHART}", False),
    ],
)
def test_a_citation_was_seen_on_the_page_of_its_own_document(place: str, picture: str, seen: bool) -> None:
    citation = Citation(page=0, quote="chart", start=0, end=5, place=place)
    mark_seen(citation, [picture])
    assert ("seen" in citation) == seen


def find_bar(request: ChatRequest) -> str | JsonObject:
    """Goes to the part with the chart, and reads a bar of it there, and a line."""
    reply = reader(request)
    if isinstance(reply, dict) and "found" in reply and CHART in pictures_in(request):
        return {**reply, "quotes": ["Second bar: 90", "the keeper writes of the chart."]}
    return reply


@pytest.mark.parametrize("method", ["reflective-walk", "walk-and-research"])
async def test_hybrids_note_what_was_read_off_pictures(
    server: ModelServer, library: Library, report: Path, method: str
) -> None:
    server.respond = find_bar
    answer = await ask(library, report, method, look="auto", segment_words=500)
    told = {snippet["quote"]: (snippet["place"], snippet["seen"]) for snippet in answer.output["snippets"]}
    assert told == {
        "Second bar: 90": (f"{CHART} or {SCAN}", "in the picture"),
        "the keeper writes of the chart.": (CHART, "with the text"),
    }


async def test_an_answer_with_pictures_is_saved_and_repeats(
    server: ModelServer, library: Library, report: Path
) -> None:
    server.respond = read_bar
    answer = await ask(library, report, "full-text", model="openai:gpt-5.4-mini")
    saved = await save_answer(library, answer)
    server.reset()
    assert not (await replay_answer(saved, library=library)).differences
    assert not (await replay_answer(saved, [report])).differences
    write_report(report, bars=(90, 20, 30))
    (difference,) = (await replay_answer(saved, [report])).differences
    assert "no reply to this prompt" in difference
    report.unlink()
    with pytest.raises(BadInput, match="made of the text's file: name that file too"):
        await replay_answer(saved, library=library)
    assert not server.calls


async def test_an_answer_whose_pictures_were_refused_repeats(
    server: ModelServer, library: Library, report: Path
) -> None:
    server.fault_for = refuse_pictures
    answer = await ask(library, report, "full-text", look="auto")
    saved = await save_answer(library, answer)
    assert not (await replay_answer(saved, library=library)).differences


def test_the_command_shows_what_was_seen(server: ModelServer, readgraph: Command, report: Path) -> None:
    server.respond = read_bar
    settings = ("--method", "full-text", "--model", "openai:double", "--look", "auto")
    ran = readgraph("ask", QUESTION, report, *settings)
    assert "(as the model read the picture of the page; its text does not say so: not checked)" in ran.text
    assert "(the model saw the page, too)" in ran.text
    server.fault_for = refuse_pictures
    assert "picture_not_seen 2" in readgraph("ask", "What does it write of the lamp?", report, *settings).text
    assert_refused(readgraph("ask", QUESTION, report, "--look", "often"), "often")


def read_bar(request: ChatRequest) -> str | JsonObject:
    """Reads a bar of the chart, which no text names, where its picture is shown."""
    if asked_for(request) == "FreeAnswer" and CHART in pictures_in(request):
        words = "On page 2, line 8, the keeper writes of the chart."
        quotes = [{"page": 0, "quote": "Second bar: 90"}, {"page": 0, "quote": words}]
        return {"quotes": quotes, "answer": "The second bar is 90 high."}
    return reader(request)


async def test_citations_name_what_was_seen(server: ModelServer, library: Library, report: Path) -> None:
    server.respond = read_bar
    answer = await ask(library, report, "full-text", look="auto")
    said = {citation.quote: (citation.place, citation.seen) for citation in answer.citations}
    assert said == {
        "Second bar: 90": (f"{CHART} or {SCAN}", "in the picture"),
        "On page 2, line 8, the keeper writes of the chart.": (CHART, "with the text"),
    }
    assert "quote_not_found" not in answer.output["fallbacks"]
    assert answer.output["steps"][-1]["summary"] == "found 1 of 2 quotes in the text; 1 read off pictures, not checked"


@pytest.mark.parametrize(("look", "cited"), [("auto", {"Zorblax 19": "in the picture"}), ("never", {})])
async def test_only_words_that_the_text_lacks_are_cited_where_a_picture_was_shown(
    server: ModelServer, library: Library, report: Path, look: Look, cited: dict[str, str]
) -> None:
    said = [(0, "Zorblax 19"), (0, "..."), (0, "keeper writes"), (9, "Zorblax 19")]
    quotes = [{"page": page, "quote": quote} for page, quote in said]
    server.respond = lambda request: {"quotes": quotes, "answer": "Zorblax."}
    answer = await ask(library, report, "full-text", look=look)
    assert {citation.quote: citation.seen for citation in answer.citations} == cited
    assert answer.output["fallbacks"] == {"quote_not_found": len(quotes) - len(cited)}


async def test_a_node_that_looks_is_swapped_in(server: ModelServer, library: Library, report: Path) -> None:
    (document,) = await store_each(library.pages, read_file(report))
    graph = build(answer=looking(answer)).compile(store=library.store)
    context = ReaderContext(**SETTINGS, look="never", max_pages=4)
    await graph.ainvoke(Question(document=document.id, question=QUESTION), context=context)
    assert shown(server)


async def test_looking_keeps_no_loop_waiting_for_files(server: ModelServer, library: Library, report: Path) -> None:
    blockbuster = pytest.importorskip(
        "blockbuster", reason="comes with the development server: pip install 'langgraph-cli[inmem]'"
    )
    context = ReaderContext(**{**SETTINGS, "look": "auto"})
    (document,) = await store_each(functions.pages_of(library, context), read_file(report))
    report.touch()  # since it was read: its bytes are looked at again
    graph = METHODS["read-agent"].build().compile(store=library.store)
    asked: Any = {"document": document.id, "question": QUESTION}
    with blockbuster.blockbuster_ctx("readgraph"):
        await graph.ainvoke(asked, context=context)
    assert CHART in shown(server)

"""What is read up to a place knows nothing of what follows: no request, quote, hit, note or suggestion has a word."""

import json
from dataclasses import replace
from typing import Any

import pytest

from readgraph import api
from readgraph.api import functions
from readgraph.api.documents import documents_as_one
from readgraph.api.running import RunThread
from readgraph.doors.serve.suggesting import suggest_questions
from readgraph.graphs.methods import METHODS
from readgraph.library.corrections import correct
from readgraph.library.histories import SessionText
from readgraph.library.notices import keep_notices
from readgraph.library.opening import Library
from readgraph.sources.formats import plain_text
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from tests.doubles.model_server import ModelServer
from tests.support.command import Command, assert_refused
from tests.support.some_methods import OF_THE_PAPERS, mostly_slow

QUESTION = "What did the keeper carry to the tower?"
KNOWN = "On day {n} the keeper carried lamp oil {n} to the tower. " * 3
HIDDEN = "In year {n} the quagga ate the keeper of the tower. " * 3
TEXT = "\n\n".join(
    f"# Chapter {number}: {title}\n\n" + "\n\n".join(said.format(n=10 * number + each) for each in range(4))
    for number, title, said in ((1, "The lamp", KNOWN), (2, "The oil", KNOWN), (3, "The quagga", HIDDEN))
)
CONTEXT = ReaderContext(
    model="openai:double",
    embeddings="openai:double-embeddings",
    segment_words=60,
    min_page_words=40,
    max_page_words=90,
    children=2,
    memo_page_words=90,
)


async def add(library: Library, title: str = "Log", text: str = TEXT) -> Document:
    places = [(place.start, place.label) for place in plain_text.convert_markdown(text.encode(), "log.md").places]
    return await library.pages.add_document(text, title=title, places=places)


def knows(server: ModelServer, *outputs: object) -> bool:
    """Whether a request, or what came out, has a word of what follows."""
    sent = json.dumps([request.body for request in server.requests]) + json.dumps(server.embedded)
    return "quagga" in (sent + str(outputs)).lower()


@pytest.mark.parametrize("method", mostly_slow(METHODS, [*OF_THE_PAPERS, "fused", "survey"]))
async def test_no_request_of_a_method_has_what_follows(server: ModelServer, library: Library, method: str) -> None:
    document = await add(library)
    for context in (CONTEXT, replace(CONTEXT, model="")):
        whole = await functions.ask(library, QUESTION, documents=[document], method=method, context=context)
        server.reset()
        known = await functions.ask(
            library, QUESTION, documents=[document], method=method, context=context, up_to="chapter 2"
        )
        assert not knows(server, known.output, known.notices), method
        read = await library.pages.memory(known.output["document"], known.memory)
        notes = await library.pages.notes(read.id, range(read.pages))
        tree = await library.store.asearch(("readgraph", "tree", read.id))
        assert not knows(server, notes, [item.value for item in tree])
        assert known.memory != whole.memory and known.status in ("answered", "nearest", "no_answer")


async def test_summaries_checks_and_hits_know_nothing_of_it(server: ModelServer, library: Library) -> None:
    document = await add(library)
    given: Any = {"documents": [document], "up_to": "the oil", "context": CONTEXT}
    summary = await api.summarise(library, **given)
    checked = await api.verify(library, "The keeper carried lamp oil. The keeper was eaten in year 31.", **given)
    hits = await functions.search(library, "keeper tower", documents=[document], up_to="chapter 2")
    assert not knows(server, summary.output, checked.output, hits) and len(hits) > 1
    assert max(hit.end for hit in hits) <= TEXT.index("# Chapter 3")
    assert not await functions.search(library, "quagga", documents=[document], up_to="chapter 2")
    begun = await documents_as_one(library.pages, [document], up_to="chapter 2")
    assert await suggest_questions(library.pages, begun) != await suggest_questions(library.pages, document)
    assert not knows(server, await suggest_questions(library.pages, begun))


@pytest.mark.parametrize("method", ["read-agent", "gam", "mem-walker"])
async def test_notes_of_single_pages_are_not_asked_for_again(
    server: ModelServer, library: Library, method: str
) -> None:
    document = await add(library, text=TEXT.replace("\n\n# Chapter 2", f"\n\n{KNOWN}" * 20 + "\n\n# Chapter 2"))
    read = await functions.read(library, document, method=method, context=CONTEXT)
    await library.pages.forget_paid(document.id)  # no saved reply helps
    server.reset()
    begun = await documents_as_one(library.pages, [document], up_to="chapter 2")
    known = await functions.read(library, begun, method=method, context=CONTEXT)
    noted = sum("passage" in request.text and request.schema_name != "PausePoint" for request in server.requests)
    assert known.complete and known.pages > 6 and noted <= 3, (known.pages, read.pages)


async def test_a_history_is_known_up_to_a_session(server: ModelServer, library: Library) -> None:
    days = {
        "3 May 2023": "The goat sleeps in the barn.",
        "9 June 2023": "And in the tower.",
        "2024": "The quagga came.",
    }
    sessions = [SessionText(f"Ann: {said}", time=day) for day, said in days.items()]
    await functions.remember(library, "goats", sessions, context=CONTEXT)
    server.reset()
    given: Any = {"documents": ["goats"], "context": CONTEXT, "method": "gam"}
    known = await functions.ask(library, "Where does the goat sleep?", up_to="session 2", **given)
    assert not knows(server, known.output) and "9 June 2023" in str(known.output)
    read = await library.pages.memory(known.output["document"], known.memory)
    assert read.pages == 2, "its pages are its sessions"
    for place in ("9 June 2023", "session ٢", "before session 3", "9. Juni 2023"):
        begun = await documents_as_one(library.pages, ["goats"], up_to=place)
        assert begun.id == known.output["document"], place
    assert not await functions.search(library, "quagga", documents=["goats"], up_to="9 June 2023")
    with pytest.raises(BadInput, match="has no place 'session 7'"):
        await functions.ask(library, "Where?", up_to="session 7", **given)


async def test_a_page_is_called_as_citations_call_it(library: Library) -> None:
    text = "The cover.\n\nThe first.\n\nThe second.\n\nThe annex.\n\nThe quagga.\n"
    labels = {"cover": "PDF page 1", "first": "PDF page 4 (1)", "second": "PDF page 5 (2)", "quagga": "PDF page 7 (4)"}
    labels["annex"] = "PDF page 6 (1)"  # of two pages with one number the first is meant
    places = sorted((text.index(f"The {word}"), label) for word, label in labels.items())
    document = await library.pages.add_document(text, title="Book", places=places)
    ways = {
        "second": ["page 2", "page 3", "Book, page 2", "page 2 of 4", "S. 2", "página ٢", "第2页"],
        "first": ["p. 1", "page 1 (4th in the file)"],
    }
    for last, up_to in ((last, up_to) for last, each in ways.items() for up_to in each):
        begun = await documents_as_one(library.pages, [document], up_to=up_to)
        assert (await library.pages.text(begun)).rstrip().endswith(f"The {last}."), up_to
    assert begun.title == "Book until page 1 (4th in the file)"
    with pytest.raises(BadInput, match="its pages are 1 to 7, printed 1 to 4"):
        await documents_as_one(library.pages, [document], up_to="page 9")


async def test_of_subtitles_a_time_counts(library: Library) -> None:
    text = "It begins. The goat sleeps. The quagga comes."
    times = [(0, "0:00:05"), (text.index("The goat"), "0:41:00"), (text.index("The quagga"), "0:43:10")]
    document = await library.pages.add_document(text, title="Film", places=times)
    begun = await documents_as_one(library.pages, [document], up_to="0:42:00")
    assert (await library.pages.text(begun)).rstrip() == "It begins. The goat sleeps."
    for wanted, refused in (
        ("0:00:01", "give a later place"),
        ("0:42", "may be 0:42:00 or 0:00:42"),
        ("42", "no place"),
    ):
        with pytest.raises(BadInput, match=refused):
            await documents_as_one(library.pages, [document], up_to=wanted)
    for wanted in ("42:00", "42 min", "0h42", "41 min 30 s", "2500 s", "42分", "00:42:00,500", "٤٢:٠٠"):
        assert (await documents_as_one(library.pages, [document], up_to=wanted)).characters == begun.characters, wanted


async def test_a_line_and_a_share_count_where_nothing_is_named(library: Library) -> None:
    text = "\n\n".join(f"The goat sleeps, {number}. It dreams." for number in range(10)) + "\n"
    document = await library.pages.add_document(
        text, title="Log", places=[(0, "line 1"), (text.index("The goat sleeps, 4"), "line 9")]
    )
    ends = {"line 5": 2, "Zeile ٤": 1, "第20行": 9, "50%": 4, "½": 4, "la mitad": 4, "12,5 %": 0, "100%": 9}
    for name, last in ends.items():
        begun = await documents_as_one(library.pages, [document], up_to=name)
        assert (await library.pages.text(begun)).rstrip().endswith(f"{last}. It dreams."), name
    for wanted, refused in (("line 21", "has no place"), ("line 0", "give a later place"), ("150%", "has no place")):
        with pytest.raises(BadInput, match=refused):
            await documents_as_one(library.pages, [document], up_to=wanted)
    bare = await library.pages.add_document(f"{text}It wakes.", title="Bare")
    assert (await documents_as_one(library.pages, [bare], up_to="50%")).title == "Bare until 50%"
    with pytest.raises(BadInput, match="its source names none, so give a share, such as '50%'"):
        await documents_as_one(library.pages, [bare], up_to="line 5")


async def test_of_several_documents_those_behind_are_left_out(server: ModelServer, library: Library) -> None:
    one = await add(library, "One", TEXT.replace("quagga", "zebra"))
    two, three = await add(library, "Two"), await library.pages.add_document("A quagga.", title="The quagga")
    many: Any = {"documents": [one, two, three], "context": CONTEXT}
    known = await functions.ask(library, QUESTION, up_to="Two, chapter 2", **many)
    assert [each["title"] for each in known.output["documents"]] == ["One", "Two"]
    assert not knows(server, known.output) and any("zebra" in request.text for request in server.requests)
    assert await documents_as_one(library.pages, [one, two], up_to="One") == one
    assert not await functions.search(library, "quagga", documents=[one, two, three], up_to="Two, chapter 2")
    with pytest.raises(BadInput, match="write 'One, chapter 2' or 'Two, chapter 2'"):
        await functions.ask(library, QUESTION, up_to="chapter 2", **many)
    with pytest.raises(BadInput, match="needs a document"):
        await functions.ask(library, QUESTION, up_to="chapter 2")


async def test_a_follow_up_knows_no_more_than_what_it_follows(server: ModelServer, library: Library) -> None:
    document, saver = await add(library), library.checkpointer
    given: Any = {"documents": [document], "context": CONTEXT, "method": "read-agent"}
    await functions.ask(library, "Who ate the keeper?", thread=RunThread(saver=saver, id="whole"), **given)
    await functions.ask(library, QUESTION, up_to="chapter 2", thread=RunThread(saver=saver, id="begun"), **given)
    with pytest.raises(BadInput, match="up to the same place"):
        thread = RunThread(saver=saver, id="whole", follow_up=True)
        await functions.ask(library, "And why?", up_to="chapter 2", thread=thread, **given)
    server.reset()
    thread = RunThread(saver=saver, id="begun", follow_up=True)
    await functions.ask(library, "And why?", up_to="chapter 2", thread=thread, **given)
    assert server.calls and not knows(server)


@pytest.mark.parametrize(
    ("headings", "ways"),
    [
        (["BOOK ONE", "CHAPTER I", "CHAPTER II", "BOOK TWO", "CHAPTER I", "CHAPTER II"],
         {"Book II, Chapter I": 4, "book one": 2, "BOOK ONE > CHAPTER II": 2, "book two, chapter 2": 5,
          "Buch 2, Kap. I": 4, "before book two": 2, "the end of book one": 2, "book 1 ch. 1": 1}),
        (["ACT I", "SCENE I. The tower", "ACT II", "SCENE I. The hall", "SCENE II. The well"],
         {"Act 1": 1, "act two, scene 1": 3, "Act II, Scene II": 4, "the hall": 3}),
        (["Prologue", "I", "II", "III"], {"chapter 2": 2, "chapter II": 2, "chapter two": 2}),
        (["Chapter Twelve", "Chapter Thirteen", "Chapter Twenty-One"],
         {"chapter 13": 1, "ch. 13": 1, "chapter thirteen": 1, "chapter twenty-one": 2}),
        (["Kapitel 6", "Kapitel 7", "Kapitel 8"], {"Kapitel sieben": 1, "Kap. 7": 1, "kapitel VII": 1}),
        (["Kapitel 1", "Vor dem Sturm", "Kapitel 3"],
         {"vor dem sturm": 1, "vor Kapitel 3": 1, "Ende von Kapitel 1": 0, "bis zum ersten Kapitel": 0}),
        (["Prologue", "Chapitre premier", "Chapitre 2. Le roi", "Chapitre du roi", "Fin"],
         {"chapitre 1": 1, "premier chapitre": 1, "avant le chapitre 2": 1, "fin du chapitre 2": 2,
          "chapitre du roi": 3}),
        (["Prólogo", "Capítulo 1", "Capítulo 2", "Capítulo 3"],
         {"capitulo 1": 1, "cap. 2": 2, "capítulo dos": 2, "segundo capítulo": 2, "antes del capítulo 3": 2}),
        (["Capitolo primo", "Capitolo secondo"], {"capitolo 1": 0, "cap. II": 1, "secondo capitolo": 1}),
        (["Глава 1", "Глава 2"], {"глава первая": 0, "гл. 1": 0, "до главы 2": 0}),
        (["الفصل الأول", "الفصل الثاني", "الفصل الثالث"],
         {"الفصل ٢": 1, "فصل 2": 1, "قبل الفصل الثالث": 1, "نهاية الفصل الثاني": 1}),
        (["前言", "第一章", "第二章", "第三章"],
         {"第2章": 2, "chapter 2": 2, "第二章": 2, "第三章之前": 2, "第２章": 2, "第二章结束": 2}),
        (["I am born", "The lamp", "II The oil", "3. The quagga"], {"chapter 2": 2, "chapter 3": 3, "i am born": 0}),
        (["1 May 1890", "4 May 1890", "9 May 1890", "Appendix"],
         {"1890-05-04": 1, "5 May 1890": 1, "1890-05-09": 2}),
    ],
)  # fmt: skip
async def test_a_place_has_many_names(library: Library, headings: list[str], ways: dict[str, int]) -> None:
    text = "\n\n".join(f"# {heading}\n\nOil number {number}." for number, heading in enumerate(headings))
    document = await add(library, text=text)
    for name, last in ways.items():
        begun = await documents_as_one(library.pages, [document], up_to=name)
        assert (await library.pages.text(begun)).rstrip().endswith(f"number {last}."), name


async def test_a_chat_is_known_up_to_a_day_or_a_time(library: Library) -> None:
    text = "The goat.\n\nThe oil.\n\nThe quagga."
    times = {"goat": "3 May 2023, 12:10 am, Ann", "oil": "3 May 2023, 10:05, Ben", "quagga": "6 June 2023, 9:00, Ann"}
    places = [(text.index(f"The {word}"), label) for word, label in times.items()]
    document = await library.pages.add_document(text, title="Chat", places=places)
    ends = {"2023-05-03 00:10": "goat", "2023-05-03": "oil", "4 May 2023": "oil", "May 2023": "oil", "2023": "quagga"}
    ends |= {"٣ مايو ٢٠٢٣": "oil", "until 3 May 2023": "oil"}
    for name, last in ends.items():
        begun = await documents_as_one(library.pages, [document], up_to=name)
        assert (await library.pages.text(begun)).rstrip().endswith(f"The {last}."), name
    for name in ("06/05/2023", "36 May 2023"):  # a day of two, and none
        with pytest.raises(BadInput, match="has no place"):
            await documents_as_one(library.pages, [document], up_to=name)


async def test_no_place_is_refused_and_same_names_are_not_offered(library: Library) -> None:
    document = await add(library, text="# Oil\n\nOne.\n\n# Lamp\n\nTwo.\n\n# Oil\n\nThree.")
    with pytest.raises(BadInput, match="names no place"):
        await functions.ask(library, QUESTION, documents=[document], up_to="  ")
    with pytest.raises(BadInput, match="are called 'oil': name one that is there only once"):
        await functions.ask(library, QUESTION, documents=[document], up_to="oil")


async def test_citations_of_a_single_document_name_the_place_alone(library: Library) -> None:
    document = await add(library)
    given: Any = {"documents": [document], "method": "read-agent", "context": ReaderContext(model="")}
    known = await functions.ask(library, QUESTION, up_to="chapter 2", **given)
    assert known.output["citations"][0]["place"].startswith("§ Chapter")


@pytest.mark.parametrize("wanted", ["chapter 9", "the zebra"])
async def test_a_place_that_is_not_there_is_one_line(library: Library, wanted: str) -> None:
    document = await add(library)
    with pytest.raises(BadInput, match=f"has no place '{wanted}': its places have names such as '§ Chapter"):
        await functions.ask(library, QUESTION, documents=[document], up_to=wanted)


def test_the_command_takes_a_place(readgraph: Command, tmp_path: Any) -> None:
    (tmp_path / "log.md").write_text(TEXT)
    for command in ("ask", "compare"):
        for place in ("chapter 2", "before chapter 3"):
            ran = readgraph(command, "What was carried on day 23?", tmp_path / "log.md", "--up-to", place)
            assert ran.code == 0 and "day 23" in ran.text and "quagga" not in ran.out, (command, place)
    assert_refused(readgraph("ask", "Who ate the keeper?", "--up-to", "chapter 2"), "--up-to needs a document")
    assert_refused(
        readgraph("ask", "And why?", "--continue", "--up-to", "chapter 2"), "leave --up-to or --continue out"
    )


@pytest.mark.parametrize("method", ["read-agent", "gam", "mem-walker"])
async def test_corrections_of_the_whole_text_do_not_hold(server: ModelServer, library: Library, method: str) -> None:
    document = await add(library)
    given: Any = {"documents": [document], "context": CONTEXT, "method": method}
    whole = await functions.ask(library, QUESTION, **given)
    await correct(library.pages, await library.pages.memory(document.id, whole.memory), 0, "Later a quagga comes.")
    server.reset()
    known = await functions.ask(library, QUESTION, up_to="chapter 2", **given)
    read = await library.pages.memory(known.output["document"], known.memory)
    notes = await library.pages.notes(read.id, range(read.pages))
    assert not knows(server, known.output, notes) and b"quagga" not in await api.save_answer(library, known)
    await correct(library.pages, read, 0, "A keeper of oil.")
    again = await functions.ask(library, "Who carries oil?", up_to="chapter 2", **given)
    assert 0 in again.output["corrected_notes"] or method != "read-agent"


async def test_what_was_left_out_behind_the_place_is_not_named(server: ModelServer, library: Library) -> None:
    document = await add(library)
    document = await keep_notices(library.pages, document, "", ["log.md: left out: a picture of the quagga."])
    other = await add(library, "Two", TEXT.replace("lamp", "wick"))
    for documents, up_to in (([document], "chapter 2"), ([other, document], "Log, chapter 2")):
        given: Any = {"documents": documents, "context": CONTEXT, "method": "bm25"}
        known = await functions.ask(library, QUESTION, up_to=up_to, **given)
        assert not any("quagga" in notice for notice in known.notices)
        assert any("left out of the whole file" in notice for notice in known.notices)


@pytest.mark.parametrize("wanted", ["chapter 9", "the quaga", "the start"])
async def test_no_later_place_is_named_where_one_is_not_found(library: Library, wanted: str) -> None:
    document = await add(library, text=f"{TEXT}\n\n# The start\n\nA.\n\n# Quagga > The start\n\nB.")
    with pytest.raises(BadInput) as told:
        await functions.ask(library, QUESTION, documents=[document], up_to=wanted)
    assert "quagga" not in str(told.value).lower() and ("Chapter 1: The lamp" in str(told.value)) == (wanted[4] != "s")

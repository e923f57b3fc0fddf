"""What goes into a report, that any text goes in and comes out unchanged, and how the command writes it."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import MonkeyPatch

from readgraph.cli.run.reports import source_links
from readgraph.doors.report import MARK
from readgraph.doors.report import page as report_data
from readgraph.doors.report.page import escape_json_for_html, render, report_of_answer, report_of_document
from readgraph.library.collections import add_collection
from readgraph.library.opening import Library
from readgraph.state.reading import Question
from tests.doubles.model_server import ModelServer
from tests.doubles.walker import REVERT, TEXT, Walker, ask, down, says
from tests.support.command import STORY, Command, assert_refused
from tests.support.reports import HOSTILE, read, report

pytestmark = pytest.mark.quick

PIECES = [
    "<",
    ">",
    "&",
    "<!--",
    "-->",
    "</script>",
    "<script>",
    "]]>",
    "&lt;",
    "\u2028",
    "\u2029",
    "\0",
    "\r\n",
    "\ud800",
    "🐐",
]
odd_texts = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))
values = st.recursive(odd_texts, lambda some: st.lists(some, max_size=4) | st.dictionaries(odd_texts, some, max_size=4))
MANY = "\n\n".join(f"In year {year} the keeper wrote of storm number {year} and of little else." for year in range(40))


class Elements(HTMLParser):
    """The elements of a page, and the text of its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["script"]:
            self.scripts[-1] += data


def parsed(page: bytes) -> Elements:
    elements = Elements()
    elements.feed(page.decode())
    return elements


def data_of(page: bytes) -> Any:
    return json.loads(parsed(page).scripts[0])


@given(values)
def test_any_text_round_trips_and_is_never_markup(value: Any) -> None:
    escaped = escape_json_for_html(value)
    assert json.loads(escaped) == value
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", escaped)
    escaped.encode()


async def test_a_page_has_the_same_elements_whatever_the_text_says(library: Library) -> None:
    tame, _ = await report(library, MANY, "What of storm 7?")
    hostile, _ = await report(library, HOSTILE, "What of the goat </script>?", title="</title><script>")
    assert parsed(render(hostile)).tags == parsed(render(tame)).tags
    assert data_of(render(hostile)) == hostile
    assert "".join(page["text"] or "" for page in hostile["pages"]) == HOSTILE


async def test_the_page_names_no_other_place(library: Library) -> None:
    tame, _ = await report(library, MANY, "What of storm 7?")
    page = render(tame).decode()
    assert "http:" not in page and "https:" not in page and "url(" not in page and "import" not in page
    (policy,) = re.findall('Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy


async def test_the_data_holds_pages_notes_texts_and_the_answer(library: Library) -> None:
    data, found = await report(library, MANY, "What of storm 7?")
    assert (data["question"], data["found"], data["note"]) == ("What of storm 7?", found, "gist")
    assert (data["pages"][0]["start"], data["pages"][-1]["end"]) == (0, len(MANY) == data["read_to"] and len(MANY))
    assert all(page["note"] and page["text"] == MANY[page["start"] : page["end"]] for page in data["pages"])
    assert data["tree"] is None and data["parts"] == []


async def test_a_long_document_keeps_the_text_behind_the_answer(library: Library, monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(report_data, "MOST_CHARACTERS", 1000)
    data, found = await report(library, MANY, "What of storm 7?", pages_read=[3])
    rests_on = {3} | {citation["page"] for citation in found["citations"]}
    around = {page + step for page in rests_on for step in (-1, 0, 1)} & set(range(len(data["pages"])))
    assert {number for number, page in enumerate(data["pages"]) if page["text"] is not None} == around
    assert all(page["note"] for page in data["pages"])
    document = await library.pages.document(found["document"])
    memory = await library.pages.memory(document.id, found["memory"])
    shown = await report_of_document(library.pages, document, memory, "gist")
    kept = [page["text"] is not None for page in shown["pages"]]
    assert kept == sorted(kept, reverse=True) and sum(len(page["text"] or "") for page in shown["pages"]) <= 1000
    assert kept[0] and not kept[-1] and shown["found"] is None


async def test_documents_of_a_collection_stand_apart(library: Library) -> None:
    named = ["one", "two"]
    documents = [
        await library.pages.add_document(f"{title} {MANY}", title=title, places=[(0, "line 1"), (200, "line 5")])
        for title in named
    ]
    both = await add_collection(library.pages, documents)
    found = await read(library, both, "What of storm 7?")
    data = await report_of_answer(library.pages, Question(question="?"), found, "gist")
    assert [(part["title"], part["start"]) for part in data["parts"]] == [("one", 0), ("two", documents[0].characters)]
    starts = {page["start"]: page["place"] for page in data["pages"]}
    assert starts[0] == starts[documents[0].characters] == "line 1"


async def test_the_tree_of_a_walk(library: Library, server: ModelServer) -> None:
    server.respond = Walker(down(1), down(0), REVERT, down(1), says("answer", "A ledger."))
    document = await library.pages.add_document(TEXT, title="years")
    found = await ask(library, document)
    tree = (await report_of_answer(library.pages, Question(question="?"), found, "summary"))["tree"]
    assert tree is not None and tree["root"] == "2.0"
    assert tree["nodes"]["2.0"]["children"] == ["1.0", "1.1", "1.2"]
    assert (tree["nodes"]["1.1"]["first"], tree["nodes"]["1.1"]["last"]) == (3, 5)
    assert all(node["text"] for node in tree["nodes"].values())
    assert {hop["node"] for hop in found["hops"] if not hop["node"].startswith("0.")} <= set(tree["nodes"])


async def test_a_memory_that_is_not_whole_has_a_report(library: Library) -> None:
    data, found = await report(library, MANY, "What of storm 7?")
    document = await library.pages.document(found["document"])
    memory = await library.pages.memory(document.id, found["memory"])
    half = replace(memory, pages=2, read_to=data["pages"][1]["end"], paged=False, complete=False)
    shown = await report_of_document(library.pages, document, half, "gist")
    assert len(shown["pages"]) == 2 and shown["read_to"] < shown["characters"]
    empty = replace(half, pages=0, read_to=0)
    assert (await report_of_document(library.pages, document, empty, "gist"))["pages"] == []


def test_ask_and_show_write_a_report(readgraph: Command, tmp_path: Path, story: str) -> None:
    file = tmp_path / "a report.html"
    asked = ("ask", "What of the goat on the gallery?", STORY, "--report", file)
    ran = readgraph(*asked, "--json")
    data = data_of(file.read_bytes())
    assert data["found"] == ran.json and data["question"] == asked[1]
    assert "".join(page["text"] for page in data["pages"]) == story
    assert f"The report is in {file}" in ran.err
    again = readgraph(*asked, "--quiet")
    assert (again.code, again.err) == (0, "") and again.out
    shown = readgraph("show", STORY, "--report", file)
    assert (shown.code, shown.out) == (0, "") and str(file) in shown.err
    data = data_of(file.read_bytes())
    assert data["found"] is None and len(data["pages"]) > 5


def test_a_report_names_the_method_that_answered(readgraph: Command, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    for method in ("gists-only", "read-agent"):  # one memory
        readgraph("ask", "What of the goat on the gallery?", STORY, "--method", method, "--report", file)
        assert data_of(file.read_bytes())["method"] == method


def test_a_report_is_written_over_nothing_but_a_report(readgraph: Command, tmp_path: Path) -> None:
    book = tmp_path / "book.html"
    book.write_text("<p>The goat stood on the gallery.")
    empty = tmp_path / "empty.html"
    empty.touch()
    for file, reason in [
        (tmp_path, "is a folder"),
        (tmp_path / "none" / "out.html", "There is no folder"),
        (book, "is not a report"),
        (book / "out.html", "There is no folder"),
    ]:
        assert_refused(readgraph("ask", "What of the goat?", book, "--report", file), reason)
    assert book.read_text() == "<p>The goat stood on the gallery."
    assert not (tmp_path / "library").exists()
    for _ in range(2):
        assert readgraph("ask", "What of the goat?", book, "--report", empty).code == 0
        assert empty.read_bytes().startswith(MARK)
    assert_refused(readgraph("show", "--report", empty), "name a document")
    assert_refused(readgraph("show", "nothing like it", "--report", empty), "holds no document")


def test_a_report_links_a_source_while_it_is_the_same(readgraph: Command, tmp_path: Path) -> None:
    page, notes = tmp_path / "a page.html", tmp_path / "what: #1.md"
    page.write_text("<h1>Weirs</h1><p>The goat stood on the weir.")
    notes.write_text("# Notes\n\nThe gander was late for the goat.")
    (tmp_path / "out").mkdir()
    file = tmp_path / "out" / "report.html"

    def links(*asked: object) -> list[str | None]:
        assert readgraph("ask", "What of the goat?", *asked, "--report", file, "--quiet").code == 0
        data = data_of(file.read_bytes())
        return [part["link"] for part in data["parts"]] or [data["link"]]

    assert links(page) == ["../a%20page.html"]
    assert str(tmp_path) not in file.read_text().replace("../", "")
    assert links(page, notes) == ["../a%20page.html", "../what%3A%20%231.md"]
    notes.write_text("# Notes\n\nAnother text.")
    page.rename(tmp_path / "elsewhere.html")
    assert links(f"{page.stem}", "what") == [None, None]
    readgraph("show", "a page", "--report", file)
    assert data_of(file.read_bytes())["link"] is None


@pytest.mark.parametrize(
    ("source", "link"),
    [
        ("https://example.org/a.pdf?b=c", "https://example.org/a.pdf?b=c"),
        ("https://ann:secret@example.org/a.pdf", None),
        ("https://example.org/a.pdf?X-Amz-Signature=5e", None),
        ("https://[bad", None),
        ("javascript:alert(1)", None),
        ("file:///etc/hosts", None),
        ("", None),
        ("/nowhere/a.txt", None),
    ],
)
async def test_only_addresses_and_files_are_linked(library: Library, source: str, link: str | None) -> None:
    document = await library.pages.add_document("The goat.", source=source)
    assert (await source_links(library.pages, document, Path("report.html"))).get(document.id) == link


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_report_that_cannot_be_written_is_one_line_and_the_answer_is_reported(readgraph: Command) -> None:
    ran = readgraph("ask", "What of the goat on the gallery?", STORY, "--quiet", "--report", "/dev/full")
    assert ran.code == 2 and "Goat" in ran.out
    assert ran.err.startswith("readgraph: The report /dev/full can't be written") and ran.err.count("\n") == 1


def test_the_command_opens_a_report(readgraph: Command, tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    opened: list[str] = []

    def browse(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", browse)
    readgraph("read", STORY, "--method", "bm25")
    file = tmp_path / "a report.html"
    assert readgraph("show", STORY, "--report", file).code == 0 and opened == []
    assert readgraph("show", STORY, "--report", file, "--open").code == 0 and opened == [file.as_uri()]
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    ran = readgraph("show", STORY, "--report", file, "--open")
    assert ran.code == 0 and "no browser to open" in ran.err
    for line in (("show", STORY), ("ask", "Who?", STORY), ("ask", "Who?", STORY, "--estimate")):
        assert_refused(readgraph(*line, "--open"), "name a file for it with --report")

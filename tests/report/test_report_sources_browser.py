"""What a report shows of the source, in a real browser: links to it, its headings and tables."""

from readgraph.doors.report.page import report_of_answer
from readgraph.library.opening import Library
from readgraph.state.reading import Question
from tests.report.conftest import IN_BROWSER, Show
from tests.report.test_report_browser import hostile
from tests.support.reports import read

pytestmark = IN_BROWSER


async def test_marks_citations_and_sources_lead_to_each_other(library: Library, show: Show) -> None:
    data = await hostile(library)
    assert data["found"]
    for citation, place in zip(data["found"]["citations"], ("§ PDF page 3, PDF page 58 (50)", None), strict=True):
        citation["place"] = place
    tab = show({**data, "link": "../a%20book.pdf"})
    opened = tab.run("[...document.querySelectorAll('.citations .source')].map((link) => link.getAttribute('href'))")
    assert opened == ["../a%20book.pdf#page=58", "../a%20book.pdf"]
    first, _ = data["found"]["citations"]
    first["place"] = "PDF page 2 or PDF page 3"
    both = show({**data, "link": "../a%20book.pdf"})
    assert both.texts(".citations li:first-child .source") == ["Open PDF page 2", "Open PDF page 3"]
    assert both.run("document.querySelector('.citations .where').textContent") == "page 2 or page 3"
    first["place"] = "one, PDF page 2 or two, PDF page 3"
    parts = [{"title": title, "start": start, "link": f"{title}.pdf"} for start, title in enumerate(("one", "two"))]
    apart = show({**data, "parts": parts})
    hrefs = "[...document.querySelectorAll('.citations li:first-child .source')].map((a) => a.getAttribute('href'))"
    assert apart.run(hrefs) == ["one.pdf#page=2", "two.pdf#page=3"]
    first["place"] = "§ PDF page 3, PDF page 58 (50)"
    tab = show({**data, "link": "../a%20book.pdf"})
    tab.click(".citations li:nth-child(2) .back")
    assert tab.focused() == "button [2]" and tab.texts(".citations .tied .number") == ["[2]"]
    tab.press("Enter")
    assert tab.texts('.said [aria-current="true"]') == ["[2]"]
    assert tab.texts('.citations [aria-current="true"] .number') == ["[2]"]
    assert tab.run("getComputedStyle(document.querySelector('mark.chosen'), '::after').content") == '"[2]"'
    assert show(data).texts(".source") == []


async def test_headings_and_tables_are_drawn(library: Library, show: Show) -> None:
    text = (
        "# Sizes <b>\n\nThe goat 🐐 grew.\n\n| what | size |\n|---|---|\n| goat | 3 <i> |\n| lamp |\n\nThe end of it."
    )
    document = await library.pages.add_document(text, title="sizes", places=[(0, "§ Sizes <b>")])
    found = await read(library, document, "What of the goat?")
    start, end = text.index("goat | 3"), text.index(" |\n| lamp")
    found["citations"] = [{"page": 0, "quote": text[start:end], "start": start, "end": end, "place": None}]
    for width in (1280, 360):
        tab = show(await report_of_answer(library.pages, Question(question="?"), found, "gist"), width)
        assert tab.texts(".raw") == [text]
        shown = tab.run("document.querySelector('.raw').innerText").split("\n")
        assert [line.strip() for line in shown if line.strip()] == [
            "Sizes <b>", "The goat 🐐 grew.", "what\tsize", "goat\t3 <i>", "lamp", "The end of it."
        ]  # fmt: skip
        assert tab.texts(".raw [role=heading]") == ["# Sizes <b>\n\n"] and tab.texts("th .sign") != []
        assert tab.texts("td mark.chosen") == ["goat", "3 <i>"]
        assert tab.run("document.documentElement.scrollWidth") <= width

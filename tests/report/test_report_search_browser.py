"""The search of a report in a real browser: what it finds, counts and marks, its keys, and that it keeps smooth."""

import json

from readgraph.doors.report.page import ReportData, report_of_answer
from readgraph.library.opening import Library
from readgraph.state.reading import Question
from tests.report.conftest import IN_BROWSER, Show
from tests.report.test_report import MANY
from tests.report.test_report_browser import CONTRAST
from tests.support.browser import Browser
from tests.support.reports import read, report

pytestmark = IN_BROWSER

TEXT = """# Sizes

The goat 🐐 grew.

Station | Goats
Station: Oxholm; Goats: 3
Station: Hexley; Goats: 5

A goat
slept."""


def look_for(tab: Browser, words: str, expected: str) -> None:
    """Type words into the search, and wait until it says what is expected."""
    tab.press("/")
    tab.run("document.querySelector('#words').select()")
    tab.send("Input.insertText", text=words)
    assert said(tab, expected) == expected


def said(tab: Browser, expected: str) -> str:
    """What the search says, as soon as it is what is expected, or after 600 frames."""
    script = """(expected) => new Promise((done) => {
        let frames = 0;
        const look = () => {
            const text = document.querySelector(".found").textContent;
            if (text === expected || (frames += 1) > 600) done(text);
            else requestAnimationFrame(look);
        };
        look(); })"""
    return str(tab.run(f"({script})({json.dumps(expected)})"))


async def sizes(library: Library) -> ReportData:
    document = await library.pages.add_document(TEXT, title="sizes", places=[(0, "§ Sizes")])
    found = await read(library, document, "What of the goat?")
    found["citations"], found["steps"] = [], [{**found["steps"][0], "summary": "looked for the <b>goat</b>"}]
    data = await report_of_answer(library.pages, Question(question="?"), found, "gist")
    page = data["pages"][0]
    return {**data, "pages": [{**page, "note": "A goat.", "header": ""}, {**page, "text": None, "note": "Nothing."}]}


async def test_hits_are_counted_and_gone_through(library: Library, show: Show) -> None:
    tab = show(await sizes(library))
    look_for(tab, "GOAT", "7 hits in 1 part and 1 step")  # the names in the table's rows are text, too
    assert tab.texts("mark.hit") == ["goat", "goat", "Goat", "goat", "goat"], "what is hidden bears no mark"
    assert tab.run("document.querySelector('.strip .cell').ariaLabel").endswith("6 hits")
    for told in ("1 of 7: § Sizes, gist", "2 of 7: § Sizes, text"):
        tab.press("Enter")
        assert said(tab, told) == told
    assert tab.texts(".raw mark.current") == ["goat"] and tab.focused().startswith("input")
    tab.press("Shift+Enter", "Shift+Enter")
    assert said(tab, "7 of 7: step 1") == "7 of 7: step 1"
    assert tab.texts("mark.current") == tab.texts("[data-step] mark.current") == ["goat"]
    tab.click(".search button[aria-label='Next hit']")
    assert said(tab, "1 of 7: § Sizes, gist") == "1 of 7: § Sizes, gist"
    assert tab.texts(".raw") == [TEXT] and tab.texts("[data-step]") == ["looked for the <b>goat</b>"]


async def test_words_are_looked_for_as_they_are_written(library: Library, show: Show) -> None:
    tab = show(await sizes(library))
    for words, told in (("a goat  slept.", "1 hit in 1 part"), ("g.at", "No hits"), ("<b>", "1 hit in 1 step")):
        look_for(tab, words, told)
    look_for(tab, "🐐 grew", "1 hit in 1 part")
    assert tab.texts("mark.hit") == ["🐐 grew"]
    tab.press("Escape")
    assert said(tab, "") == "" and tab.texts("mark.hit, .strip .cell.hit, .search.active") == []
    assert tab.texts(".page:not([hidden])") != [], "the page stays open"
    tab.press("Escape", "/")
    assert tab.focused().startswith("input")


async def test_a_search_reads_well_everywhere(library: Library, show: Show) -> None:
    data = await sizes(library)
    for width, dark in ((360, False), (1280, True)):
        tab = show(data, width, dark=dark)
        look_for(tab, "goat", "7 hits in 1 part and 1 step")
        tab.press("Enter", "Enter")
        assert said(tab, "2 of 7: § Sizes, text").startswith("2 of 7")
        assert tab.run("document.documentElement.scrollWidth") <= width and tab.run(CONTRAST) >= 4.5
        inside = "(mark => mark.top >= 40 && mark.bottom <= innerHeight)"
        assert tab.run(f"{inside}(document.querySelector('mark.current').getBoundingClientRect())")
        assert tab.run("document.querySelector('[role=search] label').control.id") == "words"
        assert tab.run("document.querySelector('.found').role ?? 'status'") == "status"
    tab.send("Emulation.setEmulatedMedia", media="print")
    assert tab.run("getComputedStyle(document.querySelector('.search')).display") == "none"
    tab.send("Emulation.setEmulatedMedia", media="")


async def test_four_thousand_pages_are_searched_in_slices(library: Library, show: Show) -> None:
    data, _ = await report(library, MANY, "What of storm 7?", citations=[], pages_read=[3])
    page = {**data["pages"][0], "text": None, "blocks": []}
    notes = [f"The keeper wrote of storm {at} and of little else. " * 8 for at in range(4111)]
    data["pages"] = json.loads(json.dumps([{**page, "note": note} for note in notes]))
    tab = show(data)
    look_for(tab, "keeper", "32,888 hits in 4,111 parts")
    typed = "words.value = 'storm 40'; words.dispatchEvent(new Event('input')); return found.textContent"
    script = "((words, found) => { %s })(document.querySelector('#words'), document.querySelector('.found'))"
    assert tab.run(script % typed).startswith("32,888"), "the rest of the work waits for the next frames"
    assert said(tab, "888 hits in 111 parts").startswith("888 hits in 111")

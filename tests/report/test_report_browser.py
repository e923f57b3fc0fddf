"""The report in a real browser: text stays text, keys and clicks do what they say, nothing is asked of a network."""

from typing import Any

import pytest

from readgraph.doors.report.page import ReportData, report_of_answer
from readgraph.graphs.hybrids import outline_walk
from readgraph.library.collections import add_collection
from readgraph.library.opening import Library
from readgraph.state.reading import Question
from tests.doubles.model_server import ModelServer
from tests.doubles.walker import CONTEXT, REVERT, TEXT, Walker, ask, down, says
from tests.report.conftest import IN_BROWSER, Show
from tests.report.test_report import MANY
from tests.support.reports import HOSTILE, read, report

pytestmark = IN_BROWSER
ASKED = "What of the goat on the gallery?"
GOAT = "The goat 🐐 stood on the gallery 🗼 of the lamp"
ROUND = {
    "requests": [],
    "plan": {"needs": ["who took it"], "keyword": ["log book <b>"], "vector": [], "page": [1]},
    "hits": [{"page": 0, "tools": ["keyword", "page"], "score": 1.0}],
    "pages_shown": [0],
    "notes": "Nobody took it.",
    "sources": [0],
    "enough": False,
    "missing": ["for whom"],
}

GUESS = "A guess by shared words, no better than chance:"


async def hostile(library: Library) -> ReportData:
    """A report about text that looks like markup, with the last and the first paragraph cited."""
    start = HOSTILE.index(GOAT)
    spans = [(start, start + len(GOAT)), (0, 20)]
    probe, found = await report(library, HOSTILE, ASKED, title="</title><script>")
    numbers = [page for page, at in enumerate(probe["pages"]) for begin, _ in spans if at["start"] <= begin < at["end"]]
    citations = [
        {"page": page, "quote": HOSTILE[begin:end], "start": begin, "end": end, "place": "line <1>"}
        for page, (begin, end) in zip(sorted(numbers, reverse=True), spans, strict=True)
    ]
    shown = found | {"citations": citations, "answer": "</script><b>Nobody</b> knows.", "pages_read": [2, 0]}
    return await report_of_answer(library.pages, Question(question=f"{ASKED} </title>"), shown, "gist")


@pytest.mark.slow
async def test_text_stays_text(library: Library, show: Show) -> None:
    data = await hostile(library)
    tab = show(data)
    assert tab.run("document.title").startswith(ASKED)
    assert tab.run("document.querySelectorAll('script, style, img, iframe, link').length") == 4  # ours
    texts = []
    for page in range(len(data["pages"])):
        tab.click(f'.cell[data-page="{page}"]')
        texts += tab.texts(".raw")
    assert "".join(texts) == HOSTILE
    assert tab.texts(".said") == ["</script><b>Nobody</b> knows. [1][2]"]
    assert tab.texts(".top .title") == ["</title><script>"]
    assert tab.run("getComputedStyle(document.body).display") == "block"


async def test_the_policy_refuses_scripts_and_connections(library: Library, show: Show) -> None:
    tab = show(await hostile(library))
    tried = tab.run("fetch('https://example.invalid/').then(() => 'sent', () => 'refused')")
    inline = "const s = document.createElement('script'); s.textContent = 'document.title = 1'; document.body.append(s)"
    assert tried == "refused" and tab.run(f"(() => {{ {inline}; return document.title }})()") != "1"
    refusals = [trouble for trouble in tab.troubles() if "Content Security Policy" in trouble]
    assert len(refusals) == len(tab.troubles()) >= 2
    tab.events = [event for event in tab.events if event[0] != "Log.entryAdded"]


async def test_a_click_on_a_citation_shows_its_words(library: Library, show: Show) -> None:
    data = await hostile(library)
    tab = show(data)
    assert tab.texts(".said .mark") == ["[1]", "[2]"]
    tab.click(".said .mark")
    assert tab.texts("mark.chosen") == [GOAT]
    for place, quote in ((1, HOSTILE[:20]), (0, GOAT)):
        tab.click(f".citations li:nth-child({place + 1}) button")
        assert tab.texts("mark.chosen") == [quote]
        assert tab.texts('[aria-current="true"] q') == [quote]
        assert tab.run("document.activeElement.matches('mark.chosen')")
        box = tab.run("(r => [r.top, r.bottom, innerHeight])(document.activeElement.getBoundingClientRect())")
        assert 0 <= box[0] < box[1] <= box[2]
    tab.press("Escape")
    assert tab.texts(".page:not([hidden])") == [] and tab.focused().startswith(f"button [1]{GOAT}")


async def test_keys_go_along_the_strip(library: Library, show: Show) -> None:
    data, _ = await report(library, MANY, "What of storm 7?", citations=[], pages_read=[3, 1])
    tab = show(data)
    last = len(data["pages"]) - 1
    assert tab.texts(".page h3") == ["Part 3"] and tab.run("document.activeElement === document.body")
    tab.press("Tab", "Tab", "Tab", "Tab")  # the search, the two pages that were read again, then the strip
    assert tab.focused().startswith("span part 3,") and tab.focused().endswith("read again, number 1")
    tab.press("ArrowRight", "ArrowRight")
    assert tab.focused().startswith("span part 5,")
    tab.press("ArrowLeft", "Enter")
    assert tab.texts(".page h3") == ["Part 4"] and tab.focused() == "h3 Part 4"
    tab.press("ArrowRight")
    assert tab.texts(".page h3") == ["Part 5"]
    tab.press("Escape")
    assert tab.texts(".page:not([hidden])") == [] and tab.focused().startswith("span part 5,")
    tab.press("End", "ArrowRight", " ")
    assert tab.texts(".page h3") == [f"Part {last}"]
    tab.press("Escape", "Home", "ArrowLeft")
    assert tab.focused().startswith("span part 0,")
    assert tab.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab.press("Tab", "Shift+Tab")
    assert tab.focused().startswith("span part 0,")


async def test_four_thousand_pages(library: Library, show: Show) -> None:
    data, _ = await report(library, MANY, "What of storm 7?", citations=[], pages_read=[3998, 7])
    page = data["pages"][0]
    data["pages"] = [{**page, "words": 200 + at % 300, "text": None} for at in range(4000)]
    for width in (1280, 360):
        tab = show(data, width)
        assert len(tab.texts(".strip .cell")) == 4000 and tab.texts(".page h3") == ["Part 3998"]
        assert "4,000 parts" in tab.texts(".top")[0] and "was left out" in tab.texts(".text")[0]
        tab.click('.cell[data-page="5"]')
        tab.press("Escape", "ArrowDown")
        below = tab.run("Number(document.activeElement.dataset.page)")
        assert 20 < below < 200
        tab.press("ArrowUp")
        assert abs(tab.run("Number(document.activeElement.dataset.page)") - 5) <= 2
        assert tab.run("document.documentElement.scrollWidth") <= width
        assert tab.run("document.querySelector('.strip').getBoundingClientRect().height") < 400


async def test_a_page_as_long_as_a_book_scrolls_by_itself(library: Library, show: Show) -> None:
    text = "\n\n".join([*["The keeper wrote of the weather and of little else."] * 300, GOAT, MANY])
    document = await library.pages.add_document(text, title="one page")
    sizes = {"min_page_words": 9_000, "max_page_words": 10_000}
    found = await read(library, document, "What of the goat on the gallery of the lamp?", **sizes)
    data = await report_of_answer(library.pages, Question(question=ASKED), found, "gist")
    (page,) = data["pages"]
    tab = show({**data, "pages": [{**page, "note": "Weather, and a goat."}]})
    for clicked in (False, True):
        if clicked:
            tab.click(".citations button")
        inside = """(([text, mark]) => text.top <= mark.top && mark.bottom <= text.bottom)(
            [".text", "mark.chosen"].map((which) => document.querySelector(which).getBoundingClientRect()))"""
        assert tab.texts("mark.chosen") == [GOAT] and tab.run(inside)
    assert tab.run("document.documentElement.scrollHeight") < 2_400
    tab.send("Emulation.setEmulatedMedia", media="print")
    assert tab.run("document.documentElement.scrollHeight") > 9 * 900, "nothing is cut off on paper"
    tab.send("Emulation.setEmulatedMedia", media="")


async def test_a_page_without_a_note_is_shown_alone(library: Library, show: Show) -> None:
    data, _ = await report(library, MANY, "What of storm 7?")
    noted, plain = data["pages"][0], {**data["pages"][1], "note": ""}
    tab = show({**data, "pages": [noted, plain]})
    for page, columns in ((0, ["Gist", "Text"]), (1, ["Text"])):
        tab.click(f'.cell[data-page="{page}"]')
        assert tab.texts(".columns h4") == columns
    assert tab.run("document.querySelector('.text').clientWidth > 0.9 * document.querySelector('.page').clientWidth")


async def test_no_word_is_broken_in_the_trajectory(library: Library, show: Show) -> None:
    data, found = await report(library, MANY, "What of storm 7?")
    long = {**found["steps"][0], "node": "read_leaf", "step_summary": "it went on and on in words " * 20}
    data["found"] = {**found, "steps": [long, *found["steps"]]}
    lines = """[...document.querySelectorAll(".steps th:not(:empty)")].map((cell) => {
        const words = document.createRange();
        words.selectNodeContents(cell);
        return words.getClientRects().length; })"""
    for width in (720, 800, 1280):
        assert {*show(data, width).run(lines)} == {1}


async def test_documents_of_a_collection_stand_apart(library: Library, show: Show) -> None:
    documents = [await library.pages.add_document(f"{title} {MANY}", title=title) for title in ("one", "two <i>")]
    found = await read(library, await add_collection(library.pages, documents), "What of storm 7?")
    data = await report_of_answer(library.pages, Question(question="What of storm 7?"), found, "gist")
    tab = show(data)
    assert tab.texts(".strip .part") == ["one", "two <i>"]
    sizes = tab.run(
        "[...document.querySelectorAll('.strip [role=group]')].map(g => g.querySelectorAll('.cell').length)"
    )
    assert len(sizes) == 2 and sum(sizes) == len(data["pages"]) and min(sizes) > 1


async def test_a_walk_along_an_outline_is_drawn_by_its_headings(
    library: Library, server: ModelServer, show: Show
) -> None:
    paragraphs = TEXT.split("\n\n")
    text = "\n\n".join([paragraphs[0], "Late", *paragraphs[1:4]])
    places = [(0, "§ Early"), (text.index("Late"), "§ <i>Late</i>")]
    document = await library.pages.add_document(text, title="years", places=places)
    server.respond = Walker(down(1), down(0), says("answer", "A mackerel."))
    asked: Any = {"document": document.id, "question": ASKED}
    found = dict(await outline_walk.build().compile(store=library.store).ainvoke(asked, context=CONTEXT))
    tab = show(await report_of_answer(library.pages, Question(question=ASKED), found, "summary"))
    assert tab.texts(".path > .line .id") == ["the whole text", "§ <i>Late</i>", "✓ § <i>Late</i> (1)"]
    assert "down to § <i>Late</i>" in tab.texts(".decisions")[0]


async def test_a_walk_is_drawn(library: Library, server: ModelServer, show: Show) -> None:
    script = (down(1, "years <3>"), down(0), REVERT, down(1), says("answer", "A ledger."))
    server.respond = Walker(*script)
    found = await ask(library, await library.pages.add_document(TEXT, title="years"))
    found |= {"cost": 0.0123}
    tab = show(await report_of_answer(library.pages, Question(question=ASKED), found, "summary"))
    tab.run("document.querySelector('.how-read').open = true")
    assert tab.texts("s.id") == ["0.3"] and tab.texts(".path > .line .id") == ["2.0", "1.1", "✓ 0.4"]
    assert tab.texts(".decisions .order") == ["1", "2", "4", "3", "5"]  # the tree's order: 2.0, 1.1 twice, 0.3, 0.4
    assert "years <3>" in tab.texts(".decisions")[0]
    assert {"mem-walker", CONTEXT.model, "$0.0123"} <= set(tab.texts(".facts dd"))
    assert CONTEXT.model not in tab.texts(".top")[0], "who built the memory may have been another"
    assert tab.texts('[data-node="0.0"]') == []
    tab.click('[data-node="1.0"] .parts > summary')
    tab.click('[data-node="0.2"] button')
    assert tab.texts(".page h3") == ["Part 2"]


async def test_rounds_are_listed(library: Library, show: Show) -> None:
    second = ROUND | {"requests": ["for whom"], "enough": True, "missing": []}
    data, _ = await report(library, MANY, "What of storm 7?", rounds=[ROUND, second])
    tab = show(data)
    assert tab.texts(".verdict") == ["not enough", "enough"]
    assert tab.texts('[data-fact="by words"] dd') == ["log book <b>"] * 2
    assert tab.texts('[data-fact="notes"] dd') == ["Nobody took it.", "as in the round before"]
    assert tab.texts('[data-fact="after"] dd') == ["for whom"]
    tab.run("document.querySelector('.how-read').open = true")
    tab.click('[data-fact="found"] button')
    assert tab.texts(".page h3") == ["Part 0"]


@pytest.mark.parametrize(
    ("status", "answer", "told"),
    [
        ("no_answer", None, "no answerThe text doesn't say."),
        ("reading", None, "not finishedThere is no answer yet."),
        ("no_answer", None, "no answerThe model gave no answer that could be used."),
        ("no_answer", "", "no answerNo passage that was looked at shares words with your question."),
        ("budget", None, "the budget ran outThe budget ran out before anything was found."),
        ("budget", "A goat.", "the budget ran outThe budget ran out first. Nearest in what was read:B. A goat."),
        ("answered", "A goat.", "answeredB. A goat."),
        ("nearest", "A goat.", "nearest sentencesNearest sentences:B. A goat."),
        ("nearest", "A goat.", f"nearest sentences{GUESS}B. A goat."),
        ("budget", "A goat.", f"the budget ran outThe budget ran out first. {GUESS}B. A goat."),
        ("researched", None, "a context, no answerNotes of a goat."),
    ],
)
async def test_every_outcome_is_reported(
    library: Library, show: Show, status: str, answer: str | None, told: str
) -> None:
    choice = "B" if answer else None
    made: dict[str, Any] = {"status": status, "answer": answer or None, "choice": choice, "citations": []}
    data, _ = await report(library, MANY, "What of storm 7?", **made, context="Notes of a goat.")
    data["options"] = ["A horse.", "A goat."] if answer else []
    data["read_to"] -= 1
    assert data["found"]
    data["found"]["steps"][-1]["model"] = "" if answer == "" else "openai:double"  # nothing asked of a model
    data["found"]["by_rule"] = "could be used" in told or "guess" in told
    tab = show(data)
    assert "".join(tab.texts(".status, .lead, .said, .context")) == told
    chosen = "BA goat.guessed" if "guess" in told else "BA goat.chosen"
    assert tab.texts(".options .chosen") == ([chosen] if answer else [])
    assert "Not all of the document was read" in tab.texts(".notice")[0]


async def test_how_the_model_is_asked_again_is_told_where_its_replies_could_not_be_used(
    library: Library, show: Show
) -> None:
    data, _ = await report(library, MANY, "What of storm 7?", fallbacks={"answer": 1})
    for refused, told in [(0, "answer 1"), (3, "the setting “again” asks the model again")]:
        assert data["found"]
        data["found"]["usage"] |= {"refused": refused}
        assert show(data).texts(".facts dd")[-1].endswith(told)


async def test_a_summary_s_doubts_stand_after_their_sentences(library: Library, show: Show) -> None:
    flags = [
        {"at": 7, "said": "part 0: not supported", "doubted": True},
        {"at": 14, "said": "part 1", "doubted": False},
    ]
    made: dict[str, Any] = {
        "status": "summarised",
        "answer": "A goat. A lamp.",
        "citations": [],
        "sentences": [],
        "unsupported": 1,
    }
    data, _ = await report(library, MANY, "Summary of a text", **made, flags=flags, by_rule=False)
    tab = show(data)
    assert tab.texts(".said") == ["A goat. [part 0: not supported] A lamp [part 1]."]
    assert tab.texts(".said .trouble") == ["[part 0: not supported]"] and tab.texts(".status") == ["summarised"]
    assert "1" in tab.texts(".facts div:has(dt:first-child) dd")


@pytest.mark.parametrize(("width", "dark"), [(360, False), (360, True), (800, False), (1280, True)])
async def test_every_width_and_both_schemes_read_well(library: Library, show: Show, width: int, dark: bool) -> None:
    tab = show(await hostile(library), width, dark=dark)
    assert tab.run("document.documentElement.scrollWidth") <= width
    beyond = f"[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > {width + 1})"
    assert tab.run(f"{beyond}.length") == 0
    assert tab.run(CONTRAST) >= 4.5


CONTRAST = """(() => {
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return colour.endsWith(", 0)") && element.parentElement ? ground(element.parentElement) : colour;
  };
  const ratio = (element) => {
    const [one, other] = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => b - a);
    return (one + 0.05) / (other + 0.05);
  };
  const told = [...document.querySelectorAll("body *:not(script):not(:disabled)")];
  const text = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return Math.min(...told.filter((element) => text(element) && element.checkVisibility()).map(ratio));
})()"""
"""The least contrast of any text with what is behind it (WCAG 2 wants 4.5)."""


async def test_a_table_shows_its_rows_with_their_quotes(library: Library, show: Show) -> None:
    data = await hostile(library)
    assert data["found"]
    first, second = data["found"]["citations"]
    beyond = {**second, "start": second["start"] + 3}
    rows = [
        {"values": ["<b>Anna</b>", "3"], "citations": [first, beyond]},
        {"values": ["Ben", ""], "citations": [second]},
    ]
    table = {"columns": ["<i>who</i>", "times"], "kinds": ["text", "number"], "rows": rows, "found": 700}
    lost = {"table": table, "answer": "| <i>who</i> | times |\n| --- | --- |", "unread": [4, 7], "pages_read": [0, 1]}
    tab = show({**data, "found": {**data["found"], **lost}})
    assert tab.texts(".answer > .trouble") == ["2 of 4 parts could not be read."]
    leads = {
        ("budget", True): "The budget ran out first. Filled by patterns, without a model:",
        ("budget", False): "The budget ran out first. The table:",
        ("nearest", False): "The model wrote no answer that could be used. The table:",
    }
    for (status, by_pattern), lead in leads.items():
        made = {**lost, "unread": [], "status": status, "by_pattern": by_pattern}
        assert show({**data, "found": {**data["found"], **made}}).texts(".answer > .lead") == [lead]
    answers = {"| <i>who</i> | times |\n| --- | --- |": 0, "Mostly Anna.": 1}
    for answer, sections in answers.items():
        tab = show({**data, "found": {**data["found"], "table": table, "answer": answer}})
        assert tab.texts(".survey th") == ["<i>who</i>", "times", "quotes"]
        assert tab.texts(".survey td") == ["<b>Anna</b>", "3", "[1]line <1>", "Ben", "", "[2]"]
        assert tab.texts(".wide .quiet") == ["The first 2 of 700 rows."]
        assert len(tab.texts("section.table")) == sections
        assert not tab.texts(".answer > .trouble")
        tab.click(".survey .mark")
        assert tab.texts("mark.chosen") == [first["quote"]]

"""What the page of the room does with texts besides asking: it deletes, searches, sums up, and makes tables."""

import re
from pathlib import Path

import pytest

from readgraph.doors.report import page as report_page
from tests.doubles.model_server import ModelServer
from tests.report.conftest import IN_BROWSER
from tests.serve.browsing import OpenPage
from tests.support.examples import STORY

pytestmark = IN_BROWSER

TEXT = Path(STORY).read_text(encoding="utf-8")
SHORT = "\n\n".join(TEXT.split("\n\n")[:8])


def test_a_text_is_deleted_once_its_reader_agrees(page: OpenPage) -> None:
    document = page.add(SHORT, "lamp")
    page.room.ran(documents=[document], question="Who took the log book?", method="bm25")
    tab = page.open(f"/document/{document}")
    tab.click("[aria-label='Delete lamp']")
    tab.until("document.querySelector('dialog[open]')")
    assert tab.texts("dialog p") == ["Delete “lamp” with its notes and 1 question? This can't be undone."]
    assert tab.focused().startswith("button") and tab.run("document.activeElement.textContent") == "Keep"
    tab.press("Escape")
    tab.until("!document.querySelector('dialog')")
    assert tab.run("document.activeElement.getAttribute('aria-label')") == "Delete lamp"
    assert page.room.get("/api/documents")["total"] == 1
    tab.click("[aria-label='Delete lamp']")
    tab.until("document.querySelector('dialog[open]')")
    tab.click("dialog .danger")
    tab.until(
        "location.hash === '#/library' && document.querySelector('#view .first')?.textContent.includes('Nothing')"
    )
    assert page.room.get("/api/documents")["total"] == 0


def test_what_was_read_of_a_text_with_others_is_named_before_it_is_deleted(page: OpenPage) -> None:
    keeper, baker = page.add("Marian counted forty gulls.", "keeper"), page.add("Tobias sold ninety loaves.", "baker")
    for question in ("What did Tobias sell?", "What did Marian count?"):
        page.room.ran(documents=[keeper, baker], question=question, method="bm25", settings={"model": ""})
    tab = page.open("/library")
    assert [line.endswith("read together with others") for line in tab.texts("li.document p")] == [True, True]
    tab = page.open(f"/document/{keeper}")
    tab.click("[aria-label='Delete keeper']")
    tab.until("document.querySelector('dialog[open]')")
    assert tab.texts("dialog p") == [
        "Delete “keeper”? Also deleted: what was read of “keeper, baker” together, with 2 questions, of which 1 about "
        "the others alone stays. This can't be undone."
    ]


@pytest.mark.slow
def test_a_text_is_searched_and_summed_up_and_put_into_a_table(page: OpenPage) -> None:
    document = page.add(TEXT, "lamp")
    page.room.ran(documents=[document], method="bm25", settings={"model": ""})
    tab = page.open(f"/document/{document}")
    tab.run("document.querySelector('[list=collection-names]').closest('details').open = true")
    tab.type("[list=collection-names]", "Sarn")
    tab.press("Enter")
    tab.until("document.querySelector('[aria-label=\"Take it out of Sarn\"]')")

    tab.until("document.querySelector('.suggested a')")
    question = tab.texts(".suggested a")[0]
    assert question.startswith("Who or what is ")
    tab.click(".suggested a")
    tab.until("document.querySelector('.ask-form textarea')")
    assert tab.run("document.querySelector('.ask-form textarea').value") == question

    page.go("/search")
    tab.run("document.querySelector('#view select').value = 'Sarn'")
    tab.type("[type=search]", "lamp")
    tab.until("document.querySelector('.document mark.hit')")
    tab.click(".document .title")
    tab.until("document.querySelector('.page:not([hidden]) .raw')")

    page.go(f"/summarise/{document}")
    tab.until("document.querySelector('.estimate').textContent.startsWith('About')")
    tab.click("button.main")
    tab.until("document.querySelector('.outcome .answer')")
    assert tab.texts(".outcome h1") == ["Summary of lamp"]

    page.go(f"/verify/{document}")
    tab.type("textarea", SHORT + " Nobody had a goat.")
    tab.click("button.main")
    tab.until("document.querySelector('.outcome .answer')")
    assert tab.texts(".outcome h1") == ["Check against lamp"]

    page.go(f"/wiki/{document}")
    tab.click("button.main")
    tab.until("document.querySelector('.outcome .answer')")
    assert tab.texts(".outcome h1") == ["Wiki of lamp"]

    page.go(f"/table/{document}")
    tab.click("button.main")
    tab.until("document.querySelector('.doing .trouble').textContent === 'Say what the table is to hold.'")
    tab.type("textarea", "every person: name, role")
    tab.click("button.main")
    tab.until("document.querySelector('.outcome .answer')")
    assert "Download the table" in tab.texts(".ways-on a")


def test_a_way_to_read_is_chosen_and_a_message_goes_away_once_it_is_read(page: OpenPage) -> None:
    document = page.add(SHORT, "lamp")
    tab = page.open(f"/ask/{document}")
    tab.click("button.main")
    tab.until("document.querySelector('[aria-label=\"Close this message\"]:not([hidden])')")
    tab.type(".ask-form textarea", "Who took the log book?")
    assert tab.texts(".doing .trouble") == [""]
    assert tab.run("document.querySelector('[name=way]:checked').value") == "1"
    page.open_how()
    tab.click("[name=way][value='0']")
    tab.until("document.querySelector('.estimate').textContent.includes('No calls of a model')")
    tab.click("button.main")
    tab.until("document.querySelector('.outcome .answer')")
    (run,) = [each for each in page.room.get("/api/runs")["runs"] if each["kind"] == "ask"]
    assert run["method"] == "ranked"
    weak = tab.run("getComputedStyle(document.querySelector('.status')).backgroundColor")
    assert weak != tab.run(
        "(() => { const one = document.createElement('p'); one.className = 'trouble'; "
        "document.body.append(one); return getComputedStyle(one).color })()"
    )


@pytest.mark.slow
def test_a_text_of_many_parts_is_shown_whole_though_few_of_them_came(
    page: OpenPage, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_page, "MOST_SENT", 10)
    document = page.add(TEXT, "lamp")
    page.room.ran(documents=[document], method="read-agent")
    server.latency = 0.3
    tab = page.open(f"/ask/{document}")
    page.ask("Who took the log book?", "read-agent")
    tab.until("document.querySelectorAll('.live-pages .cell').length > 20")
    tab.until("document.querySelector('.outcome .said')")
    count = tab.run("document.querySelectorAll('.strip .cell').length")
    page.go(f"/document/{document}")
    tab.until("document.querySelector('.strip .cell')")
    assert tab.run("document.querySelectorAll('.strip .cell').length") == count
    tab.click(f".strip .cell[data-page='{count - 2}']")
    tab.until("document.querySelector('.page .raw')")
    assert tab.texts(".note p")[0].startswith("In short: ")


def test_the_first_screen_asks_and_each_next_step_is_offered(page: OpenPage) -> None:
    tab = page.open()
    tab.click(".first button.main")
    tab.until("document.querySelector('.suggested a')")
    assert tab.texts(".document .title") == ["The Lamp at Sarn Head"]
    assert tab.texts(".document .offers a") == ["Ask", "Summarise"] and len(tab.texts(".suggested a")) == 3
    tab.type(".asking textarea", "Who took the log book?")
    tab.until("document.querySelector('.estimate').textContent")
    assert re.fullmatch(r"About \d+ calls?, [\d,]+00 words, .*\.", tab.texts(".estimate")[0])
    tab.press("Enter")
    tab.until("document.querySelector('.outcome .said')")
    assert tab.run("document.querySelector('.how-read').open") is False
    shown = str(tab.run("document.querySelector('#view').innerText"))
    assert "read-agent" not in shown and "characters" not in shown and "--" not in shown
    tab.click(".how-read > summary")
    assert {"method", "calls", "fall-backs"} <= set(tab.texts(".how-read dt"))
    place = tab.run("location.hash")
    tab.open("about:blank")
    tab.open(f"{page.room.base}/{place}")
    tab.until("document.querySelector('.outcome .said')")


@pytest.mark.slow
def test_what_was_made_and_what_is_under_way_stand_with_the_questions(page: OpenPage, server: ModelServer) -> None:
    document = page.add(SHORT, "lamp")
    page.room.ran(documents=[document], task="summary", settings={"model": ""})
    page.room.ran(documents=[document], question="Who took the log book?", method="bm25")
    server.latency = 5
    run = page.room.post("/api/runs", documents=[document], question="And when?", method="gam")["id"]
    tab = page.open("/questions")
    assert tab.texts("nav a") == ["Ask", "Search", "Questions", "Agents"]
    assert tab.texts(".title") == ["And when?", "Summary of lamp", "Who took the log book?"]
    tab.click(".title")
    tab.until("document.querySelector('.run progress:indeterminate') && document.querySelector('.state').textContent")
    page.room.client.post(f"/api/runs/{run}/stop")
    tab.until("document.querySelector('.state').textContent.startsWith('Stopped')")


@pytest.mark.slow
def test_among_fifty_documents_the_cited_one_is_in_view(page: OpenPage) -> None:
    about_goat = " The goat ate the log book on the gallery."
    documents = [
        page.add(f"Keeper {number} wrote of storm {number}." + about_goat * (number == 37), f"letter {number}")
        for number in range(50)
    ]
    tab = page.open(f"/ask/{','.join(documents)}")
    tab.until("document.querySelectorAll('.chips li').length === 50")
    page.ask("What did the goat eat?", "bm25")
    tab.until("document.querySelector('.outcome .said')")
    inside = """(([strip, cell]) => strip.top <= cell.top && cell.bottom <= strip.bottom)(
        [".strip", ".strip .cell.cited"].map((which) => document.querySelector(which).getBoundingClientRect()))"""
    assert tab.run(inside) and tab.texts(".citation .where")[0].startswith("letter 37")

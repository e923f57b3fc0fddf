"""What the page of the room does with texts besides asking: it deletes, searches, sums up, and makes tables."""

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
    page.room.ran(documents=[document])
    server.latency = 0.3
    tab = page.open(f"/ask/{document}")
    page.ask("Who took the log book?")
    tab.until("document.querySelectorAll('.live-pages .cell').length > 20")
    tab.until("document.querySelector('.outcome .said')")
    count = tab.run("document.querySelectorAll('.strip .cell').length")
    page.go(f"/document/{document}")
    tab.until("document.querySelector('.strip .cell')")
    assert tab.run("document.querySelectorAll('.strip .cell').length") == count
    tab.click(f".strip .cell[data-page='{count - 2}']")
    tab.until("document.querySelector('.page .raw')")
    assert tab.texts(".note p")[0].startswith("In short: ")

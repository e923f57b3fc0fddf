"""The page of the room where something is missing, waits, or changes while one writes."""

import json
from pathlib import Path
from typing import NoReturn

import pytest
from httpx2 import get

from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.report.conftest import IN_BROWSER
from tests.serve.browsing import OpenPage
from tests.support.browser import Browser
from tests.support.examples import STORY
from tests.support.reading_room import OpenRoom

pytestmark = IN_BROWSER

SHORT = "\n\n".join(Path(STORY).read_text(encoding="utf-8").split("\n\n")[:8])


@pytest.mark.slow
def test_places_that_name_nothing_any_more(page: OpenPage) -> None:
    document = page.add(SHORT, "lamp")
    tab = page.open()
    for place in ("document/%E0%A4%A", "document/gone", "question/gone"):
        tab.run(f"location.hash = '#/{place}'")
        tab.until("document.querySelector('.refused [role=alert]')?.textContent.includes('The library holds no')")
        tab.click(".refused a")
        tab.until("document.querySelector('.document')")
    page.go(f"/ask/gone,{document}")
    assert tab.texts(".chips li") == ["lamp ×"]
    assert "not in the library any more" in tab.texts(".picking .quiet")[0]
    refused = ("/gone", "/%25E0%25A4%25A")
    tab.events = [event for event in tab.events if not any(name in json.dumps(event[1]) for name in refused)]


@pytest.mark.slow
def test_a_question_that_failed_before_anything_was_read_goes_on_from_its_page(
    page: OpenPage, server: ModelServer
) -> None:
    document = page.add(SHORT, "lamp")
    server.fault_for = lambda request, call: Fault("no such key", status=401)
    asked = page.room.ran(documents=[document], question="Wer nahm das <Buch>?")[-1]["run"]
    assert asked["state"] == "failed"
    tab = page.open("/questions")
    assert "It failed" in tab.texts(".questions p.quiet")[0]
    tab.click(".questions .title")
    tab.until("document.querySelector('.outcome .state')?.textContent === 'It failed'")
    assert tab.texts("#view h1") == ["Wer nahm das <Buch>?"]
    server.fault_for = None
    tab.click(".outcome button.main")
    tab.until("document.querySelector('.outcome .said')")


@pytest.mark.slow
def test_a_question_that_failed_over_a_known_memory_is_no_answer_and_goes_on_from_its_page(
    page: OpenPage, server: ModelServer
) -> None:
    document = page.add(SHORT, "lamp")
    server.fault_for = lambda request, call: Fault("no such key", status=401)
    page.room.ran(documents=[document], question="Wer nahm das Buch?", method="bm25")
    tab = page.open("/questions")
    tab.click(".questions .title")
    tab.until("document.querySelector('.outcome .state')?.textContent === 'It failed'")
    assert tab.texts(".outcome .said") == ["There is no answer yet."]
    server.fault_for = None
    tab.click(".outcome button.main")
    tab.until("document.querySelector('.outcome .said')?.textContent.startsWith('It says so.')")


@pytest.mark.slow
def test_calls_that_wait_for_one_reason_are_one_line(page: OpenPage, server: ModelServer) -> None:
    document = page.add(SHORT, "lamp")
    tab = page.open(f"/ask/{document}")
    answer, refused = server.respond, list[ChatRequest]()

    def fails(request: ChatRequest) -> NoReturn:
        refused.append(request)
        raise RuntimeError("not now")

    server.respond = fails
    page.ask("Who took the log book?", "read-agent")
    tab.until("document.querySelector('[data-node=waiting]')")
    tab.until("document.querySelector('.state').textContent.startsWith('Waiting')")
    assert len(tab.texts("[data-node=waiting]")) == 1 and len(refused) > 1
    server.respond = answer
    tab.until("document.querySelector('.outcome .said')")


@pytest.mark.slow
def test_a_memory_is_written_while_its_agent_thinks(page: OpenPage, server: ModelServer) -> None:
    tab = page.open("/agents/Ada")
    tab.type(".talking textarea", "Good morning.")
    tab.press("Enter")
    tab.until("document.querySelectorAll('.block').length > 1")
    server.latency = 0.5
    tab.type(".talking textarea", "And now?")
    tab.press("Enter")
    tab.run("document.querySelector('.agent-memory details').open = true")
    tab.type(".block textarea", "I keep a lamp. ")
    tab.until("document.querySelectorAll('.talk > [data-from=agent]').length === 2")
    tab.until("document.querySelector('.agent-memory').textContent.includes('4 events')")
    assert "I keep a lamp. " in tab.run("document.activeElement.value"), "what was being written stays"
    assert tab.run("document.querySelector('.agent-memory details').open")
    tab.type(".talking textarea", "And then?")
    tab.press("Enter")
    tab.until("document.querySelector('.talking textarea').value === ''")
    page.open("/agents/Ada")
    tab.until("document.querySelectorAll('.talk > [data-from=agent]').length === 3")


@pytest.mark.slow
def test_a_server_that_was_started_anew_lets_in_where_one_was(room: OpenRoom, tab: Browser) -> None:
    page = OpenPage(room, tab)  # what it refuses is logged as an error
    page.room.ran(documents=[page.add(SHORT, "lamp")], question="Who took the log book?")
    page.open("/questions")
    for token, place in (("another-token", "agents"), ("a-third-one", "questions")):
        page.room.guard.token = token
        page.room.guard.sessions.clear()
        tab.run(f"location.hash = '#/{place}'")
        tab.until("document.querySelector('#view input[type=password]')")
        if token == "another-token":
            tab.type("#view input", page.room.url)
            tab.events.clear()
            tab.press("Enter")
            tab.loaded()
        else:
            session = get(room.url).cookies[room.guard.cookie]
            tab.send("Network.setCookie", name=room.guard.cookie, value=session, url=room.base, httpOnly=True)
            tab.run("dispatchEvent(new Event('focus'))")
        tab.until(f"document.querySelector('#view h1')?.textContent.toLowerCase() === '{place}'")
    tab.open("about:blank")

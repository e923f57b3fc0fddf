"""The page of `studio --local` in a real browser: a run is watched on the graph, stopped, changed and gone on with."""

from collections.abc import Iterator

import pytest

from tests.doubles.model_server import ModelServer
from tests.report.conftest import IN_BROWSER
from tests.support.browser import Browser
from tests.support.examples import STORY
from tests.support.reading_room import OpenRoom

pytestmark = IN_BROWSER


@pytest.fixture
def tab(room: OpenRoom, tab: Browser) -> Iterator[Browser]:
    """The page over a library with one text. Whatever a test does, it asks nothing of another host."""
    room.added("lamp.txt", STORY.read_bytes()[:6_000])
    yield tab
    assert [url for url in tab.requested() if not url.startswith((room.base + "/", "data:"))] == []
    assert tab.troubles() == []
    tab.open("about:blank")


def show(room: OpenRoom, tab: Browser, width: int = 1280) -> None:
    tab.open(f"{room.base}/studio?token={room.guard.token}", width=width)
    tab.until("document.querySelector('[data-node]')")
    tab.run(
        "asking = document.querySelector('#asking select'); asking.value = 'read-agent'; "
        "asking.dispatchEvent(new Event('change'))"
    )
    tab.until("document.querySelector('.graph h2').textContent === 'read-agent'")
    tab.type("#asking textarea", "Who took the log book?")


def told(tab: Browser, beginning: str) -> None:
    assert tab.until(f"document.querySelector('#asking [role=status]').textContent.startsWith('{beginning}')")


def node(name: str) -> str:
    return f'[data-node="{name}"]'


def test_a_run_is_watched_stopped_changed_and_gone_on_with(room: OpenRoom, tab: Browser, server: ModelServer) -> None:
    show(room, tab)
    tab.run(f"document.querySelector('{node('answer')}').focus()")
    tab.press("Enter")
    assert tab.run(f"document.querySelector('{node('answer')}').ariaPressed") == "true"
    tab.click("#asking button.main")
    told(tab, "It waits")
    tab.until(f"document.querySelector('.next{node('answer')}')")
    assert tab.run("document.querySelectorAll('[data-node].ran').length") == 4
    tab.until("document.querySelectorAll('#state .buttons > .doing').length === 2")
    assert "pages_read" in tab.texts("#state > .scrolled th")

    tab.click("#state .buttons > button")
    tab.until("document.querySelector('#state textarea')")
    tab.run(
        "[...document.querySelectorAll('#state .field')].find((one) => one.innerText.startsWith('question_text'))"
        ".querySelector('textarea').value = JSON.stringify('Who wept?')"
    )
    tab.click("#state button.main")
    tab.until("document.querySelector('#state h2').textContent === 'Changed by hand'")
    tab.click("#state .doing button")
    told(tab, "Done")
    tab.until("document.querySelectorAll('.step').length === 8")
    assert any("Who wept?" in str(request) for request in server.requests)

    tab.press("Tab")
    steps = tab.texts(".step b")
    assert steps[5:] == ["6. Changed by hand", "7. answer", "8. cite"]
    again = tab.run("location.hash")
    tab.open("about:blank")
    tab.open(f"{room.base}/studio{again}")
    tab.until("document.querySelectorAll('.step').length === 8")
    assert tab.texts(".graph h2") == ["read-agent"], "the address shows the same run once more"


def test_a_run_is_found_again_by_the_address_where_it_stands(room: OpenRoom, tab: Browser, server: ModelServer) -> None:
    show(room, tab)
    tab.until("[...document.querySelectorAll('#asking .panels label')].some((one) => one.textContent === 'Model')")
    server.latency = 2.0
    tab.click("#asking button.main")
    tab.until("document.querySelectorAll('.step').length === 2 && location.hash")
    again = tab.run("location.hash")
    tab.open("about:blank")
    tab.open(f"{room.base}/studio{again}")
    told(tab, "Reading")
    stop = "[...document.querySelectorAll('#asking button')].find((one) => one.textContent === 'Stop')"
    tab.run(f"{stop}.click()")
    told(tab, "Stopped")
    server.latency = 0.0
    tab.until("document.querySelectorAll('#state .buttons > .doing').length === 2")
    tab.click("#state .doing button")
    told(tab, "Done")

    tab.click("#asking [role=status] a")
    tab.until("document.querySelector('.how-read a')")
    assert tab.run("document.querySelector('.how-read a').href") == f"{room.base}/studio{again}", "and back"
    tab.open(f"{room.base}/studio#none")
    tab.until("document.querySelector('[data-node]')")
    assert "no such run" in tab.until("document.querySelector('#asking > [role=alert]').textContent")
    tab.events.clear()  # of the refused request, which the browser reports


def test_on_a_phone_all_of_it_stands_below_one_another(room: OpenRoom, tab: Browser) -> None:
    show(room, tab, width=390)
    tab.click("#asking button.main")
    told(tab, "Done")
    tab.until("document.querySelector('#state table')")
    assert tab.run("document.documentElement.scrollWidth") <= 390

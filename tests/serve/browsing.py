"""The page of a room in a real browser, as tests use it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.browser import Browser
from tests.support.reading_room import OpenRoom

QUESTION = ".ask-form textarea"


@dataclass
class OpenPage:
    """A room and the tab that shows it."""

    room: OpenRoom
    tab: Browser

    def open(self, place: str = "/library", width: int = 1280, *, dark: bool = False) -> Browser:
        """Load the page at one of its views, and wait until it stands."""
        self.tab.open(f"{self.room.url}#{place}", width=width, dark=dark)
        self.tab.until("document.querySelector('#view h1')")
        return self.tab

    def go(self, place: str) -> None:
        """Go to another view, and wait until it stands."""
        again = "if (location.hash === place) dispatchEvent(new Event('hashchange')); else location.hash = place"
        self.tab.run(f"document.querySelector('#view').firstChild.remove(); place = {json.dumps('#' + place)}; {again}")
        self.tab.until("document.querySelector('#view h1')")

    def add(self, text: str, title: str) -> str:
        """The id of a text that is added to the library."""
        run = self.room.post("/api/texts", text=text, title=title)
        (event,) = [event for event in self.room.until(run["id"], "end") if event["type"] == "document"]
        return str(event["document"]["id"])

    def open_how(self) -> None:
        """Open how a question is read, and wait until its settings came."""
        self.tab.run("document.querySelector('.how').open = true")
        self.tab.until("document.querySelector('.how .panels')")

    def choose(self, title: str) -> None:
        """Choose the first document whose title has these words."""
        self.tab.run("document.querySelector('.picking').open = true")
        self.tab.type(".picking input[type=search]", title)
        self.tab.until("document.querySelector('.found-texts button')")
        self.tab.press("Enter")

    def ask(self, question: str, method: str = "") -> None:
        """Write a question into the view that asks, and send it."""
        self.tab.type(QUESTION, question)
        if method:
            self.tab.run(f"document.querySelector('.how select').value = {json.dumps(method)}")
            self.tab.run("document.querySelector('.how select').dispatchEvent(new Event('change'))")
        self.tab.run(f"document.querySelector('{QUESTION}').focus()")
        self.tab.press("Enter")


def opened_page(room: OpenRoom, tab: Browser) -> Iterator[OpenPage]:
    """The page. Whatever a test does, it asks nothing of another host, and meets no error."""
    yield OpenPage(room, tab)
    others = [url for url in tab.requested() if not url.startswith((room.base + "/", "data:"))]
    assert others == []
    assert tab.troubles() == []
    tab.open("about:blank")

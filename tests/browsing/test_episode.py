"""An episode over a driver without a browser: how it goes on, and ends, where a page gives nothing."""

from collections import Counter

import pytest

from readgraph.features.web.driver import NUMBER, CannotAct, PageSeen
from readgraph.features.web.episode import Episode
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from tests.doubles.model_server import ModelServer
from tests.doubles.web_agent import WebAgent, does

URL = "https://shop.example/"
SHOP = f'<title>A shop</title><button {NUMBER}="1">Order</button>'


class Shows:
    """Shows these pages one after the other; a message stands for one that does not answer."""

    def __init__(self, *pages: str | CannotAct, gone: int = 0) -> None:
        self.pages, self.gone = [*pages], gone
        self.url, self.blocked = URL, Counter[str]()

    async def look(self) -> PageSeen:
        page = self.pages.pop(0)
        if isinstance(page, CannotAct):
            raise page
        return PageSeen(URL, "", page)

    async def show(self, element: str) -> None:
        if self.gone:
            self.gone -= 1
            raise CannotAct("The element is not on the page any more.")

    async def act(self, element: str, operation: str, value: str = "", *, secret: bool = False) -> list[str]:
        return []


def begun(driver: Shows, library: Library, server: ModelServer, *script: str) -> Episode:
    server.respond = WebAgent(*(does(each, "1" if each == "click" else None) for each in script))
    return Episode(driver, library, ReaderContext(model="openai:double"), "Order.")


@pytest.mark.parametrize("nothing", ["<body></body>", CannotAct("The page does not answer.")])
async def test_what_was_done_is_told_where_the_next_page_gives_nothing(
    library: Library, server: ModelServer, nothing: str | CannotAct
) -> None:
    episode = begun(Shows(SHOP, nothing), library, server, "click")
    proposed = await episode.propose()
    assert proposed
    await episode.do(proposed)
    assert await episode.propose() is None
    found = episode.summary()
    assert (found["outcome"], found["actions"]) == ("stuck", 1) and found["reason"]
    with pytest.raises(ReadgraphError):
        await begun(Shows(nothing), library, server).propose()


async def test_an_element_that_went_while_the_agent_thought_is_a_step_that_failed(
    library: Library, server: ModelServer
) -> None:
    episode = begun(Shows(SHOP, f"{SHOP}<p>New</p>", gone=1), library, server, "click", "finished")
    assert await episode.propose() is None and episode.ending == "finished"
    assert [(step["came"], step["notes"]) for step in episode.steps] == [
        ("failed", ["The element is not on the page any more."])
    ]

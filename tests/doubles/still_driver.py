"""A driver without a browser: it shows one page, whatever is done on it."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from readgraph.features.web.driver import NAMES, NUMBER, PageSeen
from readgraph.state.errors import BadInput

PAGE = f'<title>A shop</title><button {NUMBER}="1">Order</button>'


class StillDriver:
    """Stands in for `ChromiumDriver`."""

    def __init__(self, url: str) -> None:
        self.url, self.blocked = url, Counter[str]()

    @classmethod
    @asynccontextmanager
    async def opened(cls, url: str, driver: str) -> AsyncIterator["StillDriver"]:
        if driver not in NAMES:
            raise BadInput(f"There is no browser '{driver}'.")
        yield cls(url)

    async def look(self) -> PageSeen:
        return PageSeen(self.url, "A shop", PAGE)

    async def show(self, element: str) -> None:
        return

    async def act(self, element: str, operation: str, value: str = "", *, secret: bool = False) -> list[str]:
        return []

"""What belongs to one event loop, such as clients with open connections, and ends with it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class PerLoop(Generic[Value]):
    """One value for each event loop, made where it is first asked for and ended when the loop ends.

    A weak dictionary would keep them all: a client's connections hold the loop that is its key.
    """

    def __init__(self, make: Callable[[], Value], end: Callable[[Value], Awaitable[None]]) -> None:
        self._make, self._end = make, end
        self._kept: dict[asyncio.AbstractEventLoop, tuple[Value, AsyncGenerator[None, None]]] = {}

    async def here(self) -> Value:
        """The running event loop's value."""
        loop = asyncio.get_running_loop()
        if loop not in self._kept:
            for other in [*self._kept]:
                if other.is_closed():  # without telling its generators, as `run` does
                    self._kept.pop(other, None)
            self._kept[loop] = self._make(), (life := self._until_the_end(loop))
            await anext(life)
        return self._kept[loop][0]

    async def _until_the_end(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None, None]:
        """An event loop closes the generators that were begun in it before it ends."""
        try:
            yield
        finally:
            if kept := self._kept.pop(loop, None):
                await self._end(kept[0])


async def close_client(model: Any) -> None:
    """Close the connections of a LangChain model that we gave a client of its own."""
    if client := getattr(model, "http_async_client", None):
        await client.aclose()

"""What an episode needs of a driver: a page as it is shown, and single actions on its elements."""

from collections import Counter
from typing import NamedTuple, Protocol

from readgraph.state.errors import ReadgraphError

__all__ = ["CannotAct", "Driver", "PageSeen"]

NUMBER = "data-readgraph-id"
"""The attribute that holds an element's number."""


class PageSeen(NamedTuple):
    """A page as it was shown: its address, title, and HTML in which elements have numbers (`NUMBER`)."""

    url: str
    title: str
    html: str


class CannotAct(ReadgraphError):
    """An action that could not be done, with the reason in words."""


class Driver(Protocol):
    """Shows one page of one site at a time. `blocked` counts the requests to other origins, by origin."""

    @property
    def blocked(self) -> Counter[str]:
        """How often each other origin was asked for, and refused."""

    @property
    def url(self) -> str:
        """The page's address, without passwords."""

    async def look(self) -> PageSeen:
        """What the page shows now; from then on, elements are named by the numbers in it.

        Raises `CannotAct` where the page does not answer.
        """

    async def show(self, element: str) -> None:
        """Remember what an element is now, when a person is asked about it."""

    async def act(self, element: str, operation: str, value: str = "", *, secret: bool = False) -> list[str]:
        """Do an action (click, type, select) on the element with this number; a `secret` value is never shown again.

        Returns what happened besides, in words. Raises `CannotAct` where it can't be done.
        """

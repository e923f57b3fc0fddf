"""What is made of documents besides answers, as features plug it in: summaries, tables, checks, wikis."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from readgraph.api.running import RunThread
from readgraph.graphs.method import Method
from readgraph.graphs.rehearsal import Estimate, rehearse_method
from readgraph.library.library import Library
from readgraph.plugins import plugged_in
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import Listen
from readgraph.state.records import Document

if TYPE_CHECKING:
    from fastapi import FastAPI

    from readgraph.doors.serve.room import Room

__all__ = ["Page"]

ANSWER = "answer"  # the task that is none of these


@dataclass(frozen=True)
class Making(ABC):
    """What is made for a task. `text`: what was written to it; `part`: the part of the documents that it is of.

    Attributes:
        task: The task's name, as a run names it.
        method: The method whose graph makes it.
        lacks: What is wrong where no text is given; "" where none is needed.
        verbatim: Whether the text is taken with the spaces around it, since places in it are shown.
        kept: Whether its steps are kept in a thread, as a question's are.
        in_one_order: Whether the order in which the documents were chosen makes no difference.
    """

    text: str = ""
    part: str = ""

    task: ClassVar[str]
    method: ClassVar[Method]
    lacks: ClassVar[str] = ""
    verbatim: ClassVar[bool] = False
    kept: ClassVar[bool] = False
    in_one_order: ClassVar[bool] = False

    @abstractmethod
    def heading(self, title: str) -> str:
        """What stands above it, of documents with this title."""

    @abstractmethod
    def given(self) -> dict[str, Any]:
        """What the method's graph is given besides the document."""

    async def estimate(self, library: Library, document: Document, context: ReaderContext) -> Estimate:
        """What it will use, without a call."""
        return await rehearse_method(self.method, library.pages, document, context, self.given())

    @abstractmethod
    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that makes it."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a feature adds to the page in the browser.

    Attributes:
        makings: What it makes of documents, as tasks of runs.
        add_routes: Adds its own routes, below `/api`, to the application.
    """

    makings: tuple[type[Making], ...] = ()
    add_routes: "Callable[[FastAPI, Room], None]" = lambda app, room: None


@cache
def pages() -> tuple[Page, ...]:
    """What the features add, ours first."""
    return tuple(page for _, page in plugged_in("pages", Page))


def making_named(task: str) -> type[Making]:
    """What is made for a task; raises `BadInput` where there is none."""
    known = {making.task: making for page in reversed(pages()) for making in page.makings}  # ours stay
    if task not in known:
        raise BadInput(f"There is no task '{task}': choose one of {', '.join([ANSWER, *sorted(known)])}.")
    return known[task]

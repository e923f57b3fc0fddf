"""What is made of documents besides answers, as features plug it in: summaries, tables, checks, wikis."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from readgraph.api.running import RunThread
from readgraph.graphs.estimate import Estimate
from readgraph.graphs.method import Method
from readgraph.graphs.rehearsal import rehearse_method
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


@dataclass(frozen=True, kw_only=True)
class Making:
    """What a function of the api makes of documents for a task. `text`: what was written to it; `part`: of which part.

    Attributes:
        task: The task's name, as a run names it.
        method: The method whose graph makes it.
        function: The function that makes it of `documents`, with the `context` and `listen` of a run.
        heading: What stands above it, of documents with this title.
        arguments: What the function is given besides.
        given: What the method's graph is given besides the document.
        show: Its output as the page shows it, of the library's documents; by default the graph's own.
        lacks: What is wrong where no text is given; "" where none is needed.
        verbatim: Whether the text is taken with the spaces around it, since places in it are shown.
        kept: Whether its steps are kept in a `thread`, as a question's are, which the function takes too.
        in_one_order: Whether the order in which the documents were chosen makes no difference.
    """

    task: str
    method: Method
    function: Callable[..., Awaitable[Any]]
    heading: "Callable[[Making, str], str]"
    arguments: "Callable[[Making], dict[str, Any]]" = lambda wanted: {}
    given: "Callable[[Making], dict[str, Any]]" = lambda wanted: {}
    show: Callable[[Library, Document, Any], Awaitable[dict[str, Any]]] | None = None
    lacks: str = ""
    verbatim: bool = False
    kept: bool = False
    in_one_order: bool = False

    text: str = ""
    part: str = ""

    def of(self, text: str, part: str) -> "Making":
        """The same for what was asked of it."""
        return replace(self, text=text if self.verbatim else text.strip(), part=part.strip())

    async def estimate(self, library: Library, document: Document, context: ReaderContext) -> Estimate:
        """What it will use, without a call."""
        return await rehearse_method(self.method, library.pages, document, context, self.given(self))

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """What the page shows of it."""
        arguments = {**self.arguments(self), **({"thread": thread} if self.kept else {})}
        made = await self.function(library, documents=[document], context=context, listen=listen, **arguments)
        return await self.show(library, document, made) if self.show else {**made.output}


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a feature adds to the page in the browser.

    Attributes:
        makings: What it makes of documents, as tasks of runs.
        add_routes: Adds its own routes, below `/api`, to the application.
        link: The label and the path of a page that shows how a question was answered: `PATH#THREAD`.
    """

    makings: tuple[Making, ...] = ()
    add_routes: "Callable[[FastAPI, Room], None]" = lambda app, room: None
    link: tuple[str, str] | None = None


@cache
def pages() -> tuple[Page, ...]:
    """What the features add, ours first."""
    return tuple(page for _, page in plugged_in("pages", Page))


def making_named(task: str) -> Making:
    """What is made for a task; raises `BadInput` where there is none."""
    makings = {making.task: making for page in reversed(pages()) for making in page.makings}  # ours stay
    if task not in makings:
        raise BadInput(f"There is no task '{task}': choose one of {', '.join([ANSWER, *sorted(makings)])}.")
    return makings[task]

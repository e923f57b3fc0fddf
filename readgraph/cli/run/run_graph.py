"""Run a method's graph over a document in the library, with progress."""

from functools import partial
from typing import Any

from langgraph.graph import StateGraph

from readgraph.cli.terminal.notices import notices
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.progress.reading import ReadingProgress
from readgraph.models.names.prices import cost
from readgraph.state.context import ReaderContext
from readgraph.state.library import Library
from readgraph.state.reading import Question
from readgraph.state.records import Document
from readgraph.tools.running import run_method
from readgraph.tools.tables import find_notices


async def run_graph(
    library: Library,
    builder: StateGraph[Any, ReaderContext, Any, Any],
    method: str,
    document: Document,
    question: Question,
    context: ReaderContext,
    screen: Screen,
    thread: str = "",
    seconds_before: float = 0.0,
    *,
    keeps_steps: bool = True,
) -> dict[str, Any]:
    """Run a method's graph over the document; returns its output with document, method, model and cost in dollars.

    `seconds_before` were spent on the document's conversion, and count into the time used. `keeps_steps`: in a thread,
    so that a further question can follow.
    """
    with ReadingProgress(screen) as progress, notices(progress.say, screen):
        listen = partial(show_event, progress)
        saver = library.checkpointer if keeps_steps else None
        found = await run_method(library.pages, builder, method, document, question, context, listen, saver, thread)
    found["usage"] = found["usage"] | {"seconds": round(found["usage"]["seconds"] + seconds_before, 4)}
    return {**found, "cost": cost(found["steps"], screen.price, batch=context.batch)}


def show_event(progress: ReadingProgress, mode: str, event: Any) -> None:
    """Show an event of a graph's stream, of the mode "custom", "tasks" or "updates"; others show nothing."""
    if mode == "custom":
        progress.take(event)
    elif mode == "tasks" and "input" in event:  # the task begins
        progress.begin(event["name"])
    elif mode == "updates":
        progress.show_steps(event)


async def with_places(library: Library, found: dict[str, Any]) -> dict[str, Any]:
    """An answer with `places_read`: where each page that was read again begins in the source, if it names places.

    A survey's has `places_unread`, too, of the pages that could not be read, and `notices` of its table.
    """
    store = library.pages
    document = await store.document(found["document"])
    named = dict[str, list[str | None]]()
    for places, numbers in (("places_read", found["pages_read"]), ("places_unread", found.get("unread"))):
        if numbers is not None:
            pages = {page.number: page for page in await store.pages(found["memory"], numbers)}
            named[places] = await store.place_names(document, [pages[number].start for number in numbers])
    if {"programme", "table", "by_pattern"} <= found.keys():
        told = find_notices(found["programme"], found["table"], by_pattern=found["by_pattern"])
        return {**found, **named, "notices": told}
    return {**found, **named}

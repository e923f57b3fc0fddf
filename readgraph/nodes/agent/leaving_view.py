"""Make room in the view of the plain agentic reader: the oldest results leave it, and one line names their pages."""

import re
from collections.abc import Sequence

from langgraph.runtime import Runtime

from readgraph.nodes.agent.evicting import evict_with
from readgraph.nodes.agent.reader_functions import Opened, open_page, opened_in, opened_name
from readgraph.nodes.step import StepNode
from readgraph.state.agents import Event
from readgraph.state.context import ReaderContext
from readgraph.state.settings import Window
from readgraph.state.words import count_words

_OPENED, _FOUND = "opened ", "found "

_RESULT = re.compile(r"^- document (\d+), page (\d+) \(", re.MULTILINE)


async def name_pages(before: str, events: Sequence[Event], most: int, runtime: Runtime[ReaderContext]) -> str:
    """One line that names the pages that were opened, and those that searches found, in what left the view so far.

    Where there are too many for `most` words, the first of those that were only found are left out, then others.
    """
    searches = [event for event in events if event.kind == "call" and event.function != open_page.name]
    named = [_RESULT.findall(event.result or "") for event in searches if not event.failed]
    found = _joined(before, _FOUND, [(int(document), int(page), 1) for each in named for document, page in each])
    opened = _joined(before, _OPENED, opened_in(events))
    while count_words(line := _line(opened, found)) > most:
        (found or opened).pop(0)
    return line


def _joined(before: str, word: str, places: Sequence[Opened]) -> list[str]:
    """The names that stand in a line behind a word, and those of further places; each once."""
    known = re.search(rf"{word}([^;.]+)", before)
    return [*dict.fromkeys([*(known[1].split(", ") if known else []), *map(opened_name, places)])]


def _line(opened: list[str], found: list[str]) -> str:
    parts = [f"{word}{', '.join(names)}" for word, names in ((_OPENED, opened), (_FOUND, found)) if names]
    return f"Left your view: {'; '.join(parts) or 'what came first'}."


leave_view = StepNode(evict_with(name_pages, "took out of view", in_language=False), settings=(Window,))
"""Takes the oldest events out of the queue, as MemGPT does; asks no model."""

"""What an agent's functions show: results page by page with the exact total, and the pages that are opened."""

import math
from collections.abc import Callable, Sequence

from readgraph.nodes.agent.archival_storage import ArchivalResult, found_in_archive
from readgraph.nodes.agent.event_text import cut_to
from readgraph.nodes.agent.memory import PER_PAGE, AgentMemory
from readgraph.state.errors import BadInput
from readgraph.state.words import count_words, end_after_words


def results_page(found: Sequence[int], page: int) -> tuple[list[int], str]:
    """One page of results, and the line that counts them, with the exact total."""
    pages = max(1, math.ceil(len(found) / PER_PAGE))
    if not 1 <= page <= pages:
        raise BadInput(f"There is no page {page} of these results: their pages are 1 to {pages}.")
    shown = list(found[(page - 1) * PER_PAGE : page * PER_PAGE])
    return shown, f"showing {len(shown)} of {len(found)} (page {page} of {pages})"


def listed(line: str, results: Sequence[tuple[str, str]], memory: AgentMemory) -> str:
    """A line, and below it the results with their names, each cut to its share of the room."""
    share = (memory.room - 8 * len(results)) // max(1, len(results))
    return "\n".join([line, *(f"- {name}: {cut_to(text.strip(), share)}" for name, text in results)])


async def items_listed(
    numbers: list[int], line: str, memory: AgentMemory, excerpt: Callable[[ArchivalResult], str] | None = None
) -> str:
    """The items of archival storage with these numbers, below a line; with `excerpt`, what that shows of each.

    Pages of the question's own document count as read, unless only an excerpt is shown.
    """
    found = await found_in_archive(memory, numbers)
    if excerpt is None:
        memory.pages_read += [each.page for each in found if each.document == 1]
    return listed(line, [(name_of(each), excerpt(each) if excerpt else each.text) for each in found], memory)


async def opened_page(memory: AgentMemory, document: int, page: int, part: int, hint: str) -> str:
    """A page of a document, or a part of it; raises `BadInput` where there is none. `hint`: where documents' names are.

    A page of the question's own document counts as read.
    """
    documents = memory.life["documents"]
    if not 1 <= document <= len(documents):
        raise BadInput(f"There is no document {document}: there are {len(documents)}; {hint}.")
    start, pages = documents[document - 1]
    if not 0 <= page < pages:
        raise BadInput(f"Document {document} has no page {page}: its pages are 0 to {pages - 1}.")
    opened = await found_in_archive(memory, [start + page])
    if not opened:
        raise BadInput(f"Document {document} was forgotten: its pages can't be read any more.")
    text = opened[0].text
    parts = max(1, math.ceil(count_words(text) / memory.room))
    if not 1 <= part <= parts:
        raise BadInput(f"This page has {parts} parts: give one of 1 to {parts}.")
    if document == 1:
        memory.pages_read.append(page)
    begin = end_after_words(text, 0, (part - 1) * memory.room)
    shown = text[begin : end_after_words(text, begin, memory.room)]
    return f"{name_of(opened[0])}{f' (part {part} of {parts})' if parts > 1 else ''}\n{shown.strip()}"


def name_of(found: ArchivalResult) -> str:
    """How an item of archival storage is named to the agent."""
    if not found.document:
        return f"passage {found.number}"
    return f"document {found.document}, page {found.page} ({found.title})"

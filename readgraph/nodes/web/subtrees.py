"""The pages of a web page: subtrees of the DOM at a depth (ReadAgent, appendix E.1).

A subtree begins at an element of that depth; elements above it stand with the subtree that follows. Small neighbours
are joined, and a subtree that the window could not hold is cut and counted.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator

from langgraph.runtime import Runtime

from readgraph.models.metering import fell_back
from readgraph.nodes.building.merging import largest_page
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page
from readgraph.state.web.lines import indented_lines
from readgraph.state.words import count_words, end_after_words


def subtree_ends(text: str, depth: int) -> list[int]:
    """The end of each subtree of a page's text, with what stands above it, ascending; the last is the text's end.

    A line stands for the elements from its indentation down to just above the lines within it: wrappers around a
    single line have none of their own.
    """
    starts, before_is_above = [0], True
    lines = [*indented_lines(text)]
    for (indented, start), (below, _) in zip(lines, [*lines[1:], (0, len(text))], strict=True):
        lowest = max(below - 1, indented)
        if indented <= depth and not before_is_above:
            starts.append(start)
        before_is_above = lowest < depth
    return [*starts[1:], len(text)]


def part_ends(text: str, start: int, depth: int, fewest: int, most: int) -> tuple[list[tuple[int, int]], int]:
    """(end, words) of each part of a page's text after `start`, and how many subtrees were cut.

    A part with fewer than `fewest` words takes in the next subtree; no part has more than `most`.
    """
    parts, cuts = list[tuple[int, int]](), 0
    for end in subtree_ends(text, depth):
        if end <= start:
            continue
        pieces = [(end, count_words(text[start:end]))]
        if pieces[0][1] > most:
            pieces, cuts = [*_pieces(text, start, end, most)], cuts + 1
        for piece_end, words in pieces:
            if parts and parts[-1][1] < fewest and parts[-1][1] + words <= most:
                words += parts.pop()[1]
            parts.append((piece_end, words))
        start = end
    return parts, cuts


def _pieces(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """(end, words) of the pieces of a subtree that is too long: whole lines, as long as a line is not too long."""
    held = 0
    while start < end:
        line_end = text.find("\n", start, end) + 1 or end
        words = count_words(text[start:line_end])
        if held and held + words > most:
            yield start, held
            held = 0
            continue
        if words > most:
            line_end, words = end_after_words(text, start, most), most
        start, held = line_end, held + words
    yield end, held


async def pages_of_subtrees(
    text: str, last: Page | None, runtime: Runtime[ReaderContext]
) -> AsyncGenerator[Page, None]:
    """Paging into subtrees at `page_depth`, joined up to `join_words`, and cut at what the window can hold."""
    context = runtime.context
    number, start = (last.number + 1, last.end) if last else (0, 0)
    if start >= len(text):
        return
    sizes = (context.page_depth, context.join_words, largest_page(context))
    parts, cuts = await asyncio.to_thread(part_ends, text, start, *sizes)
    if cuts:
        fell_back("subtree_cut", cuts)
    for end, words in parts:
        yield Page(number, start, end, words, "rest" if end == len(text) else "rule")
        number, start = number + 1, end

"""Open a web page, and cut it into pages: subtrees of the DOM at a depth (ReadAgent, appendix E.1).

HTML becomes a text with its elements, and the history stands beside the instruction. A subtree begins at an element of
that depth; elements above it stand with the subtree that follows. Small neighbours are joined, and a subtree that the
window could not hold is cut and counted.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator
from typing import Annotated, NotRequired, cast

from langgraph.channels import EphemeralValue
from langgraph.runtime import Runtime

from readgraph.models.metering import count_fallback
from readgraph.models.prompt import fenced
from readgraph.nodes.building.merge import largest_page
from readgraph.nodes.opening import OpenState, OpenUpdate, check_length, open_document
from readgraph.nodes.step import node
from readgraph.sources.web_page import web_page
from readgraph.state.channels import Cleared, WebAction
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Page
from readgraph.state.web_page import line_indents
from readgraph.state.words import count_words, end_after_words, on_one_line

_NOT_OUR_FORM = re.compile(r"<[/!?]|[^ \n] *<|[A-Z]>")
"""What HTML has and the text of a page never: closing tags, comments, several tags on a line."""


class WebOpenState(OpenState):
    """What opening reads: the page, the instruction, what was done before."""

    history: NotRequired[Annotated[list[str], EphemeralValue]]


class WebOpenUpdate(OpenUpdate):
    """What opening writes."""

    done_before: list[str]
    action: Annotated[WebAction | None, Cleared]


@node(starts_question=True)
async def open_page(state: WebOpenState, runtime: Runtime[ReaderContext]) -> WebOpenUpdate:
    """Open a step on a page. What was done before is a part of what the model is asked, but not of what is searched."""
    done = state.get("history") or []
    if not isinstance(done, list | tuple) or not all(isinstance(each, str) for each in done):
        raise BadInput("The input's 'history' must be a list of strings: what was done so far, the oldest first.")
    if state.get("options"):
        raise BadInput("An instruction has no options: leave them out.")
    done = [*filter(None, map(on_one_line, done))]
    given = cast(OpenState, dict(state))
    if isinstance(html := state.get("text"), str):
        check_length(html)
        if ' id="' not in html or _NOT_OUR_FORM.search(html):
            page = await asyncio.to_thread(web_page, html)
            given |= {"text": page.text, "title": state.get("title") or page.title}
    opened = await open_document(given, runtime)
    asked = opened["question_text"]
    if asked and done:  # it names elements in the page's words, so it has its own fence
        numbered = "\n".join(f"{number}. {each}" for number, each in enumerate(done, 1))
        asked += f"\n\nDone so far, with the page's own names of its elements:\n{fenced('done', numbered)}"
    return {**opened, "question_text": asked, "done_before": done, "action": None}


def subtree_ends(text: str, depth: int) -> list[int]:
    """The end of each subtree of a page's text, with what stands above it, ascending; the last is the text's end.

    A line stands for the elements from its indentation down to just above the lines within it: wrappers around a
    single line have none of their own.
    """
    starts, before_is_above = [0], True
    lines = [*line_indents(text)]
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
        count_fallback("subtree_cut", cuts)
    for end, words in parts:
        yield Page(number, start, end, words, "rest" if end == len(text) else "rule")
        number, start = number + 1, end

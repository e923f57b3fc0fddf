"""Pages cut by size alone: for the papers' baselines, without notes, and for sessions (GAM, section 2.2.1)."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

from langgraph.runtime import Runtime

from readgraph.nodes.building.interfaces import Paginate
from readgraph.nodes.page_ends import candidate_ends, paragraph_ends
from readgraph.state.context import ReaderContext
from readgraph.state.records import Note, Page, PageEnd
from readgraph.state.settings import ParagraphBreak
from readgraph.state.words import count_words, end_after_words

FEWEST_SHARE = 0.5
"""The least share of its word limit with which a page may end at a paragraph; below it, a paragraph is cut."""

Size = Callable[[ReaderContext], int]
"""Gives a number of words for a context."""


def even_ends(text: str, start: int, most: int, how: ParagraphBreak = "auto") -> Iterator[tuple[int, int]]:
    """(end, words) of each page after an offset: as few pages as possible, none of more than `most` words.

    Each page ends with the paragraph that is nearest to an even share of the remaining text.
    """
    if start >= len(text):
        return
    if (left := count_words(text[start:])) <= most:
        yield len(text), left
        return
    ends = paragraph_ends(text, how)
    while start < len(text):
        pages = max(-(-left // most), 1)
        offered = candidate_ends(text, ends, start, max(1, round(FEWEST_SHARE * most)), most)
        even = end_after_words(text, start, -(-left // pages))
        end = offered[-1] if pages == 1 else min(offered, key=lambda offset: abs(offset - even))
        words = count_words(text[start:end])
        yield end, words
        start, left = end, left - words


def even_pages(most: Size) -> Paginate:
    """Paging into even pages of at most this many words."""

    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        number, start = (last.number + 1, last.end) if last else (0, 0)
        for end, words in even_ends(text, start, most(runtime.context), runtime.context.paragraph_break):
            yield Page(number, start, end, words, "rest" if end == len(text) else "rule")
            number, start = number + 1, end

    return paged


def pages_of_sessions(session_ends: Sequence[int]) -> Paginate:
    """Paging that ends a page where a session ends, and cuts a longer session evenly at paragraphs or turns.

    Without sessions the text is read as one stream. The pages of a session don't depend on what comes after it, so
    a history that grows keeps all of its pages.
    """

    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        context = runtime.context
        number, read_to = (last.number + 1, last.end) if last else (0, 0)
        for begin, border in pairwise([0, *session_ends] if session_ends else [0, len(text)]):
            session, start = text[begin:border], max(read_to - begin, 0)
            for end, words in even_ends(session, start, context.session_page_words, context.paragraph_break):
                ended_by: PageEnd = "rule" if session_ends or end < len(session) else "rest"
                yield Page(number, begin + start, begin + end, words, ended_by)
                number, start = number + 1, end

    return paged


def cut_once(words: Size, behind: Literal["first", "last"]) -> Paginate:
    """Paging into two: the first (or last) words, as many as `words` gives, and the rest; a short text is one page."""

    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        kept = words(runtime.context)
        cut = end_after_words(text, 0, kept if behind == "first" else count_words(text) - kept)
        bounds = [0, *({cut} - {0, len(text)}), len(text)]
        for number in range(last.number + 1 if last else 0, len(bounds) - 1):
            start, end = bounds[number : number + 2]
            yield Page(number, start, end, count_words(text[start:end]), "rest" if end == len(text) else "rule")

    return paged


async def one_page(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
    """The whole text as one page."""
    if last is None:
        yield Page(0, 0, len(text), count_words(text), "rest")


async def no_note(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """An empty note, for pages that are not summarised."""
    await asyncio.sleep(0)  # so that the page can be stored meanwhile
    return Note(page.number, "", 0)


def words_kept(context: ReaderContext) -> int:
    """Words that a truncated text keeps: `baseline_words`, or as many as fit the window."""
    return min(context.baseline_words or context.window_words, context.window_words)

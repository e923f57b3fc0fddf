"""The parts that build a memory, which a hybrid can replace, and what all kinds of paging share.

Parts of a long text are paged at the same time, because pauses are a chain of calls: in stretches, or by document.
"""

import asyncio
import re
from bisect import bisect_left, bisect_right
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from readgraph.language.sentences import sentence_spans
from readgraph.models.metering import current_meter
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BudgetSpent, ReadgraphError
from readgraph.state.records import CollectionPart, Document, Note, Page
from readgraph.state.settings import ParagraphBreak
from readgraph.state.transports import calls_at_once
from readgraph.state.words import count_words, end_after_words


class NotesSoFar:
    """Notes that exist and notes that are being written; for the tasks of one event loop."""

    def __init__(self, notes: Iterable[Note] = ()) -> None:
        self._known = {note.page: note for note in notes}
        self._without_gap: list[Note] = []
        self._stopped_by: ReadgraphError | None = None
        self._reached = dict[int, asyncio.Event]()
        self._close_up()

    def add(self, note: Note) -> None:
        """A note was written."""
        self._known[note.page] = note
        self._close_up()

    def stop(self, problem: ReadgraphError) -> None:
        """No more notes come: tasks that wait get this error."""
        self._stopped_by = problem
        for reached in self._reached.values():
            reached.set()

    async def before(self, page: int) -> list[Note]:
        """The notes of all pages before this one, in order, as soon as all of them are written."""
        while len(self._without_gap) < page:
            if self._stopped_by:
                raise self._stopped_by
            await self._reached.setdefault(page, asyncio.Event()).wait()
        return self._without_gap[:page]

    def _close_up(self) -> None:
        while len(self._without_gap) in self._known:
            self._without_gap.append(self._known[len(self._without_gap)])
            if reached := self._reached.pop(len(self._without_gap), None):
                reached.set()


Pages = AsyncGenerator[Page, None]
Paginate = Callable[[str, Page | None, ReaderRuntime], Pages]
"""Cuts the text after the last existing page into pages; the last one ends the text."""

WriteNote = Callable[[str, Page, ReaderRuntime], Awaitable[Note]]  # writes the note of a page from the page's text

Parts = tuple[Paginate, WriteNote]
MakeParts = Callable[[Document, NotesSoFar, ReaderRuntime], Awaitable[Parts]]
"""Makes the parts of a build when it begins: they may use the document, and wait for notes of other pages."""

_WHITE_SPACE = re.compile(r"\s+")
_GAP = re.compile(r"[\n\r\f]\s*")
_LINE_END = re.compile(r"\r\n|[\n\r\f]")

HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\s*\*\s*\*|-{3,}|[^\n]{1,60}[^\s.,;:!?\"'”’)](?:\r?\n|\Z))")
"""A heading or a scene break at the beginning of a paragraph."""

LINE_ENDS: dict[ParagraphBreak, int] = {"line": 1, "blank-line": 2, "two-blank-lines": 3}  # that end a paragraph
NEXT_SENTENCE = 40  # characters after an offset, by which is seen whether a sentence begins there
LONG_PARAGRAPHS = 400  # words: a text with more than this between blank lines, on average, is cut at every line instead


def paragraph_ends(text: str, how: ParagraphBreak = "auto") -> list[int]:
    """Offsets of the end of each paragraph, after its trailing white space, ascending; the last is the text's end.

    `auto`: blank lines and form feeds, unless they are so rare that a paragraph would not fit a page.
    """
    ends = _ends(text, LINE_ENDS.get(how, 2))
    if how == "auto" and count_words(text) / len(ends) > LONG_PARAGRAPHS:
        ends = _ends(text, 1)
    return ends


def _ends(text: str, line_ends: int) -> list[int]:
    begins = len(text) - len(text.lstrip())
    ends = [
        gap.end()
        for gap in _GAP.finditer(text, begins)
        if line_ends == 1 or "\f" in gap.group() or len(_LINE_END.findall(gap.group())) >= line_ends
    ]
    return ends if ends and ends[-1] == len(text) else [*ends, len(text)]


def candidate_ends(text: str, ends: Sequence[int], start: int, min_words: int, max_words: int) -> list[int]:
    """Offsets where a page that begins at `start` may end, ascending; never empty while text is left.

    Each leaves between `min_words` and `max_words` words on the page, or fewer at the text's end (ReadAgent, section
    3.1). Where no paragraph end does that, the farthest sentence end is the one offset, else a word, else a character.
    """
    earliest = end_after_words(text, start, min_words)
    latest = end_after_words(text, earliest, max_words - min_words)
    if behind := _WHITE_SPACE.match(text, latest):
        latest = behind.end()
    if candidates := [*ends[bisect_left(ends, earliest) : bisect_right(ends, latest)]]:
        return candidates
    sentences = [begin for begin, _ in sentence_spans(text, start, latest + NEXT_SENTENCE)]
    words = [match.end() for match in _WHITE_SPACE.finditer(text, start, latest)]
    for cuts in (sentences, words):
        if usable := [end for end in cuts if start < end and earliest <= end <= latest]:
            return usable[-1:]
    return [latest]


def pages_after(
    last: Page | None,
    text: str,
    how: ParagraphBreak,
    sizes: tuple[int, int],
    choose_end: Callable[[Sequence[int], int], int],
) -> Iterator[Page]:
    """The pages of a text that follow an existing one, of the fewest to the most words in `sizes`.

    `choose_end`: of the offsets at which a page may end that begins at an offset, that at which it does.
    """
    number, start = (last.number + 1, last.end) if last else (0, 0)
    ends = paragraph_ends(text, how) if start < len(text) else []
    while start < len(text):
        end = choose_end(candidate_ends(text, ends, start, *sizes), start)
        yield Page(number, start, end, count_words(text[start:end]), "rest" if end == len(text) else "rule")
        number, start = number + 1, end


REACH = 0.25  # a stretch's end may be this share of its length away from where all stretches would be equally long
STRETCH_PAGES, REACH_PAGES = 7, 1  # the same in pages where the text says how many stretches: each has five or more


def even_page_words(context: ReaderContext) -> int:
    """Most words of an even page: halfway between the least and the most of pages that end at pauses."""
    return (context.min_page_words + context.max_page_words) // 2


def count_stretches(text: str, context: ReaderContext) -> int:
    """As many stretches as are set, else as the text is long: pages never depend on how many calls are allowed."""
    if context.stretches or context.paging == "even":  # which needs no call
        return context.stretches or 1
    return max(1, count_words(text) // (STRETCH_PAGES * even_page_words(context)))


def count_begun(context: ReaderContext) -> int:
    """How many stretches are paged at once: as many as calls are allowed, and as a budget reads with their notes."""
    bounds = [calls_at_once(context)]
    if context.max_calls is not None:
        bounds.append(context.max_calls // (2 * STRETCH_PAGES))
    if context.max_words is not None:
        bounds.append(context.max_words // (3 * STRETCH_PAGES * even_page_words(context)))
    return max(1, min(bounds))


def stretch_ends(text: str, ends: Sequence[int], stretches: int, reach: float = REACH) -> list[int]:
    """The end of each stretch: before a heading near the even division, else at the widest paragraph gap there."""

    def weight(end: int) -> tuple[bool, int, float]:
        lead = text[max(0, end - 20) : end]
        line_ends = lead[len(lead.rstrip()) :].count("\n")
        return bool(HEADING.match(text, end)), line_ends, -abs(end - even)

    length = len(text) / stretches
    chosen = []
    for number in range(1, stretches):
        even = number * length
        first, behind = bisect_left(ends, even - reach * length), bisect_right(ends, even + reach * length)
        if near := ends[first : min(behind, len(ends) - 1)]:
            chosen.append(max(near, key=weight))
    return [*sorted({*chosen}), len(text)]


def in_stretches(paginate: Paginate) -> Paginate:
    """The paging applied to stretches of the text at once; pages come in the text's order."""

    def paginate_stretches(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
        context, begin = runtime.context, last.end if last else 0
        if begin >= len(text) or (stretches := count_stretches(text, context)) == 1:
            return paginate(text, last, runtime)
        slots = asyncio.Semaphore(count_begun(context))

        async def collect(end: int, before: Page | None) -> list[Page]:
            start = before.start if before else 0  # what is before that is not gone over for each stretch
            async with slots:
                cut = paginate(text[start:end], move_page(before, -start) if before else None, runtime)
                pages = [move_page(page, start) async for page in cut]
            return join_short_end(pages, context) if end < len(text) else pages

        reach = REACH if context.stretches else REACH_PAGES / STRETCH_PAGES
        ends = stretch_ends(text, paragraph_ends(text, context.paragraph_break), stretches, reach)
        left = [end for end in ends if end > begin]
        # A stretch begins after a page that doesn't exist; a resumed one begins after the last existing page.
        before = [last, *(Page(-1, end, end, 0, "rule") for end in left[:-1])]
        bounds = zip(before, left, strict=True)
        return number_pages((collect(end, start) for start, end in bounds), last)

    return paginate_stretches


def join_short_end(pages: list[Page], context: ReaderContext) -> list[Page]:
    """The pages of a stretch, without a last one of fewer words than a page has, where the one before has room."""
    if len(pages) < 2 or pages[-1].words >= context.min_page_words:
        return pages
    *others, page, rest = pages
    joined = replace(rest, start=page.start, words=page.words + rest.words)
    return [*others, joined] if joined.words <= context.max_page_words else pages


async def number_pages(groups: Iterable[Coroutine[Any, Any, list[Page]]], last: Page | None) -> Pages:
    """The pages of groups that are made at the same time, in their order, with the numbers that follow the last one.

    After an error the rest is cancelled; where the budget is spent, paid calls end before.
    """
    number = last.number + 1 if last else 0
    running = [asyncio.create_task(group) for group in groups]
    try:
        for group in running:
            for page in await group:
                yield replace(page, number=number)
                number += 1
    except (BudgetSpent, GeneratorExit):
        if current_meter().budget.spent:
            await asyncio.gather(*running, return_exceptions=True)
        raise
    finally:
        for group in running:
            group.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def in_parts(paginate: Paginate, parts: Sequence[CollectionPart]) -> Paginate:
    """The paging applied to each part separately, so that a document read before is not paid for again."""
    if not parts:
        return paginate

    def paginate_parts(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
        async def pages_of(part: CollectionPart) -> list[Page]:
            before = move_page(last, -part.start) if last and last.end > part.start else None
            pages = paginate(text[part.start : part.end], before, runtime)
            return [move_page(page, part.start) async for page in pages]

        begin = last.end if last else 0
        return number_pages((pages_of(part) for part in parts if part.end > begin), last)

    return paginate_parts


def move_page(page: Page, by: int) -> Page:
    """The page so many characters further on."""
    return replace(page, start=page.start + by, end=page.end + by)

"""Stretches: parts of a long text that are paged at the same time, because pauses are a chain of calls."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from langgraph.runtime import Runtime

from readgraph.nodes.building.interfaces import Paginate
from readgraph.nodes.page_ends import HEADING, paragraph_ends
from readgraph.nodes.tasks import in_order
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page, Part

REACH = 0.25
"""A stretch's end may be this share of its length away from where all stretches would be equally long."""


def stretch_ends(text: str, ends: Sequence[int], stretches: int) -> list[int]:
    """The end of each stretch: before a heading near the even division, else at the widest paragraph gap there."""
    length = len(text) / stretches
    chosen = []
    for number in range(1, stretches):
        even = number * length
        near = [end for end in ends[:-1] if abs(end - even) <= REACH * length]
        if near:
            chosen.append(max(near, key=lambda end: (_is_heading(text, end), _gap(text, end), -abs(end - even))))
    return [*sorted({*chosen}), len(text)]


def in_stretches(paginate: Paginate) -> Paginate:
    """The paging applied to the context's number of stretches at once; pages come in the text's order."""

    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        begin, number = (last.end, last.number + 1) if last else (0, 0)
        if runtime.context.stretches == 1 or begin >= len(text):
            async for page in paginate(text, last, runtime):
                yield page
            return
        ends = stretch_ends(text, paragraph_ends(text, runtime.context.paragraph_break), runtime.context.stretches)
        left = [end for end in ends if end > begin]
        # A stretch begins after a page that doesn't exist; a resumed one begins after the last existing page.
        before = [last, *(Page(-1, end, end, 0, "rule") for end in left[:-1])]
        paging = [_collect(paginate, text[:end], start, runtime) for start, end in zip(before, left, strict=True)]
        async with aclosing(in_order(paging)) as stretches:
            async for pages in stretches:
                for page in pages:
                    yield replace(page, number=number)
                    number += 1

    return paged


async def _collect(paginate: Paginate, text: str, before: Page | None, runtime: Runtime[ReaderContext]) -> list[Page]:
    return [page async for page in paginate(text, before, runtime)]


def _is_heading(text: str, offset: int) -> bool:
    return bool(HEADING.match(text, offset))


def _gap(text: str, offset: int) -> int:
    """Line ends before an offset."""
    lead = text[max(0, offset - 20) : offset]
    return lead[len(lead.rstrip()) :].count("\n")


def in_parts(paginate: Paginate, parts: Sequence[Part]) -> Paginate:
    """The paging applied to each part separately, so that a document read before is not paid for again."""
    if not parts:
        return paginate

    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        begin, number = (last.end, last.number + 1) if last else (0, 0)
        paging = [_pages(paginate, text, part, last, runtime) for part in parts if part.end > begin]
        async with aclosing(in_order(paging)) as done:
            async for pages in done:
                for page in pages:
                    yield replace(page, number=number)
                    number += 1

    return paged


async def _pages(
    paginate: Paginate, text: str, part: Part, last: Page | None, runtime: Runtime[ReaderContext]
) -> list[Page]:
    inside = last if last and last.end > part.start else None
    before = inside and _moved(inside, -part.start)
    return [_moved(page, part.start) async for page in paginate(text[part.start : part.end], before, runtime)]


def _moved(page: Page, by: int) -> Page:
    return replace(page, start=page.start + by, end=page.end + by)

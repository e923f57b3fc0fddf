"""Parts: each document of a collection is paged by itself, all at the same time."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from langgraph.runtime import Runtime

from readgraph.nodes.paging_parts import Paginate
from readgraph.nodes.tasks import in_order
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page, Part


def in_parts(paginate: Paginate, parts: Sequence[Part]) -> Paginate:
    """The same paging over each part alone, as if it were the whole text: what was read before is not paid again."""
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

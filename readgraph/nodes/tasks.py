"""Tasks that run side by side."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from readgraph.models.metering import current_meter
from readgraph.state.errors import BadInput, BudgetSpent, Forgotten
from readgraph.state.page_store import PageStore

LOOKED_AGAIN = 0.3
"""Seconds until one that builds a memory asks again whether its document is still there."""

T = TypeVar("T")


@contextmanager
def failing_as_one() -> Iterator[None]:
    """Raise the first error of a task group as itself: a person wants its one line, not a group."""
    try:
        yield
    except BaseExceptionGroup as group:
        first: BaseException = group
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None


@asynccontextmanager
async def while_there(store: PageStore, document: str) -> AsyncIterator[None]:
    """Stop at once where the document is forgotten meanwhile; raises `Forgotten` then."""
    with failing_as_one():
        async with asyncio.TaskGroup() as tasks:
            watch = tasks.create_task(_watch(store, document))
            yield
            watch.cancel()


async def _watch(store: PageStore, document: str) -> None:
    while True:
        await asyncio.sleep(LOOKED_AGAIN)
        try:
            await store.document(document)
        except BadInput:
            raise Forgotten("The document was forgotten by another command while it was read.") from None


async def in_order(work: Iterable[Coroutine[Any, Any, T]]) -> AsyncGenerator[T, None]:
    """Run all at once and give the results in order; what still runs when the reader leaves is cancelled.

    Where the budget is spent, each ends by itself at its next call: what is in flight is paid for, so it is kept.
    """
    running = [asyncio.create_task(part) for part in work]
    try:
        for part in running:
            yield await part
    except (BudgetSpent, GeneratorExit):
        if current_meter().budget_spent:
            await asyncio.gather(*running, return_exceptions=True)
        raise
    finally:
        for part in running:
            part.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def all_finished(work: Iterable[Awaitable[T]]) -> list[T]:
    """Run all at once and give the results in order; a failure is raised when the others are done: they are paid."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]

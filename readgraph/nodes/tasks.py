"""Tasks that run concurrently."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from readgraph.library.page_store import PageStore
from readgraph.models.metering import current_meter
from readgraph.state.errors import BadInput, BudgetSpent, Forgotten

LOOKED_AGAIN = 0.3  # seconds between two checks, during a build, that the document still exists

T = TypeVar("T")


@contextmanager
def raise_first_error() -> Iterator[None]:
    """Raise the first error of a task group instead of the group, so that the user sees one line."""
    try:
        yield
    except BaseExceptionGroup as group:
        first: BaseException = group
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from first.__cause__


@asynccontextmanager
async def cancel_if_forgotten(store: PageStore, document: str) -> AsyncIterator[None]:
    """Stop as soon as the document is forgotten, and raise `Forgotten`."""

    async def watch() -> None:
        while True:
            await asyncio.sleep(LOOKED_AGAIN)
            try:
                await store.document(document)
            except BadInput:
                raise Forgotten("The document was forgotten by another command while it was read.") from None

    with raise_first_error():
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(watch())
            yield
            watching.cancel()


async def gather_ordered(work: Iterable[Coroutine[Any, Any, T]]) -> AsyncGenerator[T, None]:
    """Run all concurrently, yield in order, and cancel the rest; where the budget is spent, let paid calls end."""
    running = [asyncio.create_task(part) for part in work]
    try:
        for part in running:
            yield await part
    except (BudgetSpent, GeneratorExit):
        if current_meter().budget.spent:
            await asyncio.gather(*running, return_exceptions=True)
        raise
    finally:
        for part in running:
            part.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def all_finished(work: Iterable[Awaitable[T]]) -> list[T]:
    """Run all concurrently; returns the results in order. A failure is raised after the others, which are paid for."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]

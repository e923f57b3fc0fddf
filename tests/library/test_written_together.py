"""Writes that wait for a connection are one transaction; a bad one fails alone."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from readgraph.library.workers import WorkerThread, run_within


class Ledger:
    """Notes what is written and when it is committed; a transaction that fails leaves nothing."""

    def __init__(self) -> None:
        self.written, self.commits = list[str](), list[list[str]]()
        self.thread = WorkerThread("ledger", "The ledger", run_within(self.together))

    @contextmanager
    def together(self) -> Iterator[None]:
        before = len(self.written)
        try:
            yield
        except BaseException:
            del self.written[before:]
            raise
        self.commits.append(self.written[before:])

    def write(self, line: str) -> str:
        if line == "bad":
            raise ValueError(line)
        self.written.append(line)
        return line.upper()

    def writing(self, line: str) -> asyncio.Task[str]:
        return asyncio.create_task(self.thread.run(partial(self.write, line), writes=True))


@contextmanager
def held(ledger: Ledger) -> Iterator[None]:
    """Inside the `with`, the thread is busy, so what is given to it waits."""
    free = threading.Event()
    busy = asyncio.ensure_future(ledger.thread.run(free.wait))
    try:
        yield
    finally:
        free.set()
        busy.add_done_callback(lambda done: done.result())


async def given(ledger: Ledger, *lines: str) -> list[asyncio.Task[str]]:
    """The outcomes of lines that waited for the thread at the same time, once all are there."""
    with held(ledger):
        await asyncio.sleep(0)  # the thread is busy now
        outcomes = [ledger.writing(line) for line in lines]
        await asyncio.sleep(0)  # all are waiting now
    await asyncio.wait(outcomes)
    return outcomes


async def test_what_waits_is_committed_at_once_and_in_its_order() -> None:
    ledger = Ledger()
    outcomes = await given(ledger, "a", "b", "c")
    assert [outcome.result() for outcome in outcomes] == ["A", "B", "C"]
    assert ledger.commits == [["a", "b", "c"]]
    ledger.thread.shutdown()


async def test_a_bad_one_fails_alone() -> None:
    ledger = Ledger()
    first, second, third = await given(ledger, "a", "bad", "c")
    assert (first.result(), third.result(), ledger.written) == ("A", "C", ["a", "c"])
    with pytest.raises(ValueError, match="bad"):
        second.result()
    ledger.thread.shutdown()


async def test_who_was_cancelled_does_not_keep_the_others_waiting() -> None:
    ledger = Ledger()
    with held(ledger):
        await asyncio.sleep(0)
        left, stayed = ledger.writing("a"), ledger.writing("b")
        await asyncio.sleep(0)
        left.cancel()
    assert await stayed == "B"
    assert ledger.written == ["a", "b"]
    ledger.thread.shutdown()


async def test_nobody_waits_for_a_thread_that_has_ended() -> None:
    ledger = Ledger()
    ledger.thread.shutdown()
    for line in "ab":
        with pytest.raises(RuntimeError):
            await asyncio.wait_for(ledger.writing(line), 5)

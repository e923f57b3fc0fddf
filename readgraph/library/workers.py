"""A thread that uses one connection, for any event loop and any thread; what waits is one transaction.

A commit, a switch to the thread and a wake of the event loop cost more than most writes.
"""

import asyncio
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar
from weakref import finalize

from readgraph.state.errors import LibraryError

T = TypeVar("T")


@dataclass(slots=True)
class _Order:
    """A function that somebody waits for, and its outcome; it is run even if the waiting task was cancelled."""

    thread: "WorkerThread"  # which lives until its orders are carried out
    function: Callable[[], Any]
    writes: bool
    done: asyncio.Future[Any] | Future[Any]
    loop: asyncio.AbstractEventLoop | None = None
    result: Any = None
    problem: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.function()
        except BaseException as problem:
            self.problem = problem

    def settle(self) -> None:
        if self.done.done():  # its task was cancelled
            return
        if self.problem is not None:
            self.done.set_exception(self.problem)
        else:
            self.done.set_result(self.result)


class WorkerThread:
    """A thread, started at first use, that runs functions in their order; it ends when nobody has this object any more.

    `run_together` runs several that write in one transaction. If it fails, they are run one by one: a bad one must not
    make others fail. `what` is used, for messages, and `instead` what to do in a forked process: there, and once it was
    shut down, orders raise `LibraryError`.
    """

    def __init__(
        self,
        name: str,
        what: str,
        run_together: Callable[[Sequence[Any]], Sequence[Any]] | None = None,
        *,
        instead: str = "",
    ) -> None:
        self._name, self._what, self._run_together, self._instead = name, what, run_together, instead
        self._waiting = SimpleQueue[_Order | None]()
        self._thread: Thread | None = None
        self._submitting, self._ended, self._process = Lock(), False, os.getpid()

    @property
    def of_parent(self) -> bool:
        """Whether this process was forked since, so that the thread does not exist in it."""
        return self._process != os.getpid()

    @property
    def usable(self) -> bool:
        """Whether it runs in this process, and was not shut down."""
        return not self.of_parent and not self._ended

    def check(self) -> None:
        """Raise `LibraryError` where this process was forked since, or the thread was shut down."""
        if self._process != os.getpid():
            raise LibraryError(f"{self._what} was opened before this process was forked{self._instead}.")
        if self._ended:
            raise LibraryError(f"{self._what} is closed.")

    async def run(self, function: Callable[[], T], *, writes: bool = False) -> T:
        """Run a function; when this returns, what it wrote is committed. One that `writes` may be run twice."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._submit(_Order(self, function, writes, done, loop))
        return await done

    def submit(self, function: Callable[[], T], *, writes: bool = False) -> Future[T]:
        """As `run`, for a thread to wait, or nobody."""
        done = Future[T]()
        self._submit(_Order(self, function, writes, done))
        return done

    def _submit(self, order: _Order) -> None:
        self.check()  # a forked child must not wait for a lock that a thread of its parent held
        with self._submitting:
            self.check()
            if self._thread is None:
                self._thread = Thread(target=_work, args=(self._waiting,), name=self._name, daemon=True)
                self._thread.start()
                finalize(self, self._waiting.put, None).atexit = False
            self._waiting.put(order)

    def shutdown(self) -> None:
        """Finish what waits, and end the thread."""
        with self._submitting:
            self._ended = True
            self._waiting.put(None)
        if self._thread is not None:
            self._thread.join()

    def carry_out(self, orders: Sequence[_Order]) -> None:
        """Run the functions of orders that waited, those that write together."""
        for writes, group in groupby(orders, attrgetter("writes")):
            together = [*group]
            if writes and len(together) > 1 and self._run_together:
                with suppress(Exception):
                    results = self._run_together([order.function for order in together])
                    for order, result in zip(together, results, strict=True):
                        order.result = result
                    continue
            for order in together:
                order.run()


def run_within(transaction: Callable[[], AbstractContextManager[Any]]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """What runs functions in one transaction."""

    def run_together(functions: Sequence[Callable[[], Any]]) -> Sequence[Any]:
        with transaction():
            return [function() for function in functions]

    return run_together


def _work(waiting: SimpleQueue[_Order | None]) -> None:
    while _carry_out_waiting(waiting):  # between two groups nothing of the last one is held
        pass


def _carry_out_waiting(waiting: SimpleQueue[_Order | None]) -> bool:
    """Carry out the orders that wait, at least one, and hand on their outcomes; False where the thread is to end."""
    group = [waiting.get()]
    while not waiting.empty():
        group.append(waiting.get())
    if orders := [order for order in group if order is not None]:
        orders[0].thread.carry_out(orders)
        by_loop: dict[Any, list[_Order]] = defaultdict(list)
        for order in orders:
            by_loop[order.loop].append(order)
        for order in by_loop.pop(None, []):
            order.settle()
        for loop, settled in by_loop.items():  # each event loop is woken once
            with suppress(RuntimeError):  # the loop was closed: nobody waits any more
                loop.call_soon_threadsafe(lambda settled=settled: [order.settle() for order in settled])
    return len(orders) == len(group)

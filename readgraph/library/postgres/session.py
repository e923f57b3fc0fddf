"""The session of a library on a server: one connection that writes and holds the locks, and the thread that uses it.

Locks belong to a session on the server, and end with it. What is written under a lock goes through the same session,
so whoever has lost a lock, such as through a broken network, can write no more.
"""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import psycopg

from readgraph.library.address import LibraryAddress
from readgraph.library.postgres.connections import (
    Connection,
    connect,
    is_lost,
    retry_transaction,
    server_unusable_error,
)
from readgraph.library.store import InUse, OnWait
from readgraph.library.workers import WorkerThread, run_within
from readgraph.state.errors import LibraryError

POLL_SECONDS = 0.1
"""How often a lock is tried that somebody else holds."""

_T = TypeVar("_T")


@dataclass
class _HeldLock:
    """A lock that this session holds: how often, and whether others may hold it too."""

    times: int
    shared: bool


class ServerSession:
    """One connection and its thread. Writes that wait are one transaction."""

    def __init__(self, address: LibraryAddress) -> None:
        self.address = address
        self._connection = connect(address)
        self.database = self._connection.info.dbname
        self._thread = WorkerThread("readgraph-postgres", run_within(self._together))
        self._held, self._lost, self._begun = dict[str, _HeldLock](), False, False
        self._closed, self._process = False, os.getpid()

    def check(self) -> None:
        """Raise `LibraryError` where the session can't be used any more."""
        if self._process != os.getpid():
            raise LibraryError(f"The library {self.address} was opened before this process was forked: open it there.")
        if self._closed:
            raise LibraryError(f"The library {self.address} is closed.")
        if self._lost:
            raise LibraryError(
                f"The connection to the library {self.address} was lost, and its locks with it: "
                "give the same command again."
            )

    async def write(self, operation: Callable[[Connection], _T]) -> _T:
        """Run an operation that writes, and may be run twice; when this returns, it is committed."""
        self.check()
        return await self._thread.run(partial(self._transaction, operation), writes=True)

    def write_now(self, operation: Callable[[Connection], _T]) -> _T:
        """As `write`; this blocks."""
        self.check()
        return self._thread.submit(partial(self._transaction, operation), writes=True).result()

    async def wait_for_writes(self) -> None:
        """Wait until all writes so far are committed, including those of cancelled callers."""
        if not self._closed and self._process == os.getpid():
            await self._thread.run(lambda: None)

    def close(self) -> None:
        """Finish what waits, and close the connection, which frees its locks."""
        if self._process == os.getpid() and not self._closed:
            self._closed = True
            self._thread.shutdown()
            self._connection.close()

    @asynccontextmanager
    async def hold_lock(
        self, name: str, on_wait: OnWait | None = None, *, wait: bool = True, shared: bool = False
    ) -> AsyncIterator[None]:
        """Hold a lock; raises `InUse` if somebody else holds it and `wait` is false."""
        if not await self._try_lock(name, shared):
            if not wait:
                raise InUse(f"Another process holds {name}.")
            if on_wait:
                on_wait()
            while not await self._try_lock(name, shared):
                await asyncio.sleep(POLL_SECONDS)
        try:
            yield
        finally:  # it runs after all writes that came before it, also those of cancelled callers
            if not self._closed:
                await self._thread.run(partial(self._give, name))

    async def _try_lock(self, name: str, shared: bool) -> bool:
        """Try to take a lock. If the caller is cancelled meanwhile, it is given back."""
        self.check()
        outcome = list[bool]()
        try:
            return await self._thread.run(lambda: self._take(name, shared, outcome))
        except asyncio.CancelledError:
            self._thread.submit(lambda: self._give(name) if outcome == [True] else None)
            raise

    def _take(self, name: str, shared: bool, outcome: list[bool]) -> bool:
        self.check()
        outcome.append(self._take_here(name, shared))
        return outcome[0]

    def _take_here(self, name: str, shared: bool) -> bool:
        """Take a lock on the server; within a session its own locks would not exclude each other."""
        if held := self._held.get(name):
            if shared and held.shared:
                held.times += 1
                return True
            return False
        function = "pg_try_advisory_lock_shared" if shared else "pg_try_advisory_lock"
        with self._use_connection() as connection:
            row = connection.execute(f"SELECT {function}(%s) AS taken", (lock_number(name),)).fetchone()
        if not row or not row["taken"]:
            return False
        self._held[name] = _HeldLock(1, shared)
        return True

    def _give(self, name: str) -> None:
        held = self._held[name]
        held.times -= 1
        if held.times:
            return
        del self._held[name]
        if is_lost(self._connection):  # the server has freed it
            self._lost = bool(self._held)
            return
        function = "pg_advisory_unlock_shared" if held.shared else "pg_advisory_unlock"
        with self._use_connection() as connection:
            connection.execute(f"SELECT {function}(%s)", (lock_number(name),))

    def _transaction(self, operation: Callable[[Connection], _T]) -> _T:
        """Run an operation in a transaction of its own, or in the one that was begun for several."""
        if self._begun:
            return operation(self._connection)

        def once() -> _T:
            with self._use_connection() as connection, connection.transaction():
                return operation(connection)

        try:
            try:
                return retry_transaction(once)
            except psycopg.Error:
                if not is_lost(self._connection):
                    raise
                return once()  # on a new connection, unless locks went with the old one
        except psycopg.Error as problem:
            raise server_unusable_error(self.address, problem) from problem

    @contextmanager
    def _together(self) -> Iterator[None]:
        with self._use_connection() as connection, connection.transaction():
            self._begun = True
            try:
                yield
            finally:
                self._begun = False

    @contextmanager
    def _use_connection(self) -> Iterator[Connection]:
        """The connection, a new one where the server has closed it while nothing was held."""
        if is_lost(self._connection):
            self._lost = bool(self._held)
            self.check()
            self._connection = connect(self.address)
        yield self._connection


def lock_number(name: str) -> int:
    """The number of a lock on the server: 64 bits, by a digest of its name."""
    digest = hashlib.sha256(f"readgraph {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)

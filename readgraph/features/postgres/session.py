"""The session that writes: one connection and its thread, with the locks that belong to it.

Locks belong to a session on the server, and end with it. What is written under a lock goes through the same session, so
whoever has lost a lock can write no more.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import psycopg

from readgraph.features.postgres.connections import Connection, connect, retry_transaction, server_unusable_error
from readgraph.library.address import LibraryAddress
from readgraph.library.store import InUse, OnWait
from readgraph.library.workers import WorkerThread, run_within
from readgraph.state.errors import LibraryError

_T = TypeVar("_T")

POLL_SECONDS = 0.1  # how often a lock is tried that somebody else holds


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
        self._thread = WorkerThread(
            "readgraph-postgres", f"The library {address}", run_within(self._together), instead=": open it there"
        )
        self._held, self._lost, self._begun = dict[str, _HeldLock](), False, False

    def check(self) -> None:
        """Raise `LibraryError` where the session can't be used any more."""
        self._thread.check()
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
        if self._thread.usable:
            await self._thread.run(lambda: None)

    def close(self) -> None:
        """Finish what waits, and close the connection, which frees its locks."""
        if self._thread.usable:
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
            if self._thread.usable:
                await self._thread.run(partial(self._give, name))

    async def _try_lock(self, name: str, shared: bool) -> bool:
        """Try to take a lock. If the caller is cancelled meanwhile, it is given back before the caller goes on."""
        self.check()
        taken = list[bool]()

        def take() -> None:
            taken.append(self._take(name, shared))

        try:
            await self._thread.run(take)
        except asyncio.CancelledError:
            given_back = self._thread.submit(lambda: self._give(name) if taken == [True] else None)
            await asyncio.wrap_future(given_back)  # else others would find it held for a moment
            raise
        return taken[0]

    def _take(self, name: str, shared: bool) -> bool:
        """Take a lock on the server; within a session its own locks would not exclude each other."""
        self.check()
        if held := self._held.get(name):
            if shared and held.shared:
                held.times += 1
                return True
            return False
        function = "pg_try_advisory_lock_shared" if shared else "pg_try_advisory_lock"
        row = self._ready_connection().execute(f"SELECT {function}(%s) AS taken", (lock_number(name),)).fetchone()
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
        if self._connection.closed:  # the server has freed it
            self._lost = bool(self._held)
            return
        function = "pg_advisory_unlock_shared" if held.shared else "pg_advisory_unlock"
        self._ready_connection().execute(f"SELECT {function}(%s)", (lock_number(name),))

    def _transaction(self, operation: Callable[[Connection], _T]) -> _T:
        """Run an operation in a transaction of its own, or in the one that was begun for several."""
        if self._begun:
            return operation(self._connection)

        def once() -> _T:
            with (connection := self._ready_connection()).transaction():
                return operation(connection)

        try:
            try:
                return retry_transaction(once)
            except psycopg.Error:
                if not self._connection.closed:
                    raise
                return once()  # on a new connection, unless locks went with the old one
        except psycopg.Error as problem:
            raise server_unusable_error(self.address, problem) from problem

    @contextmanager
    def _together(self) -> Iterator[None]:
        with self._ready_connection().transaction():
            self._begun = True
            try:
                yield
            finally:
                self._begun = False

    def _ready_connection(self) -> Connection:
        """The connection, a new one where the server has closed it while nothing was held."""
        if self._connection.closed:
            self._lost = bool(self._held)
            self.check()
            self._connection = connect(self.address)
        return self._connection


def lock_number(name: str) -> int:
    """The number of a lock on the server: 64 bits, by a digest of its name."""
    digest = hashlib.sha256(f"readgraph {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)

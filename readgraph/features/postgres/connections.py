"""Connections to the server, the session that writes, and what is said where the server can't be used.

The session has one connection and its thread. Locks belong to a session on the server, and end with it. What is written
under a lock goes through the same session, so whoever has lost a lock can write no more.

JSON is kept without loss: `jsonb` and `text` can't hold the character NUL. It is written as two characters, of which
the first is the last one of Unicode's private ones; so is that one itself. Keys of objects come back in another order,
and whole numbers that were written as 1e22 come back as integers.
"""

import asyncio
import hashlib
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, LiteralString, TypeVar

import orjson
import psycopg
from psycopg import conninfo, errors
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import set_json_dumps, set_json_loads

from readgraph.library.address import LibraryAddress
from readgraph.library.store import InUse, OnWait
from readgraph.library.workers import WorkerThread, run_within
from readgraph.state.errors import LibraryError

MARK = "\U0010fffd"
_WRITTEN = {"\0": f"{MARK}0", MARK: f"{MARK}1"}
_READ = {written: read for read, written in _WRITTEN.items()}
_TO_WRITE = re.compile(f"[\0{MARK}]")
_TO_READ = re.compile(f"{MARK}[01]")


def escape_text(text: str) -> str:
    """A text as the server can hold it."""
    if "\0" not in text and MARK not in text:
        return text
    return _TO_WRITE.sub(lambda found: _WRITTEN[found[0]], text)


def read_text(text: str) -> str:
    """The text that was written so."""
    return _TO_READ.sub(lambda found: _READ[found[0]], text) if MARK in text else text


def dumps(value: Any) -> str:
    """A value as JSON; raises `TypeError` for what it can't hold, such as a lone surrogate, as SQLite's store does."""
    text = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    if "\\u0000" in text or MARK in text:
        return orjson.dumps(_each(value, escape_text), option=orjson.OPT_NON_STR_KEYS).decode()
    return text


def loads(data: str | bytes) -> Any:
    """The value in JSON that the server holds."""
    text = data if isinstance(data, str) else bytes(data).decode()
    value = orjson.loads(text)
    return _each(value, read_text) if MARK in text else value


def _each(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key) if isinstance(key, str) else key: _each(part, change) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_each(part, change) for part in value]
    return value


Connection = psycopg.Connection[DictRow]

# Without a handler, Python prints its warnings: of a broken connection, beside the error that is told anyway.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_T = TypeVar("_T")
TRIES = 4  # how often a transaction is run that another one made fail
DEFAULTS = {"connect_timeout": 10, "keepalives_idle": 60, "application_name": "readgraph"}
"""What an address may say otherwise: seconds to wait for the server, seconds after which a silent one is asked."""

_MENDING = (
    (("password authentication failed", "no password supplied", "28P01"), "check the user and the password"),
    (("pg_hba.conf", "28000"), "the server must allow this user and machine (pg_hba.conf)"),
    (("role", "does not exist"), "name another user, or have this one made"),
    (("3D000",), "make the database with 'createdb', or name another"),
    (("database", "does not exist"), "make the database with 'createdb', or name another"),
    (("could not translate host name", "failed to resolve host"), "check the name of the server"),
    (("too many clients", "connection slots", "53300"), "wait, or let the server take more connections"),
    (("Connection refused", "No such file", "timeout", "Network is unreachable"), "check that the server is running"),
    (("42501", "permission denied"), "its user needs the rights to read, write and make tables"),
    (("25006", "read-only"), "name a server that takes writes"),
    (("53100", "No space left"), "make room on the server's disk and give the same command again"),
    (("42P01", "42703"), "its tables were changed by another program: name another database"),
)
"""What the user can do, by parts of PostgreSQL's messages and by its error codes; any of them counts, except that a
pair of words must both be there."""


def connect(address: LibraryAddress) -> Connection:
    """A connection in which each statement is committed by itself; raises `LibraryError`."""
    try:
        given = conninfo.conninfo_to_dict(address.full)
        if address.names_password and "password" not in given:
            raise psycopg.ProgrammingError("a slash or an @ in the password was taken for the end of the address")
    except psycopg.Error:  # its message would quote parts of the address, such as of a password with a slash
        raise LibraryError(
            f"{address} is no address of a library: write postgresql://USER@HOST:PORT/DATABASE, and '%2F' for a '/' "
            "and '%40' for an '@' in a password."
        ) from None
    settings: dict[str, Any] = {name: value for name, value in DEFAULTS.items() if name not in given}
    try:
        connection = psycopg.connect(address.full, autocommit=True, row_factory=dict_row, **settings)
    except psycopg.Error as problem:
        raise server_unusable_error(address, problem) from None
    set_json_dumps(dumps, connection)
    set_json_loads(loads, connection)
    return connection


def server_unusable_error(address: LibraryAddress, problem: BaseException) -> LibraryError:
    """The error for a server that can't be used, or refuses something: what is wrong and what to do."""
    code, said = getattr(problem, "sqlstate", None) or "", str(problem)
    with suppress(psycopg.Error):
        given = conninfo.conninfo_to_dict(address.full)
        for name in ("password", "sslpassword"):
            if secret := given.get(name):
                said = said.replace(str(secret), "***")
    said = said.replace(address.full, address.shown)
    lines = [line.strip() for line in said.splitlines() if line.strip()] or [type(problem).__name__]
    what = lines[0] if not lines[0].endswith(":") else " ".join(lines[:2])
    wrong = ": ".join(filter(None, [what.rstrip("."), _advice_for(code, said)]))
    return LibraryError(f"The library {address} can't be used: {wrong}.")


def _advice_for(code: str, said: str) -> str:
    for parts, mending in _MENDING:
        together = parts[-1] == "does not exist"
        if (all if together else any)(part in said or part == code for part in parts):
            return mending
    return "give the same command again" if code.startswith(("08", "57", "40")) or not code else ""


def retry_transaction(operation: Callable[[], _T]) -> _T:
    """Run a transaction, again where another one that ran beside it made it fail."""
    for _ in range(TRIES - 1):
        with suppress(errors.DeadlockDetected, errors.SerializationFailure):
            return operation()
    return operation()


class Readers:
    """Connections for reading, which threads take one at a time; as many are open as threads have read at once."""

    def __init__(self, address: LibraryAddress) -> None:
        self._address, self._idle, self._lock, self._closed = address, list[Connection](), Lock(), False

    def run(self, operation: Callable[[Connection], _T]) -> _T:
        """Run an operation that only reads; once more on a new connection where the server has closed this one."""
        while True:
            with self._take_connection() as (connection, new):
                try:
                    return operation(connection)
                except psycopg.Error as problem:
                    if not connection.closed or new:
                        raise server_unusable_error(self._address, problem) from problem

    def fetch(self, select: LiteralString, *values: Any) -> list[DictRow]:
        """The rows that a statement finds."""
        return self.run(lambda connection: connection.execute(select, values).fetchall())

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            self._closed = True
            for connection in self._idle:
                connection.close()
            self._idle.clear()

    @contextmanager
    def _take_connection(self) -> Iterator[tuple[Connection, bool]]:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        new = connection is None
        connection = connection or connect(self._address)
        try:
            yield connection, new
        finally:
            with self._lock:
                if self._closed or connection.closed:
                    connection.close()
                else:
                    self._idle.append(connection)


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

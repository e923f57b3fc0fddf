"""Connections to the server, those that read, and what is said where the server can't be used."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg import conninfo, errors
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import set_json_dumps, set_json_loads

from readgraph.features.postgres.stored_text import dumps, loads
from readgraph.library.address import LibraryAddress
from readgraph.state.errors import LibraryError

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

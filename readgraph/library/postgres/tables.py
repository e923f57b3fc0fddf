"""The tables of a library on a server: how they are made, the ledger of the last minute, what was written since."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.store.postgres import PostgresStore

from readgraph.library.address import LibraryAddress
from readgraph.library.minute_ledger import Execute, MinuteLedger, T
from readgraph.library.postgres import connections
from readgraph.library.postgres.connections import Connection, Readers, read_text, retry_transaction
from readgraph.library.store import ListingPosition
from readgraph.state.errors import LibraryError
from readgraph.state.files import check_format

FORMAT = 1  # version of the layout; a library with a newer one is refused

_MADE = """
    SELECT to_regclass('readgraph_library') IS NOT NULL AND to_regclass('readgraph_dropped') IS NOT NULL
        AND to_regclass('store_migrations') IS NOT NULL AND to_regclass('checkpoint_migrations') IS NOT NULL AS made
"""
_VERSIONS = """
    SELECT (SELECT max(format) FROM readgraph_library) AS format,
        (SELECT max(v) FROM store_migrations) AS store, (SELECT max(v) FROM checkpoint_migrations) AS checkpoints
"""
_LIBRARY = """
    SELECT identity, NOT pg_is_in_recovery() AND has_table_privilege('store', 'INSERT, UPDATE, DELETE') AS writable
    FROM readgraph_library
"""


def prepare(address: LibraryAddress, connection: Connection, *, to_read: bool) -> tuple[str, bool]:
    """Make missing tables, unless `to_read`; returns the library's identity, and whether it can be written."""
    try:
        if not _is_ready(address, connection):
            if to_read:
                raise LibraryError(f"{address} holds no library: name another database.")
            with _locked(connection):
                if not _is_ready(address, connection):
                    PostgresStore(connection).setup()
                    PostgresSaver(connection).setup()
                    with connection.transaction():
                        connection.execute(Path(__file__).with_name("tables.sql").read_bytes())
                        if not connection.execute("UPDATE readgraph_library SET format = %s", (FORMAT,)).rowcount:
                            connection.execute("INSERT INTO readgraph_library (format) VALUES (%s)", (FORMAT,))
        row = connection.execute(_LIBRARY).fetchone()
        return (str(row["identity"]), bool(row["writable"])) if row else ("", False)
    except psycopg.Error as problem:
        raise connections.server_unusable_error(address, problem) from problem


def _is_ready(address: LibraryAddress, connection: Connection) -> bool:
    made = connection.execute(_MADE).fetchone()
    if not made or not made["made"]:
        return False
    versions = connection.execute(_VERSIONS).fetchone() or {}
    check_format(f"The library {address}", versions.get("format"), FORMAT, LibraryError)
    ours = (FORMAT, len(PostgresStore.MIGRATIONS) - 1, len(PostgresSaver.MIGRATIONS) - 1)
    there = (versions.get("format"), versions.get("store"), versions.get("checkpoints"))
    return all(found is not None and found >= wanted for found, wanted in zip(there, ours, strict=True))


@contextmanager
def _locked(connection: Connection) -> Iterator[None]:
    """Hold a lock; who waited for it in a statement would hold up LangGraph's CREATE INDEX CONCURRENTLY."""
    number = connections.lock_number("setup")
    while not (connection.execute("SELECT pg_try_advisory_lock(%s) AS taken", (number,)).fetchone() or {})["taken"]:
        time.sleep(connections.POLL_SECONDS)
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute("SELECT pg_advisory_unlock(%s)", (number,))


_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('readgraph minute ' || %s, 0))"
"""Those who take a place for the same model take turns."""


@dataclass(frozen=True)
class LedgerInTable(MinuteLedger):
    """The calls of all processes that share a server, over other connections than the busy session's."""

    connections: Readers

    def _run(self, model: str, operation: Callable[[Execute], T]) -> T:
        def run_locked(connection: Connection) -> T:
            def execute(statement: str, *values: Any) -> list[tuple[Any, ...]]:
                found = connection.execute(statement.replace(" sent ", " readgraph_minute ").replace("?", "%s"), values)
                return [tuple(row.values()) for row in found] if found.description else []

            with connection.transaction():
                connection.execute(_LOCK, (model,))
                return operation(execute)

        return self.connections.run(lambda connection: retry_transaction(partial(run_locked, connection)))


BEGIN = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"  # all statements of a look see the same
LONGEST_AGO = 1 << 30
"""Transactions after which the server's numbers of them, which begin anew at 2^32, are compared no more."""

_NOW = """
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
        'store'::regclass::oid::text || ' ' || (SELECT oid::text FROM pg_database WHERE datname = current_database())
            AS mark
"""
_ALL = "SELECT key, value FROM store WHERE prefix = %s"
_SINCE = f"{_ALL} AND age(xmin) <= age((%s %% 4294967296)::text::xid)"


class ServerListing:
    """A look within a transaction; what was seen is the table, and the oldest transaction that had not ended then.

    Times would not do: what was begun earlier may be committed later.
    """

    def __init__(self, connection: Connection, prefix: str) -> None:
        self._connection, self._prefix = connection, prefix
        connection.execute(BEGIN)
        row = connection.execute(_NOW).fetchone() or {}
        self._now = ListingPosition(int(row["oldest"]), str(row["mark"]))

    def count(self) -> int:
        """How many there are."""
        counted = "SELECT count(*) AS held FROM store WHERE prefix = %s"
        row = self._connection.execute(counted, (self._prefix,)).fetchone() or {}
        return int(row["held"])

    def keys(self) -> set[str]:
        """Their keys."""
        rows = self._connection.execute("SELECT key FROM store WHERE prefix = %s", (self._prefix,))
        return {read_text(row["key"]) for row in rows}

    def knows(self, seen: ListingPosition) -> bool:
        """Whether it is this table, a time ago over which transactions can be compared."""
        return seen.mark == self._now.mark and 0 <= self._now.number - seen.number < LONGEST_AGO

    def changes_since(self, seen: ListingPosition) -> Iterator[tuple[ListingPosition, str, str | bytes]]:
        """The rows of transactions that had not ended then."""
        since = (_SINCE, (self._prefix, seen.number)) if self.knows(seen) else (_ALL, (self._prefix,))
        for row in self._connection.execute(*since):
            yield self._now, read_text(row["key"]), orjson.dumps(row["value"])

"""The tables of a library on a server: made where they are missing, and whether this user may write."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.store.postgres import PostgresStore

from readgraph.features.postgres import connections
from readgraph.features.postgres.connections import Connection
from readgraph.features.postgres.session import POLL_SECONDS, lock_number
from readgraph.library.address import LibraryAddress
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
                        connection.execute(files(__package__).joinpath("tables.sql").read_bytes())
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
    number = lock_number("setup")
    while not (connection.execute("SELECT pg_try_advisory_lock(%s) AS taken", (number,)).fetchone() or {})["taken"]:
        time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute("SELECT pg_advisory_unlock(%s)", (number,))

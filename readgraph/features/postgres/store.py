"""The store of a library on a server, its tables, and its opening; one thread writes, with the locks, a few read."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from langgraph.store.base import GetOp, Item, Op, PutOp, Result, SearchOp
from langgraph.store.postgres import PostgresStore
from platformdirs import user_cache_path

from readgraph.features.postgres.checkpointer import OF_NAMESPACE, ServerCheckpointer
from readgraph.features.postgres.connections import Connection, Readers, connect, retry_transaction
from readgraph.features.postgres.session import ServerSession
from readgraph.features.postgres.stored_text import escape_text, read_text
from readgraph.features.postgres.tables import prepare
from readgraph.library.address import LibraryAddress
from readgraph.library.minute_ledger import Execute, MinuteLedger
from readgraph.library.sqlite_files import explain_refusals
from readgraph.library.store import Listing, ListingPosition, OnWait, Row, SharedStore, T
from readgraph.state.files import replace_file
from readgraph.state.records import UNREADABLE, digest, file_name

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('readgraph minute ' || %s, 0))"
"""Those who take a place for the same model take turns."""


@dataclass(frozen=True)
class LedgerInTable(MinuteLedger):
    """The calls of all processes that share a server, over other connections than the busy session's."""

    connections: Readers

    def _run(self, model: str, operation: Callable[[Execute], T]) -> T:
        def run_locked(connection: Connection) -> T:
            def execute(statement: str, *values: Any) -> list[tuple[Any, ...]]:
                cursor = connection.execute(
                    statement.replace(" sent ", " readgraph_minute ").replace("?", "%s"), values
                )
                return [tuple(row.values()) for row in cursor] if cursor.description else []

            with connection.transaction():
                connection.execute(_LOCK, (model,))
                return operation(execute)

        return self.connections.run(lambda connection: retry_transaction(partial(run_locked, connection)))


BEGIN = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"  # all statements of a look see the same
LONGEST_AGO = 1 << 30  # transactions after which the server's numbers, which begin anew at 2^32, can't be compared

_NOW = """
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
        'store'::regclass::oid::text || ' ' || (SELECT oid::text FROM pg_database WHERE datname = current_database())
            AS mark
"""
_ALL = "SELECT key, value FROM store WHERE prefix = %s"
_SINCE = f"{_ALL} AND age(xmin) <= age((%s %% 4294967296)::text::xid)"


class _ServerListing:
    """A look within a transaction; what was seen is the table, and the oldest transaction that had not ended then."""

    def __init__(self, connection: Connection, prefix: str) -> None:
        self._connection, self._prefix = connection, prefix
        connection.execute(BEGIN)
        row = connection.execute(_NOW).fetchone() or {}
        self._now = ListingPosition(int(row["oldest"]), str(row["mark"]))

    def count(self) -> int:
        counted = "SELECT count(*) AS held FROM store WHERE prefix = %s"
        row = self._connection.execute(counted, (self._prefix,)).fetchone() or {}
        return int(row["held"])

    def keys(self) -> set[str]:
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


READERS = 4  # threads that read at once

_SIZE = """
    SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint AS bytes FROM unnest(%s::text[]) AS name
"""
_DROPPED = "SELECT number, name FROM readgraph_dropped WHERE part = %s AND number > %s ORDER BY number"
_ONE_BY_ONE = "SELECT pg_advisory_xact_lock(hashtextextended('readgraph dropped', 0))"
_ROWS = """
    SELECT prefix, key, value FROM store WHERE (prefix COLLATE "C", key COLLATE "C") > (%s, %s)
    ORDER BY prefix COLLATE "C", key COLLATE "C" LIMIT %s
"""
_PARTS = """
    SELECT DISTINCT split_part(substr(thread_id, length(%s) + 1), ':', 1) AS part FROM checkpoints
    WHERE starts_with(thread_id, %s) ORDER BY part
"""
TABLES = ("store", "checkpoints", "checkpoint_blobs", "checkpoint_writes", "readgraph_originals", "readgraph_minute")


class _Items(PostgresStore):
    """LangGraph's store, whose searches have one order: items that were written together have the same time."""

    def _prepare_batch_search_queries(self, search_ops: Sequence[tuple[int, SearchOp]]) -> Any:
        queries, embeddings = super()._prepare_batch_search_queries(search_ops)
        order = "ORDER BY store.updated_at DESC"
        return [
            (query.replace(order, f"{order}, store.prefix, store.key"), given) for query, given in queries
        ], embeddings


class ServerStore(SharedStore):
    """A durable store on a PostgreSQL server; `folder` is where this machine keeps what can be made again."""

    indexes_apart = True

    def __init__(self, address: LibraryAddress, session: ServerSession, folder: Path, *, writable: bool) -> None:
        self.place, self.name, self.folder = str(address), session.database, folder
        self.session, self.writable, self._address = session, writable, address
        self._readers = Readers(address)
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="readgraph-postgres-reads")
        self._copies = folder / "originals"
        self.ledger = LedgerInTable(self._readers)
        self._process = os.getpid()

    def __repr__(self) -> str:
        return f"ServerStore({self.place!r})"

    def close(self) -> None:
        """Commit pending writes and close the connections."""
        if self._process == os.getpid():
            self.session.close()
            self._threads.shutdown()
            self._readers.close()

    @asynccontextmanager
    async def open_threads(self, part: str = "") -> AsyncIterator[ServerCheckpointer]:
        """The checkpointer of this namespace, over a connection of its own."""
        threads = await asyncio.to_thread(ServerCheckpointer, self._address, self.session, part)
        try:
            yield threads
        finally:
            await threads.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations and wait for them; this blocks, so it is not for use in an event loop."""
        operations = [_to_server(op) for op in ops]
        self.session.check()
        if _write(operations):
            found = self.session.write_now(partial(_run, operations))
        else:
            found = self._readers.run(partial(_run, operations))
        return [_from_server(result) for result in found]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations; writes are committed when this returns."""
        operations = [_to_server(op) for op in ops]
        self.session.check()
        if _write(operations):
            found = await self.session.write(partial(_run, operations))
        else:
            reading = partial(self._readers.run, partial(_run, operations))
            found = await asyncio.get_running_loop().run_in_executor(self._threads, reading)
        return [_from_server(result) for result in found]

    async def wait_for_writes(self) -> None:
        """Wait until all writes so far are committed, including those of cancelled callers."""
        await self.session.wait_for_writes()

    @asynccontextmanager
    async def hold_lock(self, name: str, on_wait: OnWait | None = None, *, wait: bool = True) -> AsyncIterator[None]:
        """Hold a lock of the server's."""
        async with self.session.hold_lock(name, on_wait, wait=wait):
            try:
                yield
            except BaseException:
                await self.wait_for_writes()
                raise

    @asynccontextmanager
    async def mark_in_use(self, document: str) -> AsyncIterator[None]:
        """Mark a document as in use, by a lock that others may hold too."""
        async with self.session.hold_lock(f"{document}.used", shared=True):
            yield

    async def wait_until_unused(self, document: str, on_wait: OnWait | None = None, *, wait: bool = True) -> None:
        """Wait until nobody uses a document."""
        async with self.session.hold_lock(f"{document}.used", on_wait, wait=wait):
            pass

    async def tell_dropped(self, part: str, index: str) -> None:
        """Write down that an index is out of date, for machines that have their own."""

        def insert_dropped(connection: Connection) -> None:
            connection.execute(_ONE_BY_ONE)  # numbers are seen in their order
            connection.execute("INSERT INTO readgraph_dropped (part, name) VALUES (%s, %s)", (part, escape_text(index)))

        await self.session.write(insert_dropped)

    def indexes_dropped_since(self, part: str, number: int | None) -> tuple[int, Sequence[str]]:
        """The indexes that any machine dropped after this number."""
        if number is None:
            (row,) = self._readers.fetch("SELECT coalesce(max(number), 0) AS last FROM readgraph_dropped")
            return int(row["last"]), []
        rows = self._readers.fetch(_DROPPED, part, number)
        return max([number, *(row["number"] for row in rows)]), [read_text(row["name"]) for row in rows]

    def size(self) -> int:
        """The bytes of the library's tables and their indexes."""
        (row,) = self._readers.fetch(_SIZE, [*TABLES])
        return int(row["bytes"])

    def rows(self, after: tuple[str, str], most: int) -> Sequence[Row]:
        """The next rows."""
        rows = self._readers.fetch(_ROWS, *map(escape_text, after), most)
        return [(row["prefix"], read_text(row["key"]), row["value"]) for row in rows]

    def look(self, prefix: str, use: Callable[[Listing], T]) -> T:
        """What a function makes of a listing."""

        def use_in_transaction(connection: Connection) -> T:
            with connection.transaction():
                return use(_ServerListing(connection, escape_text(prefix)))

        return self._readers.run(use_in_transaction)

    def parts(self) -> Sequence[str]:
        """The keys of the namespaces that have threads."""
        return [row["part"] for row in self._readers.fetch(_PARTS, OF_NAMESPACE, OF_NAMESPACE)]

    def give_back(self) -> None:
        """Let the server use the space of what was deleted again."""
        self._readers.run(lambda connection: connection.execute(f"VACUUM (ANALYZE) {', '.join(TABLES)}") and None)

    def keep_original(self, name: str, data: bytes) -> None:
        """Keep a file in a table; one of the same name is replaced."""
        statement = (
            "INSERT INTO readgraph_originals (name, data) VALUES (%s, %s) "
            "ON CONFLICT (name) DO UPDATE SET data = EXCLUDED.data"
        )
        self.session.write_now(lambda connection: connection.execute(statement, (name, data)) and None)

    def original(self, name: str) -> Path | None:
        """A copy of a kept file on this disk; None where it is not kept."""
        copy = self._copies / file_name(name)
        sizes = "SELECT octet_length(data) AS size FROM readgraph_originals WHERE name = %s"
        for kept in self._readers.fetch(sizes, escape_text(name)):
            if copy.is_file() and copy.stat().st_size == kept["size"]:
                return copy
        for kept in self._readers.fetch("SELECT data FROM readgraph_originals WHERE name = %s", escape_text(name)):
            with explain_refusals(self._copies):
                self._copies.mkdir(parents=True, exist_ok=True)
                with replace_file(copy, "wb") as file:
                    file.write(kept["data"])
            return copy
        return None

    def filter_originals(self, names: Sequence[str]) -> set[str]:
        """Those of these names under which files are kept."""
        select = self._readers.fetch("SELECT name FROM readgraph_originals WHERE name = ANY(%s)", [*names])
        return {row["name"] for row in select}

    def originals(self) -> Sequence[str]:
        """The names of all kept files."""
        return [row["name"] for row in self._readers.fetch("SELECT name FROM readgraph_originals ORDER BY name")]

    def forget_original(self, document: str) -> None:
        """Delete what is kept of a document, here and on the server."""
        for copy in self._copies.glob(f"{file_name(document)}.*"):
            copy.unlink(missing_ok=True)
        statement = "DELETE FROM readgraph_originals WHERE starts_with(name, %s)"
        self.session.write_now(lambda connection: connection.execute(statement, (f"{document}.",)) and None)


def _write(operations: Sequence[Op]) -> bool:
    return any(isinstance(operation, PutOp) for operation in operations)


def _run(operations: Sequence[Op], connection: Connection) -> list[Result]:
    # The deserializer is given what is no JSON object: so one odd row doesn't hide the others.
    return _Items(connection, deserializer=lambda stored: UNREADABLE).batch(operations)


def _to_server(op: Op) -> Op:
    """An operation whose key the server can hold; LangGraph refuses such characters in namespaces."""
    return op._replace(key=escape_text(op.key)) if isinstance(op, GetOp | PutOp) else op


def _from_server(result: Any) -> Any:
    """A result with the keys as they were given."""
    for item in result if isinstance(result, list) else [result]:
        if isinstance(item, Item):
            item.key = read_text(item.key)
    return result


CACHE = "READGRAPH_CACHE"  # the variable that names another folder than the user's cache folder


def open_store(address: LibraryAddress, *, to_read: bool = False) -> ServerStore:
    """An open store, with its tables made unless `to_read`; blocks. Raises `LibraryError`."""
    named = os.environ.get(CACHE)
    caches = Path(named).expanduser() if named else user_cache_path("readgraph", appauthor=False) / "libraries"
    with connect(address) as connection:
        identity, writable = prepare(address, connection, to_read=to_read)
        served = connection.info
        folder = caches / digest([identity, served.host, served.port, served.dbname])
    return ServerStore(address, ServerSession(address), folder, writable=writable and not to_read)

"""The store of a library on a server, and its opening: `PostgresStore`, for any event loop and any thread.

One thread writes, over the connection that holds the locks, and a few read, each over its own. Files that came without
a place on a disk are in a table, with a copy on this disk where one was shown.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from langgraph.store.base import GetOp, Item, Op, PutOp, Result, SearchOp
from langgraph.store.postgres import PostgresStore
from platformdirs import user_cache_path

from readgraph.library.address import LibraryAddress
from readgraph.library.postgres.checkpointer import OF_NAMESPACE
from readgraph.library.postgres.connections import Connection, Readers, ServerSession, connect, escape_text, read_text
from readgraph.library.postgres.tables import LedgerInTable, ServerListing, prepare
from readgraph.library.sqlite_files import library_unusable_error
from readgraph.library.store import Listing, OnWait, Row, SharedStore, T
from readgraph.state.files import replace_file
from readgraph.state.records import UNREADABLE, digest, file_name

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

    def __init__(self, address: LibraryAddress, session: ServerSession, folder: Path) -> None:
        self.place, self.name, self.folder, self.session = str(address), session.database, folder, session
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
                return use(ServerListing(connection, escape_text(prefix)))

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
            try:
                self._copies.mkdir(parents=True, exist_ok=True)
                with replace_file(copy, "wb") as file:
                    file.write(kept["data"])
            except OSError as problem:
                raise library_unusable_error(self._copies, problem) from problem
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


CACHE = "READGRAPH_CACHE"
"""The environment variable that names another folder than the user's cache folder for what can be made again."""


def open_store(address: LibraryAddress, *, to_read: bool = False) -> tuple[ServerStore, bool]:
    """An open store, with its tables made unless `to_read`, and whether this user may write; blocks. `LibraryError`."""
    named = os.environ.get(CACHE)
    caches = Path(named).expanduser() if named else user_cache_path("readgraph", appauthor=False) / "libraries"
    with connect(address) as connection:
        identity, writable = prepare(address, connection, to_read=to_read)
        served = connection.info
        folder = caches / digest([identity, served.host, served.port, served.dbname])
    return (ServerStore(address, ServerSession(address), folder), writable and not to_read)

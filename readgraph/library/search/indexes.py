"""The search indexes of each open store: in files next to a library's store, else in memory as long as the store.

Keywords are ranked by BM25 over the pages of each memory, in one file, for any event loop and several processes.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from functools import partial, wraps
from pathlib import Path
from threading import Lock
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore

from readgraph.library.address import SEARCH
from readgraph.library.search import keyword_tables
from readgraph.library.search.keyword_tables import open_tables
from readgraph.library.search.postings import Tables
from readgraph.library.search.vector_index import VectorIndex
from readgraph.library.sqlite_files import Unreadable, explain, explain_refusals, is_damage, refuse_links
from readgraph.library.store import SharedStore
from readgraph.library.stored_items import base_of, name_in_base
from readgraph.library.workers import WorkerThread
from readgraph.state.errors import LibraryError
from readgraph.state.files import replace_file
from readgraph.state.loops import pause_in_forks, reset_in_forked
from readgraph.state.records import Memory

_Given = ParamSpec("_Given")
_T = TypeVar("_T")


def _on_thread(
    thread: Literal["reading", "writing"], operation: Callable[Concatenate[Tables, _Given], _T]
) -> Callable[Concatenate["KeywordIndex", _Given], Coroutine[Any, Any, _T]]:
    """The method of an index that does this with its tables, on one of its threads."""

    @wraps(operation)
    async def run(index: "KeywordIndex", /, *given: _Given.args, **named: _Given.kwargs) -> _T:
        worker = index.writing if thread == "writing" else index.reading
        return await worker.run(lambda tables: operation(tables, *given, **named))

    return run


class KeywordIndex:
    """Finds pages by their words; each memory has its own index, made when its first entry is added.

    `path` names the file; None keeps the index in memory. Entries are committed when `add` returns. Every method raises
    `LibraryError` if the file can't be used. A damaged or deleted file is filled again from the page store.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.writing = _Worker(path, "search-writes")
        self.reading = _Worker(path, "search-reads") if path else self.writing

    def close(self) -> None:
        """Commit pending writes and close the file."""
        self.writing.close()
        self.reading.close()

    add = _on_thread("writing", keyword_tables.add)
    remove = _on_thread("writing", keyword_tables.remove)
    forget = _on_thread("writing", keyword_tables.forget)
    search = _on_thread("reading", keyword_tables.search)
    rank_pages = _on_thread("reading", keyword_tables.rank_pages)
    find_between = _on_thread("reading", keyword_tables.find_between)
    count_above = _on_thread("reading", keyword_tables.count_above)
    extent = _on_thread("reading", keyword_tables.extent)
    find_missing = _on_thread("reading", keyword_tables.find_missing)


class _Worker:
    """A thread with its own connection, which is opened at first use."""

    def __init__(self, path: Path | None, name: str) -> None:
        self._path, self._name = path, f"The search index {path}" if path else "The search index"
        self._thread = WorkerThread(f"readgraph-{name}", self._name)
        self._connection: Tables | None = None
        self.lock = Lock()
        pause_in_forks(self)

    async def run(self, operation: Callable[[Tables], _T]) -> _T:
        """Run an operation on the thread; cancelling does not stop it."""
        return await self._thread.run(partial(self._run, operation))

    def close(self) -> None:
        if not self._thread.of_parent:
            self._thread.shutdown()
            self.let_go()

    def let_go(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _run(self, operation: Callable[[Tables], _T]) -> _T:
        try:
            with self.lock:
                if self._connection is None:
                    self._connection = open_tables(self._path)
                return operation(self._connection)
        except (sqlite3.Error, Unreadable) as problem:
            if isinstance(problem, Unreadable) or is_damage(problem):
                what = "it is damaged: delete it, and it is filled again"
            else:
                what = explain(problem)
            raise LibraryError(f"{self._name} can't be used: {what}.") from problem


def index_key(memory: Memory) -> str:
    """The key of a memory in the indexes; a memory that was forgotten and built again has a new one."""
    return f"{memory.id} {memory.started}"


class Indexes:
    """The search indexes over the memories of one store, from which they can be rebuilt."""

    def __init__(self, store: BaseStore) -> None:
        base, part = base_of(store), name_in_base(store, "")
        self._shared, self._part = base if isinstance(base, SharedStore) else None, part
        self._folder = self._shared.folder / SEARCH / part if self._shared else None
        if self._folder:
            refuse_links(self._folder, self._folder / "vectors")
            with explain_refusals(self._folder):
                self._folder.mkdir(parents=True, exist_ok=True)
        self.keyword = KeywordIndex(self._folder / "keywords.sqlite" if self._folder else None)
        self.texts = KeywordIndex(self._folder / "texts.sqlite" if self._folder else None)
        self._vectors: dict[str, VectorIndex] = {}

    async def vectors(self, model: str) -> VectorIndex:
        """The index of this embedding model's vectors; each model has its own."""
        if model not in self._vectors:
            folder = self._folder and self._folder / "vectors"
            self._vectors.setdefault(model, await asyncio.to_thread(VectorIndex, folder, model))
        return self._vectors[model]

    async def forget(self, memory: Memory) -> None:
        """Drop what is indexed of a memory, for every embedding model."""
        await self.forget_named(index_key(memory))

    async def forget_named(self, name: str) -> None:
        """Drop an index, with its vectors of every embedding model, here and on other machines."""
        await self._drop(name)
        await self.tell_others(name)

    async def tell_others(self, name: str) -> None:
        """Let other machines drop their index, which holds what is out of date; this one, too, makes it anew then."""
        if self._shared and self._shared.indexes_apart:
            await self._shared.tell_dropped(self._part, name)

    async def catch_up(self) -> None:
        """Drop the indexes of which other machines have told; a file says up to which number that was done.

        Processes that do so at the same time drop some twice, which does no harm.
        """
        if not (self._shared and self._shared.indexes_apart and self._folder):
            return
        file = self._folder / "dropped"
        known = int(file.read_text() or 0) if file.exists() else None
        last, names = await asyncio.to_thread(self._shared.indexes_dropped_since, self._part, known)
        for name in names:
            await self._drop(name)
        if last != known:
            with replace_file(file) as seen:
                seen.write(str(last))

    async def _drop(self, name: str) -> None:
        await self.keyword.forget(name)
        await (await self.vectors("")).forget(name)

    def close(self) -> None:
        """Close the files."""
        self.keyword.close()
        self.texts.close()
        for index in self._vectors.values():
            index.close()


_opened: "WeakKeyDictionary[BaseStore, dict[str, Indexes]]" = WeakKeyDictionary()
"""The open indexes of each store, by its namespaces."""

reset_in_forked(_opened.clear)  # their threads don't exist in the child, which opens its own


async def indexes_of(store: BaseStore) -> Indexes:
    """The indexes of a store, opened at first use."""
    opened, part = _opened.setdefault(base_of(store), {}), name_in_base(store, "")
    if part not in opened:
        opened.setdefault(part, await asyncio.to_thread(Indexes, store))
    await opened[part].catch_up()
    return opened[part]


def close_indexes(store: BaseStore) -> None:
    """Close the indexes of a store that is closed."""
    for opened in _opened.pop(store, {}).values():
        opened.close()

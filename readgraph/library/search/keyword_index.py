"""The keyword index: BM25 over the pages of each memory, in one file, for any event loop and several processes."""

import sqlite3
from collections.abc import Callable, Coroutine
from functools import partial, wraps
from pathlib import Path
from threading import Lock
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from readgraph.library.search import keyword_tables
from readgraph.library.search.keyword_tables import open_tables
from readgraph.library.search.postings import Tables
from readgraph.library.sqlite_files import Unreadable, explain, is_damage
from readgraph.library.workers import WorkerThread
from readgraph.state.errors import LibraryError
from readgraph.state.loops import pause_in_forks

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
    count_terms = _on_thread("reading", keyword_tables.count_terms)
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

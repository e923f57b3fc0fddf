"""The keyword index: BM25 over the pages of each memory, in one file, for any event loop and several processes."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TypeVar

from readgraph.library.search import keyword_tables
from readgraph.library.search.hits import PARTS, Extent, IndexEntry, PageHit, Part, TermCounts
from readgraph.library.search.keyword_tables import open_tables
from readgraph.library.search.postings import Tables
from readgraph.library.sqlite_files import Unreadable, explain, is_damage
from readgraph.library.workers import WorkerThread
from readgraph.state.errors import LibraryError
from readgraph.state.loops import pause_in_forks

_T = TypeVar("_T")


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

    async def add(self, memory: str, entries: Iterable[IndexEntry]) -> None:
        """Index entries, all or none; an earlier entry of the same page is replaced."""
        await self.writing.run(partial(keyword_tables.add, memory=memory, entries=[*entries]))

    async def remove(self, memory: str, pages: Iterable[int]) -> None:
        """Take pages out of a memory's index."""
        await self.writing.run(partial(keyword_tables.remove, memory=memory, pages=[*pages]))

    async def forget(self, memory: str) -> None:
        """Drop the whole index of a memory."""
        await self.writing.run(partial(keyword_tables.forget, memory=memory))

    async def search(self, memory: str, query: str, limit: int = 10) -> list[PageHit]:
        """Find at most `limit` pages that share words with the query, best first.

        Their neighbours' words count a little, where the text goes on from one to the other (see `IndexEntry.follows`),
        and so does it that the query names who says a page (`IndexEntry.speaker`).
        Stop words and words on very many pages are ignored, unless the query has no others.
        """
        return await self.reading.run(partial(keyword_tables.search, memory=memory, query=query, limit=limit))

    async def rank_pages(
        self,
        memory: str,
        query: str,
        limit: int | None = None,
        parts: Sequence[Part] = PARTS,
        *,
        needs_content: bool = False,
    ) -> list[tuple[int, float]]:
        """(page, score) of what `search` finds by these parts of pages; without a limit all, the true total.

        With `needs_content`, a query of stop words alone finds nothing.
        """
        rank = partial(keyword_tables.rank_pages, needs_content=needs_content)
        return await self.reading.run(partial(rank, memory=memory, query=query, limit=limit, parts=parts))

    async def count_terms(self, memory: str, query: str) -> TermCounts:
        """How many pages are indexed, and how many of them have each term of a query."""
        return await self.reading.run(partial(keyword_tables.count_terms, memory=memory, query=query))

    async def extent(self, memory: str) -> Extent:
        """How many pages are indexed, and the last of them; if the page store holds more, the index is out of date."""
        return await self.reading.run(partial(keyword_tables.extent, memory=memory))

    async def find_missing(self, memory: str, pages: int) -> list[int]:
        """Which of the first `pages` pages are not indexed yet."""
        return await self.reading.run(partial(keyword_tables.find_missing, memory=memory, pages=pages))


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

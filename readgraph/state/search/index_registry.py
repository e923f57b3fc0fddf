"""The search indexes of each open store: in files next to a library's store, else in memory as long as the store."""

import asyncio
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore

from readgraph.state.forks import reset_in_forked
from readgraph.state.library_store import LibraryStore, unusable
from readgraph.state.records import Memory
from readgraph.state.search.keyword_index import KeywordIndex
from readgraph.state.search.vector_index import VectorIndex


def index_key(memory: Memory) -> str:
    """The key of a memory in the indexes; a memory that was forgotten and built again has a new one."""
    return f"{memory.id} {memory.started}"


class Indexes:
    """The search indexes over the memories of one store, from which they can be rebuilt."""

    def __init__(self, store: BaseStore) -> None:
        self._folder = store.locks.parent / "search" if isinstance(store, LibraryStore) else None
        if self._folder:
            try:
                self._folder.mkdir(exist_ok=True)
            except OSError as problem:
                raise unusable(self._folder, problem) from problem
        self.keyword = KeywordIndex(self._folder / "keywords.sqlite" if self._folder else None)
        self._vectors: dict[str, VectorIndex] = {}

    async def vectors(self, model: str) -> VectorIndex:
        """The index of this embedding model's vectors; each model has its own."""
        if model not in self._vectors:
            folder = self._folder and self._folder / "vectors"
            self._vectors.setdefault(model, await asyncio.to_thread(VectorIndex, folder, model))
        return self._vectors[model]

    async def forget(self, memory: Memory) -> None:
        """Drop what is indexed of a memory, for every embedding model."""
        await self.keyword.forget(index_key(memory))
        await (await self.vectors("")).forget(index_key(memory))

    def close(self) -> None:
        """Close the files."""
        self.keyword.close()
        for index in self._vectors.values():
            index.close()


_opened: "WeakKeyDictionary[BaseStore, Indexes]" = WeakKeyDictionary()
reset_in_forked(_opened.clear)  # their threads don't exist in the child, which opens its own


async def indexes_of(store: BaseStore) -> Indexes:
    """The indexes of a store, opened at first use."""
    if store not in _opened:
        _opened.setdefault(store, await asyncio.to_thread(Indexes, store))
    return _opened[store]


def close_indexes(store: BaseStore) -> None:
    """Close the indexes of a store that is closed."""
    if opened := _opened.pop(store, None):
        opened.close()

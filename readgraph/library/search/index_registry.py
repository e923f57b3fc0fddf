"""The search indexes of each open store: in files next to a library's store, else in memory as long as the store."""

import asyncio
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore

from readgraph.library.address import SEARCH
from readgraph.library.search.keyword_index import KeywordIndex
from readgraph.library.search.vector_index import VectorIndex
from readgraph.library.sqlite_files import explain_refusals, refuse_links
from readgraph.library.store import SharedStore, base_of, name_in_base
from readgraph.state.files import replace_file
from readgraph.state.loops import reset_in_forked
from readgraph.state.records import Memory


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

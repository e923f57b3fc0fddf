"""Items in batches, on any LangGraph `BaseStore`: what the typed stores are made of.

Reads and writes never share a batch.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import islice
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp, SearchItem, SearchOp

from readgraph.state.errors import BadInput, Damaged

BATCH = 500
"""Operations in one batch."""

CLEARED_AT_ONCE = 4 * BATCH
"""Items that are listed at once to be dropped: a store gives their values, too, such as 16 kB of a text."""

EVERY = 2**31 - 1
"""The limit of a search that has none: one list is of one moment, which pages of it are not."""

ROOT = "readgraph"
"""The namespace of all that is ours begins with this."""


StoredValue = tuple[tuple[str, ...], str, dict[str, Any] | None]
"""Namespace, key and value of what is stored; nothing as the value deletes."""


def numbered(number: int) -> str:
    """The key of what has a number, such as a page; keys are in its order."""
    return f"{number:010d}"


def storable(value: Any) -> Any:
    """A JSON-plain value as it is stored: lone surrogates, which UTF-8 can't hold, become question marks."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {key: storable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(storable, value))
    return value


class StoredItems:
    """The items of a `BaseStore` by namespace and key; holds no state of its own."""

    def __init__(self, store: BaseStore) -> None:
        if not isinstance(store, BaseStore):
            raise BadInput(f"{type(store).__name__} is no LangGraph store: give one, such as the `store` of a library.")
        self.store = store

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.store!r})"

    async def get(self, namespace: tuple[str, ...], keys: Sequence[str]) -> list[dict[str, Any] | None]:
        """The stored values of these keys, in this order."""
        space = storable(namespace)
        return [value async for value in self.get_each((space, storable(key)) for key in keys)]

    async def get_each(self, keys: Iterable[tuple[tuple[str, ...], str]]) -> AsyncIterator[dict[str, Any] | None]:
        """The stored values of (namespace, key), as they are stored, in this order; a batch of them is held at once."""
        wanted = iter(keys)
        while group := list(islice(wanted, BATCH)):
            gets = [GetOp(space, key, refresh_ttl=False) for space, key in group]
            for item in await self._batch(gets):
                yield item.value if isinstance(item, Item) else None

    async def check_last(self, namespace: tuple[str, ...], count: int) -> None:
        """Raise `Damaged` where so many numbered items can't be there: else a wrong count would take for ever."""
        if count > BATCH and (await self.get(namespace, [numbered(count - 1)]))[0] is None:
            raise Damaged(namespace[1])

    async def put(self, items: Sequence[StoredValue]) -> None:
        """Store (namespace, key, value); nothing as the value deletes. Up to `BATCH` items are committed together."""
        for first in range(0, len(items), BATCH):
            batch = storable(list(items[first : first + BATCH]))
            await self._batch([PutOp(space, key, value, index=False) for space, key, value in batch])

    async def delete(self, namespace: tuple[str, ...], keys: Iterable[str]) -> None:
        """Drop stored items."""
        await self.put([(namespace, key, None) for key in keys])

    async def search(
        self, namespace: tuple[str, ...], limit: int, only: dict[str, Any] | None = None, offset: int = 0
    ) -> list[SearchItem]:
        """At most `limit` items below a namespace, after the first `offset`; only those with the fields of `only`."""
        search = SearchOp(storable(namespace), filter=only, limit=limit, offset=offset, refresh_ttl=False)
        (found,) = await self._batch([search])
        return list(found)

    async def clear(self, namespace: tuple[str, ...], only: dict[str, Any] | None = None) -> int:
        """Drop all that `search` finds, whatever any record says of it; gives how many items that were."""
        count = 0
        while found := await self.search(namespace, CLEARED_AT_ONCE, only):
            await self.put([(item.namespace, item.key, None) for item in found])
            count += len(found)
        return count

    async def each(
        self, namespace: tuple[str, ...], only: dict[str, Any] | None = None
    ) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """Keys and values of all that `search` finds."""
        offset = 0
        while found := await self.search(namespace, BATCH, only, offset):
            for item in found:
                yield item.key, item.value
            offset += len(found)

    async def _batch(self, operations: Sequence[Op]) -> list[Any]:
        try:
            return await self.store.abatch(operations)
        except NotImplementedError:  # a synchronous store (SqliteStore) has no abatch
            return await asyncio.to_thread(self.store.batch, operations)

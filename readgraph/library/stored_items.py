"""Items in batches, on any LangGraph `BaseStore` or a namespace of one: the base of the typed stores.

Reads and writes never share a batch.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from copy import copy
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from readgraph.state.errors import BadInput, Damaged, LibraryError
from readgraph.state.records import Record, digest, load_records

BATCH = 500  # the most operations in one batch
CLEARED_AT_ONCE = 4 * BATCH
"""Items that are listed at a time to be deleted: a store also returns their values, such as 16 kB of text."""

EVERY = 2**31 - 1  # the limit of a search for everything. One search sees one moment; several with offsets would not.

ROOT = "readgraph"  # the first part of all our namespaces


_last_seen = WeakKeyDictionary[BaseStore, dict[tuple[str, ...], int]]()  # by store: counts whose last item was there

Found = TypeVar("Found")

StoredValue = tuple[tuple[str, ...], str, dict[str, Any] | None]
"""Namespace, key and value of an item to store; the value None deletes it."""


def number_key(number: int) -> str:
    """The key of a numbered item, such as a page; keys sort like their numbers."""
    return f"{number:010d}"


def drop_oldest(kept: dict[Any, Any], most: int) -> None:
    """Make room for one more among at most `most` things that are kept: those that were kept first go."""
    for oldest in [*kept][: max(len(kept) - most + 1, 0)]:
        kept.pop(oldest, None)


async def search_until_empty(search: Callable[[], Awaitable[list[Found]]]) -> AsyncIterator[list[Found]]:
    """What a search finds, again and again until it finds nothing: the caller deletes it each time.

    Raises `LibraryError` where it finds the same again: an index of the file disagrees with its table.
    """
    before = list[Found]()
    while founds := await search():
        if founds == before:
            raise LibraryError(
                "The library is damaged: what was deleted is still found. Make a copy of it; then "
                "'readgraph library repair' mends what can be mended."
            )
        yield founds
        before = founds


def replace_surrogates(value: Any) -> Any:
    """A plain JSON value as it is stored: lone surrogates, which UTF-8 can't encode, become question marks."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {key: replace_surrogates(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(replace_surrogates, value))
    return value


async def run_batch(store: BaseStore, operations: Sequence[Op]) -> list[Any]:
    """Run operations on any store; a synchronous one, such as LangGraph's `SqliteStore`, has no `abatch`."""
    try:
        return await store.abatch(operations)
    except NotImplementedError:
        return await asyncio.to_thread(store.batch, operations)


@lru_cache(1024)  # a question asks for items of the same few namespaces again and again
def _stored_space(namespace: tuple[str, ...]) -> tuple[str, ...] | None:
    """A namespace as it is stored; None where stores take no such: a name in it may come from a request."""
    space: tuple[str, ...] = replace_surrogates(namespace)
    return space if all(label and "." not in label and "\0" not in label for label in space) else None


class StoredItems:
    """The items of a `BaseStore` by namespace and key; it has no state of its own."""

    def __init__(self, store: BaseStore) -> None:
        if not isinstance(store, BaseStore):
            raise BadInput(f"{type(store).__name__} is not a LangGraph store: give one, such as a library's `store`.")
        self.store = store

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.store!r})"

    async def get(self, namespace: tuple[str, ...], keys: Sequence[str]) -> list[dict[str, Any] | None]:
        """The stored values of these keys, in this order; None for keys that don't exist."""
        return await self.get_all([(namespace, key) for key in keys])

    async def get_all(self, keys: Iterable[tuple[tuple[str, ...], str]]) -> list[dict[str, Any] | None]:
        """The stored values of these (namespace, key) pairs, in this order; None for those that don't exist."""
        remaining, found = iter(keys), list[dict[str, Any] | None]()
        while batch := [*islice(remaining, BATCH)]:
            found += await self._get_batch(batch)
        return found

    async def load(self, kind: type[Record], namespace: tuple[str, ...], keys: Iterable[str]) -> list[Record]:
        """The records of these keys, in this order; those that don't exist are left out."""
        return load_records(kind, [value for value in await self.get(namespace, [*keys]) if value is not None])

    async def get_each(self, keys: Iterable[tuple[tuple[str, ...], str]]) -> AsyncIterator[dict[str, Any] | None]:
        """The stored values of these (namespace, key) pairs, in this order; only one batch is in memory at a time."""
        remaining = iter(keys)
        while batch := [*islice(remaining, BATCH)]:
            for value in await self._get_batch(batch):
                yield value

    async def _get_batch(self, keys: Sequence[tuple[tuple[str, ...], str]]) -> list[dict[str, Any] | None]:
        spaces = [_stored_space(namespace) for namespace, _ in keys]
        operations = [
            GetOp(space, key if key.isascii() else replace_surrogates(key), refresh_ttl=False)
            for space, (_, key) in zip(spaces, keys, strict=True)
            if space
        ]
        items = iter(await run_batch(self.store, operations) if operations else ())
        found = [next(items) if space else None for space in spaces]
        return [item.value if isinstance(item, Item) else None for item in found]

    async def check_last(self, namespace: tuple[str, ...], count: int) -> None:
        """Raise `Damaged` if the last of `count` numbered items is missing: a wrong count could take hours to read.

        Items are looked at once for a count: those that were there go only with the record that counts them.
        """
        if count <= BATCH or (seen := _last_seen.setdefault(self.store, {})).get(namespace) == count:
            return
        if (await self.get(namespace, [number_key(count - 1)]))[0] is None:
            raise Damaged(namespace[1])
        seen[namespace] = count

    async def put(self, items: Iterable[StoredValue]) -> None:
        """Store items (the value None deletes one). Up to `BATCH` items are committed together."""
        left = iter(items)
        while batch := replace_surrogates([*islice(left, BATCH)]):
            await run_batch(self.store, [PutOp(space, key, value, index=False) for space, key, value in batch])

    async def delete(self, namespace: tuple[str, ...], keys: Iterable[str]) -> None:
        """Delete stored items."""
        await self.put([(namespace, key, None) for key in keys])

    async def search(
        self, namespace: tuple[str, ...], limit: int, only: dict[str, Any] | None = None, offset: int = 0
    ) -> list[SearchItem]:
        """At most `limit` items below a namespace, after the first `offset`; only those whose fields match `only`."""
        search = SearchOp(replace_surrogates(namespace), filter=only, limit=limit, offset=offset, refresh_ttl=False)
        (found,) = await run_batch(self.store, [search])
        return list(found)

    async def clear(self, namespace: tuple[str, ...], only: dict[str, Any] | None = None) -> int:
        """Delete everything that `search` finds, whatever records say of it; returns the number of items."""
        count = 0
        async for found in search_until_empty(lambda: self.search(namespace, CLEARED_AT_ONCE, only)):
            await self.put([(item.namespace, item.key, None) for item in found])
            count += len(found)
        return count

    async def each(
        self, namespace: tuple[str, ...], only: dict[str, Any] | None = None
    ) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """Keys and values of everything that `search` finds."""
        offset = 0
        while search_items := await self.search(namespace, BATCH, only, offset):
            for item in search_items:
                yield item.key, item.value
            offset += len(search_items)


NAMESPACES = "readgraph-namespaces"
"""What LangGraph's namespaces of all tenants begin with; a digest of the tenant's name follows.

Names of tenants are the caller's, and stores search by prefixes as text, where `%` and `_` stand for others.
"""


class NamespacedStore(BaseStore):
    """A `BaseStore` over a part of another one. Two of them over the same part are equal."""

    def __init__(self, base: BaseStore, name: str) -> None:
        self.base, self.name = base, name
        self.key = digest(name, length=32)
        self.prefix = (NAMESPACES, self.key)

    def __repr__(self) -> str:
        return f"NamespacedStore({self.base!r}, {self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamespacedStore) and (other.base is self.base and other.key == self.key)

    def __hash__(self) -> int:
        return hash((id(self.base), self.key))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations inside the namespace."""
        return [self._outside(result) for result in self.base.batch([self._inside(op) for op in ops])]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations inside the namespace."""
        return [self._outside(result) for result in await self.base.abatch([self._inside(op) for op in ops])]

    def _inside(self, op: Op) -> Op:
        if isinstance(op, GetOp | PutOp):
            return op._replace(namespace=(*self.prefix, *op.namespace))
        if isinstance(op, SearchOp):
            return op._replace(namespace_prefix=(*self.prefix, *op.namespace_prefix))
        conditions = [
            condition._replace(path=(*self.prefix, *condition.path)) if condition.match_type == "prefix" else condition
            for condition in op.match_conditions or ()
        ]
        depth = None if op.max_depth is None else op.max_depth + len(self.prefix)
        within = MatchCondition("prefix", self.prefix)
        return ListNamespacesOp((within, *conditions), max_depth=depth, limit=op.limit, offset=op.offset)

    def _outside(self, result: Any) -> Any:
        """A result as the caller sees it, without what stands before its namespaces."""
        if isinstance(result, Item):
            inside = copy(result)  # an item of a search has a score, too
            inside.namespace = result.namespace[len(self.prefix) :]
            return inside
        if isinstance(result, list):
            return [each[len(self.prefix) :] if isinstance(each, tuple) else self._outside(each) for each in result]
        return result


def in_namespace(store: BaseStore, name: str) -> BaseStore:
    """The part of a store that has this name; the store itself without a name.

    Raises `BadInput` for what is no name, and for a store that is another part.
    """
    if not isinstance(name, str):
        raise BadInput(f"A namespace is a string, not {type(name).__name__}.")
    if not isinstance(store, NamespacedStore):
        return NamespacedStore(store, name) if name else store
    if name not in ("", store.name):
        raise BadInput(
            f"This store holds the namespace '{store.name}' alone: leave '{name}' out, or give the whole store."
        )
    return store


def base_of(store: BaseStore) -> BaseStore:
    """The whole store of which this one is a part, or the store itself."""
    return base_of(store.base) if isinstance(store, NamespacedStore) else store


def name_in_base(store: BaseStore, name: str) -> str:
    """A name, such as that of a lock, which is different in each namespace of a store."""
    return name_in_base(store.base, f"{store.key}-{name}") if isinstance(store, NamespacedStore) else name

"""A store over another one: what it has not written itself is read from below, and nothing is written there."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp
from langgraph.store.memory import InMemoryStore

from readgraph.library.stored_items import run_batch

Key = tuple[tuple[str, ...], str]

_WRITTEN = datetime(2000, 1, 1, tzinfo=UTC)  # the time of all items: nobody asks for it


class OverlayStore(BaseStore):
    """Reads fall through to the store below, and are remembered; writes and deletions stay in memory.

    What is read counts as it was first seen: the store below should not change meanwhile.
    """

    def __init__(self, below: BaseStore) -> None:
        self.below = below
        self._values: dict[Key, dict[str, Any] | None] = {}  # None: there is no such item, or none any more
        self._written: set[Key] = set()

    def __repr__(self) -> str:
        return f"OverlayStore({self.below!r})"

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations, those on the store below in its own way of waiting."""
        asked = self._ask_below(wanted := [*ops])
        return self._results(wanted, asked, self.below.batch([*asked.values()]) if asked else [])

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations, those on the store below in its own way of waiting."""
        asked = self._ask_below(wanted := [*ops])
        return self._results(wanted, asked, await run_batch(self.below, [*asked.values()]) if asked else [])

    def _ask_below(self, wanted: Sequence[Op]) -> dict[int, Op]:
        """What the store below is asked, by its place: items that are not known yet, and all that a search may find."""
        ops = dict[int, Op]()
        for place, op in enumerate(wanted):
            if isinstance(op, SearchOp):
                hidden = len(self._written_below(op.namespace_prefix))
                ops[place] = op._replace(offset=0, limit=op.offset + op.limit + hidden)
            elif isinstance(op, ListNamespacesOp) or (
                isinstance(op, GetOp) and (op.namespace, op.key) not in self._values
            ):
                ops[place] = op
        return ops

    def _results(self, wanted: Sequence[Op], asked: Iterable[int], below: Sequence[Result]) -> list[Result]:
        answers = dict(zip(asked, below, strict=True))
        return [self._result(op, answers.get(place)) for place, op in enumerate(wanted)]

    def _result(self, op: Op, below: Result) -> Result:
        """What an operation gives, with what the store below answered if it was asked."""
        if isinstance(op, PutOp):
            key = op.namespace, op.key
            self._values[key] = None if op.value is None else dict(op.value)
            self._written.add(key)
            return None
        if isinstance(op, GetOp):
            self._values.setdefault((op.namespace, op.key), dict(below.value) if isinstance(below, Item) else None)
            return self._item(op.namespace, op.key)
        return self._merge(op, below)

    def _written_below(self, prefix: tuple[str, ...]) -> list[Key]:
        return [key for key in self._written if key[0][: len(prefix)] == prefix]

    def _item(self, namespace: tuple[str, ...], key: str) -> Item | None:
        value = self._values[namespace, key]
        return None if value is None else Item(value=value, **_place(namespace, key))

    def _merge(self, op: Op, below: Any) -> Result:
        """What a search finds here and below, or the namespaces of both."""
        own = InMemoryStore()  # it knows how filters, prefixes and limits work
        for space, key in self._written_below(op.namespace_prefix if isinstance(op, SearchOp) else ()):
            if (value := self._values[space, key]) is not None:
                own.put(space, key, value, index=False)
        if isinstance(op, ListNamespacesOp):
            (here,) = own.batch([op])
            return sorted({*below, *here})[: op.limit]  # type: ignore[misc]
        assert isinstance(op, SearchOp)
        (here,) = own.batch([op._replace(offset=0, limit=op.offset + op.limit)])
        kept = [item for item in below if (item.namespace, item.key) not in self._written]
        search_items = [SearchItem(value=each.value, **_place(each.namespace, each.key)) for each in here]  # type: ignore[union-attr]
        return [*kept, *search_items][op.offset : op.offset + op.limit]


def _place(namespace: tuple[str, ...], key: str) -> dict[str, Any]:
    return {"namespace": namespace, "key": key, "created_at": _WRITTEN, "updated_at": _WRITTEN}

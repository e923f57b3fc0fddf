"""A library copied to another place, from a folder to a server or back: every row, thread and original, compared."""

import asyncio
import hashlib
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.store.base import GetOp, Op, PutOp

from readgraph.library.address import LibraryPlace
from readgraph.library.checkpointer import SharedCheckpointer
from readgraph.library.opening import holds_library, open_whole
from readgraph.library.store import SharedStore
from readgraph.library.stored_items import BATCH
from readgraph.library.upkeep.folder_copies import new_folder
from readgraph.state.errors import BadInput, LibraryError

COPYING = (("readgraph", "copying"), "unfinished")  # the item that a place on a server holds while it is filled
EVERY_QUESTION = 2**31
"""So many questions of a thread keep their steps in the copy: what the first library keeps is kept."""


class CopySummary(NamedTuple):
    """What a copy holds, and the digest that both have: of items, checkpoints and originals, in any order."""

    items: int
    checkpoints: int
    originals: int
    digest: str

    def __str__(self) -> str:
        return f"{self.items} items, {self.checkpoints} checkpoints, {self.originals} originals ({self.digest})"


async def copy_library(source: LibraryPlace, target: LibraryPlace) -> CopySummary:
    """Copy a library with all its namespaces to a place that holds none; others may use the first one meanwhile.

    Search indexes are left out: they are made again. A copy that was stopped is begun anew. Raises `BadInput` where the
    first place holds no library or the second one holds something, and `LibraryError` where the copy differs.
    """
    if isinstance(source, Path) and not holds_library(source):
        raise BadInput(f"{source} holds no library: name another folder.")
    async with open_whole(source, to_read=True) as first, _open_target(target) as second:
        sums = _Sums()
        for part in ["", *await asyncio.to_thread(first.parts)]:  # first: all that threads name is there then
            async with first.open_threads(part) as threads, second.open_threads(part) as copies:
                copies.kept_questions = EVERY_QUESTION
                async for checkpoint_tuple in threads.aoldest_first():
                    _add_checkpoint(sums, part, checkpoint_tuple, copies)
                    await copies.run(partial(_put, copies, checkpoint_tuple), writes=True)
        waiting = list[Op]()
        async for prefix, key, value in _rows(first):
            sums.add("item", prefix, key, value)
            waiting.append(PutOp(tuple(prefix.split(".")), key, value, index=False))
            if len(waiting) == BATCH:
                await second.abatch(waiting)
                waiting.clear()
        if waiting:
            await second.abatch(waiting)
        await asyncio.to_thread(copy_originals, first, second, sums)
        copied, copy_summary = sums.as_summary(), await sums_of(second)
        if copy_summary != copied:
            raise LibraryError(
                f"The copy in {target} differs from {source}: {copy_summary} instead of {copied}. Copy it again."
            )
    return copied


class _Sums:
    """Counts, and a digest that doesn't depend on the order: the sum of the digests of all parts."""

    def __init__(self) -> None:
        self._counts, self._sum = defaultdict[str, int](int), 0

    def add(self, kind: str, *parts: Any) -> None:
        self._counts[kind] += 1
        plain = json.dumps([kind, *map(_plain, parts)], sort_keys=True, default=repr)
        self._sum += int.from_bytes(hashlib.sha256(plain.encode("utf-8", "surrogatepass")).digest(), "big")

    def as_summary(self) -> CopySummary:
        counts = self._counts
        return CopySummary(counts["item"], counts["checkpoint"], counts["original"], f"{self._sum % 2**256:064x}"[:16])


def _plain(value: Any) -> Any:
    """A JSON value whose whole numbers are integers: not every server keeps how they were written."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value.hex() if isinstance(value, bytes) else value


@asynccontextmanager
async def _open_target(target: LibraryPlace) -> AsyncIterator[SharedStore]:
    """A place to fill: a folder that appears once it is whole, or a database with a mark until then."""
    if isinstance(target, Path):
        with new_folder(target) as unfinished:
            async with open_whole(unfinished) as store:
                yield store
        return
    async with open_whole(target) as store:
        (mark,) = await store.abatch([GetOp(*COPYING)])
        if mark is not None:
            await _empty(store)
        elif await _holds_something(store):
            raise BadInput(f"The library {target} holds something already: name an empty database for the copy.")
        await store.abatch([PutOp(*COPYING, {"copying": True})])
        yield store
        await store.abatch([PutOp(*COPYING, None)])


async def _holds_something(store: SharedStore) -> bool:
    if await asyncio.to_thread(lambda: bool(store.rows(("", ""), 1) or store.parts() or store.originals())):
        return True
    async with store.open_threads() as threads:
        return bool(await threads.run(partial(threads.threads, {})))


async def _empty(store: SharedStore) -> None:
    """Drop what a copy that was stopped has left."""
    async for row in _rows(store):
        if (space := tuple(row[0].split("."))) != COPYING[0]:
            await store.abatch([PutOp(space, row[1], None)])
    for part in ["", *await asyncio.to_thread(store.parts)]:
        async with store.open_threads(part) as threads:
            for thread in await threads.run(partial(threads.threads, {})):
                await threads.adelete_thread(thread)
    for name in await asyncio.to_thread(store.originals):
        await asyncio.to_thread(store.forget_original, name.partition(".")[0])


async def _rows(store: SharedStore) -> AsyncIterator[tuple[str, str, dict[str, Any]]]:
    after = ("", "")
    while rows := await asyncio.to_thread(store.rows, after, BATCH):
        for row in rows:
            yield row
        after = rows[-1][:2]


def _put(copies: SharedCheckpointer, saved: CheckpointTuple) -> None:
    named = saved.config["configurable"]
    parent = saved.parent_config["configurable"]["checkpoint_id"] if saved.parent_config else None
    place = {"thread_id": named["thread_id"], "checkpoint_ns": named["checkpoint_ns"]}
    before: RunnableConfig = {"configurable": place | ({"checkpoint_id": parent} if parent else {})}
    copies.put(before, saved.checkpoint, saved.metadata, saved.checkpoint["channel_versions"])
    written = defaultdict[str, list[tuple[str, Any]]](list)
    for task, channel, value in saved.pending_writes or []:
        written[task].append((channel, value))
    for task, writes in written.items():
        copies.put_writes(saved.config, writes, task)


def _add_checkpoint(sums: _Sums, part: str, saved: CheckpointTuple, by: SharedCheckpointer) -> None:
    checkpoint = dict(saved.checkpoint)
    values = {name: by.serde.dumps_typed(value) for name, value in saved.checkpoint["channel_values"].items()}
    writes = sorted((task, name, *by.serde.dumps_typed(value)) for task, name, value in saved.pending_writes or [])
    parent = saved.parent_config["configurable"] if saved.parent_config else None
    kept = {**checkpoint, "channel_values": values}
    sums.add("checkpoint", part, saved.config["configurable"], parent, kept, saved.metadata, writes)


def copy_originals(first: SharedStore, second: SharedStore, sums: _Sums) -> None:
    """Copy the kept files of one library into another, and add them to the sums."""
    for name, data in _originals(first):
        second.keep_original(name, data)
        sums.add("original", name, hashlib.sha256(data).hexdigest())


def _originals(store: SharedStore) -> Iterator[tuple[str, bytes]]:
    for name in store.originals():
        if file := store.original(name):
            yield name, file.read_bytes()


async def sums_of(store: SharedStore) -> CopySummary:
    """The counts and the digest of a copy, as it is read back."""
    sums = _Sums()
    for part in ["", *await asyncio.to_thread(store.parts)]:
        async with store.open_threads(part) as threads:
            async for checkpoint_tuple in threads.aoldest_first():
                _add_checkpoint(sums, part, checkpoint_tuple, threads)
    async for prefix, key, value in _rows(store):
        if (tuple(prefix.split(".")), key) != COPYING:
            sums.add("item", prefix, key, value)
    for name, data in await asyncio.to_thread(lambda: [*_originals(store)]):
        sums.add("original", name, hashlib.sha256(data).hexdigest())
    return sums.as_summary()

"""The page store: documents, memories, pages and notes, typed, on any LangGraph `BaseStore`.

Nothing here lists pages: records hold the counts, and pages are fetched in batches by number.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from readgraph.library.documents import DocumentStore, NotHeld, load_document
from readgraph.library.sent_batches import SentBatches
from readgraph.library.store import SharedStore
from readgraph.library.stored_items import (
    EVERY,
    ROOT,
    NamespacedStore,
    StoredItems,
    StoredValue,
    base_of,
    in_namespace,
    number_key,
)
from readgraph.state.errors import Damaged
from readgraph.state.records import (
    Document,
    Memory,
    Note,
    Page,
    Recipe,
    RecordedReply,
    TreeNode,
    digest,
    dump_record,
    load_record,
    load_records,
    load_valid,
    utc_now,
)


def memory_item(memory: Memory) -> StoredValue:
    """A memory's record as it is stored."""
    return (ROOT, "memories", memory.document), memory.id, dump_record(memory)


def page_item(memory: str, page: Page) -> StoredValue:
    """A page of a memory as it is stored."""
    return (ROOT, "pages", memory), number_key(page.number), dump_record(page)


def note_item(memory: str, note: Note) -> StoredValue:
    """The note of a page of a memory as it is stored."""
    return (ROOT, "notes", memory), number_key(note.page), dump_record(note)


class PageStore(DocumentStore):
    """Typed access to a `BaseStore`; it has no state of its own.

    `namespace`: the part of the store that is used. Other parts are never seen, also not their replies and embeddings,
    unless `share_replies` says so: then those of the whole store are used.
    """

    def __init__(self, store: BaseStore, *, namespace: str = "", share_replies: bool = False) -> None:
        super().__init__(in_namespace(store, namespace) if isinstance(store, BaseStore) else store)
        self.namespace = self.store.name if isinstance(self.store, NamespacedStore) else ""
        self.share_replies = share_replies
        self._paid = StoredItems(base_of(self.store)) if share_replies else StoredItems(self.store)

    async def document_and_memory(self, identity: str, memory: str) -> tuple[Document, Memory]:
        """A document and one of its memories, fetched in one batch; errors as for `memory` and `document`."""
        keys = [((ROOT, "memories", identity), memory), ((ROOT, "documents"), identity)]
        kept, described = await self.get_all(keys)
        record = await self._require_memory(identity, memory, kept)
        document = load_document(identity, described) if described is not None else None
        return await self._require_document(identity, document), record

    async def memories(self, document: str) -> list[Memory]:
        """All memories of a document, the oldest first."""
        return (await self.all_memories(document))[document]

    async def all_memories(self, *document: str) -> dict[str, list[Memory]]:
        """Memories by their documents, the oldest first; damaged ones are left out, and rebuilt when needed."""
        memories = list[Memory]()
        for item in await self.search((ROOT, "memories", *document), EVERY):
            with suppress(Damaged):
                memories.append(await self._memory(item.namespace[-1], item.key, item.value))
        by_document = defaultdict[str, list[Memory]](list)
        for memory in sorted(memories, key=lambda memory: memory.started):
            by_document[memory.document].append(memory)
        return by_document

    async def _memory(self, document: str, identity: str, value: Any) -> Memory:
        memory = Memory.load(value)
        if (memory.document, memory.id) != (document, identity):
            raise Damaged("memory")
        await self.check_last((ROOT, "pages", memory.id), memory.pages)
        return memory

    async def note_sizes(self, memories: Iterable[Memory]) -> dict[str, tuple[int, int]]:
        """The number of notes of each memory, by its id, and their total number of words."""
        sizes, uncounted = defaultdict[str, tuple[int, int]](lambda: (0, 0)), list[Memory]()
        for memory in memories:
            if memory.note_words is None:
                uncounted.append(memory)
            else:
                sizes[memory.id] = memory.pages, memory.note_words
        keys = [(memory.id, number_key(number)) for memory in uncounted for number in range(memory.pages)]
        remaining = iter(keys)
        async for note in self.get_each(((ROOT, "notes", memory), number) for memory, number in keys):
            identity, _ = next(remaining)
            if note:
                count, words = sizes[identity]
                sizes[identity] = (count + 1, words + load_record(Note, note).words)
        return sizes

    async def find_memory(self, document: str, recipe: Recipe, *, renew: bool = False) -> Memory | None:
        """The memory of this recipe, else one made with older prompt versions unless `renew` is set, else None."""
        identity = digest([document, recipe.fingerprint])
        (value,) = await self.get((ROOT, "memories", document), [identity])
        if value is not None:
            with suppress(Damaged):  # a damaged one is rebuilt in its place
                if (memory := await self._memory(document, identity, value)).recipe.fingerprint == recipe.fingerprint:
                    return memory
        older = [] if renew else await self.memories(document)
        return next((memory for memory in reversed(older) if memory.recipe.same_but_prompts(recipe)), None)

    async def open_memory(self, document: str, recipe: Recipe, *, renew: bool = False) -> Memory:
        """The memory that `find_memory` finds for this recipe, else a new, empty one."""
        if known := await self.find_memory(document, recipe, renew=renew):
            return known
        memory = Memory(digest([document, recipe.fingerprint]), document, recipe, utc_now())
        await self.put_memory(memory)
        return memory

    async def memory(self, document: str, identity: str) -> Memory:
        """A stored memory by its id; raises `BadInput` if there is none."""
        (value,) = await self.get((ROOT, "memories", document), [identity])
        return await self._require_memory(document, identity, value)

    async def _require_memory(self, document: str, identity: str, value: Any) -> Memory:
        if value is None:
            raise NotHeld(
                f"The library holds no memory '{identity}' of document '{document}': read the document first."
            )
        return await self._memory(document, identity, value)

    async def put_memory(self, memory: Memory) -> None:
        """Store a memory's record."""
        await self.put([memory_item(memory)])

    async def drop_memory(self, document: str, memory: str) -> None:
        """Delete what is stored of a memory; its record goes last, since the rest can only be found through it."""
        for kind in ("pages", "notes", "tree"):
            await self.clear((ROOT, kind, memory))
        await self.delete((ROOT, "memories", document), [memory])

    async def add_page(self, memory: Memory, page: Page) -> Memory:
        """Append a page, committed together with the new count; raises `ValueError` if it is not the next one."""
        if page.number != memory.pages or page.start != memory.read_to:
            raise ValueError(f"Page {page.number} does not follow the {memory.pages} pages of memory {memory.id}.")
        grown = replace(memory, pages=memory.pages + 1, read_to=page.end)
        await self.put([page_item(memory.id, page), memory_item(grown)])
        return grown

    async def pages(self, memory: str, numbers: Iterable[int]) -> list[Page]:
        """The pages with these numbers, in this order; numbers that don't exist are left out."""
        return await self.load(Page, (ROOT, "pages", memory), map(number_key, numbers))

    async def pages_and_notes(self, memory: str, numbers: Iterable[int]) -> tuple[list[Page], list[Note]]:
        """What `pages` and `notes` give for the same numbers, fetched together."""
        keys = [number_key(number) for number in numbers]
        values = await self.get_all(((ROOT, kind, memory), key) for kind in ("pages", "notes") for key in keys)
        pages, notes = (
            [value for value in part if value is not None] for part in (values[: len(keys)], values[len(keys) :])
        )
        return load_records(Page, pages), load_records(Note, notes)

    async def page_texts(self, document: Document, pages: Sequence[Page]) -> dict[int, str]:
        """The texts of these pages of a document, by the pages' numbers."""
        texts = await self.spans(document, [(page.start, page.end) for page in pages])
        return {page.number: text for page, text in zip(pages, texts, strict=True)}

    async def put_note(self, memory: str, note: Note) -> None:
        """Store the note of a page."""
        await self.put([note_item(memory, note)])

    async def change_note(self, memory: Memory, before: Note, note: Note) -> Memory:
        """Store a note in the place of another one, committed together with the words of all notes."""
        if memory.note_words is not None:
            memory = replace(memory, note_words=max(0, memory.note_words - before.words + note.words))
        await self.put([note_item(memory.id, note), memory_item(memory)])
        return memory

    async def notes(self, memory: str, numbers: Iterable[int]) -> list[Note]:
        """The notes of these pages, in this order; pages without a note are left out."""
        return await self.load(Note, (ROOT, "notes", memory), map(number_key, numbers))

    async def put_tree_node(self, memory: str, node: TreeNode) -> None:
        """Store a node of the tree above a memory's pages."""
        await self.put([((ROOT, "tree", memory), node.id, dump_record(node))])

    async def tree_nodes(self, memory: str, ids: Iterable[str]) -> list[TreeNode]:
        """The tree nodes with these ids, in this order; ids that don't exist are left out."""
        return await self.load(TreeNode, (ROOT, "tree", memory), ids)

    async def check_room(self, needed: int = 0) -> None:
        """Raise `LibraryError`, before a call is paid for, where its reply or so many bytes can't be kept."""
        base = base_of(self.store)
        if isinstance(base, SharedStore) and (needed or time.monotonic() > base.roomy_until):
            await asyncio.to_thread(base.check_room, needed)

    async def reply(self, key: str) -> RecordedReply | None:
        """A model's recorded reply (see `readgraph.models.asking`), or None if there is none or it is damaged."""
        return next(load_valid(RecordedReply, await self._paid.get((ROOT, "replies"), [key])), None)

    async def put_reply(self, key: str, reply: RecordedReply) -> None:
        """Record a reply; when this returns, it is committed."""
        await self.put_replies({key: reply})

    async def put_replies(self, replies: Mapping[str, RecordedReply]) -> None:
        """Record replies by their keys; when this returns, they are committed."""
        await self._paid.put([((ROOT, "replies"), key, dump_record(reply)) for key, reply in replies.items()])

    async def holds_replies(self, document: str) -> bool:
        """Whether any recorded reply is one for this document."""
        return bool(await self._paid.search((ROOT, "replies"), 1, {"document": document}))

    async def replies(self, document: str | None = None) -> AsyncIterator[tuple[str, RecordedReply]]:
        """Keys and values of recorded replies: all of them, or those recorded for one document."""
        async for key, value in self._paid.each(
            (ROOT, "replies"), None if document is None else {"document": document}
        ):
            for reply in load_valid(RecordedReply, [value]):
                yield key, reply

    async def embeddings(self, keys: Sequence[str]) -> list[dict[str, Any] | None]:
        """Stored embeddings, in the order of the keys (see `readgraph.nodes.search.PaidVectors`)."""
        return await self._paid.get((ROOT, "embeddings"), keys)

    async def put_embeddings(self, values: Mapping[str, dict[str, Any]]) -> None:
        """Store embeddings; when this returns, they are committed."""
        await self._paid.put([((ROOT, "embeddings"), key, value) for key, value in values.items()])

    async def forget_paid(self, document: str) -> int:
        """Delete the replies and embeddings recorded for one document; returns the number of replies."""
        await self.batch_records().forget(document)
        await self._paid.clear((ROOT, "embeddings"), {"document": document})
        return await self._paid.clear((ROOT, "replies"), {"document": document})

    def batch_records(self) -> SentBatches:
        """The records of the batches whose replies will be recorded here."""
        return SentBatches(self._paid.store)


_in_memory = InMemoryStore()
_in_use: "WeakValueDictionary[tuple[int, str, bool], PageStore]" = WeakValueDictionary()
"""Page stores that somebody holds, by the identity of the store, the namespace, and whether replies are shared."""


def page_store(runtime: Runtime[Any]) -> PageStore:
    """The page store of a run: its graph's store, or else one in memory that lasts as long as the process.

    All functions of a step share it, since the step holds it while it runs.

    Where a server knows who asks, the namespace is that user's, whatever the context says: a client sends the context.
    """
    store, context = _in_memory if runtime.store is None else runtime.store, runtime.context
    user = runtime.server_info.user if runtime.server_info else None
    namespace = (user.identity if user else "") or getattr(context, "namespace", "")
    share_replies = getattr(context, "share_replies", False)
    asked = (id(store), namespace, share_replies)
    if (pages := _in_use.get(asked)) is None:  # it holds its store, so the identity is that of no other
        _in_use[asked] = pages = PageStore(store, namespace=namespace, share_replies=share_replies)
    return pages

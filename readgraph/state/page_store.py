"""The page store: documents, memories, pages and notes, typed, on any LangGraph `BaseStore`.

Nothing here lists pages: records hold the counts, and pages are fetched in batches by their number.
"""

import hashlib
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from readgraph.state.errors import BadInput, LibraryError
from readgraph.state.records import Document, Memory, Note, Page, Part, Recipe, TreeNode, digest
from readgraph.state.stored_items import BATCH, ROOT, StoredItems, numbered, storable
from readgraph.state.words import count_words

PART = 16_384
"""Characters of a document's text in one stored item."""


def document_id(text: str) -> str:
    """The id of the document of this text."""
    return hashlib.sha256(storable(text).encode()).hexdigest()[:16]


class PageStore(StoredItems):
    """Typed access to a `BaseStore`; holds no state of its own."""

    async def add_document(
        self, text: str, *, title: str = "", source: str = "", places: Sequence[tuple[int, str]] = ()
    ) -> Document:
        """Store a text once; the same text again is the same document. Offsets refer to the text as stored.

        `places` says in the source's own terms where the text stands: (character offset, name) pairs, ascending,
        each good up to the next ("PDF page 12", "chapter 'The Auction'", "line 40").
        """
        if not isinstance(text, str):
            raise BadInput(f"A document's text must be a string, not {type(text).__name__}.")
        text = storable(text)
        if not text.strip():
            raise BadInput(f"{title or 'The text'} is empty: there is nothing to read.")
        identity = document_id(text)
        known = await self.get((ROOT, "documents"), [identity])
        if known[0]:
            return Document.load(known[0])
        named = (storable(title), storable(source))
        document = Document(identity, *named, count_words(text), len(text), now(), len(places))
        parts = [text[start : start + PART] for start in range(0, len(text), PART)]
        await self.put([((ROOT, "text", identity), numbered(n), {"text": part}) for n, part in enumerate(parts)])
        groups = [list(places[first : first + BATCH]) for first in range(0, len(places), BATCH)]
        await self.put([((ROOT, "places", identity), numbered(n), {"places": part}) for n, part in enumerate(groups)])
        await self.put([((ROOT, "documents"), identity, asdict(document))])
        return document

    async def places(self, document: Document) -> list[tuple[int, str]]:
        """(character offset, name) of the places that the source names, ascending."""
        keys = [numbered(group) for group in range(-(-document.places // BATCH))]
        groups = await self.get((ROOT, "places", document.id), keys)
        places = [(start, name) for group in groups if group for start, name in group["places"]]
        return places[: document.places]  # an append that was stopped may have left more

    async def place_names(self, document: Document, offsets: Sequence[int]) -> list[str | None]:
        """Where these offsets are in the source's own terms; nothing where the source named no place.

        In a collection the title of the document that holds the offset stands before it.
        """
        if document.parts:
            return [await self._place_in_part(document.part_at(offset), offset) for offset in offsets]
        places = await self.places(document)
        starts = [start for start, _ in places]
        found = [bisect_right(starts, offset) - 1 for offset in offsets]
        return [places[at][1] if at >= 0 else None for at in found]

    async def _place_in_part(self, part: Part, offset: int) -> str:
        document = await self.document(part.document)
        (place,) = await self.place_names(document, [offset - part.start])
        return ", ".join(filter(None, [document.title, place]))

    async def document(self, identity: str) -> Document:
        """The record of a document; raises `BadInput` where the store doesn't hold it."""
        (value,) = await self.get((ROOT, "documents"), [identity])
        if value is None:
            raise BadInput(f"The library holds no document '{identity}': add its text first.")
        return Document.load(value)

    async def text(self, document: Document) -> str:
        """The whole text of a document."""
        return (await self.spans(document, [(0, document.characters)]))[0]

    async def spans(self, document: Document, spans: Sequence[tuple[int, int]]) -> list[str]:
        """The texts of character spans `[start, end)`, fetched in one batch (one a document of a collection)."""
        if document.parts:
            return await self._spans_in_parts(document, spans)
        wanted = sorted({part for start, end in spans for part in range(start // PART, -(-end // PART))})
        values = await self.get((ROOT, "text", document.id), [numbered(part) for part in wanted])
        parts = {part: value["text"] for part, value in zip(wanted, values, strict=True) if value}
        if len(parts) < len(wanted):
            named = document.title or document.id
            raise LibraryError(f"The library lacks a part of the text of '{named}': forget it and read it again.")
        return [_slice(parts, start, end) for start, end in spans]

    async def _spans_in_parts(self, document: Document, spans: Sequence[tuple[int, int]]) -> list[str]:
        texts = [""] * len(spans)
        for part in document.parts:
            inside = [(max(start, part.start), min(end, part.end)) for start, end in spans]
            wanted = {at: span for at, span in enumerate(inside) if span[0] < span[1]}
            own = [(start - part.start, end - part.start) for start, end in wanted.values()]
            for at, text in zip(wanted, await self.spans(await self.document(part.document), own), strict=True):
                texts[at] += text
        return texts

    async def memories(self, document: str) -> list[Memory]:
        """All memories of a document, the oldest first."""
        found = await self.search((ROOT, "memories", document), 1000)
        return sorted((Memory.load(item.value) for item in found), key=lambda memory: memory.started)

    async def find_memory(self, document: str, recipe: Recipe, *, renew: bool = False) -> Memory | None:
        """The memory that this recipe made of the document, if it did.

        Where only an older version of the prompts was used before, that memory is given, unless `renew`.
        """
        (value,) = await self.get((ROOT, "memories", document), [digest([document, recipe.fingerprint])])
        if value is not None:
            return Memory.load(value)
        older = [] if renew else await self.memories(document)
        return next((memory for memory in reversed(older) if memory.recipe.same_but_prompts(recipe)), None)

    async def open_memory(self, document: str, recipe: Recipe, *, renew: bool = False) -> Memory:
        """The memory that this recipe makes of the document: as `find_memory` finds it, else new and empty."""
        if known := await self.find_memory(document, recipe, renew=renew):
            return known
        memory = Memory(digest([document, recipe.fingerprint]), document, recipe, now())
        await self.put_memory(memory)
        return memory

    async def memory(self, document: str, identity: str) -> Memory:
        """A stored memory by its id."""
        (value,) = await self.get((ROOT, "memories", document), [identity])
        if value is None:
            raise BadInput(
                f"The library holds no memory '{identity}' of document '{document}': read the document first."
            )
        return Memory.load(value)

    async def put_memory(self, memory: Memory) -> None:
        """Keep a memory's record."""
        await self.put([((ROOT, "memories", memory.document), memory.id, asdict(memory))])

    async def add_page(self, memory: Memory, page: Page) -> Memory:
        """Append a page; page and count are committed together."""
        if page.number != memory.pages or page.start != memory.read_to:
            raise ValueError(f"Page {page.number} does not follow the {memory.pages} pages of memory {memory.id}.")
        grown = replace(memory, pages=memory.pages + 1, read_to=page.end)
        await self.put(
            [
                ((ROOT, "pages", memory.id), numbered(page.number), asdict(page)),
                ((ROOT, "memories", memory.document), memory.id, asdict(grown)),
            ]
        )
        return grown

    async def pages(self, memory: str, numbers: Iterable[int]) -> list[Page]:
        """The pages of these numbers, in this order; numbers that don't exist are left out."""
        values = await self.get((ROOT, "pages", memory), [numbered(number) for number in numbers])
        return [Page(**value) for value in values if value]

    async def put_note(self, memory: str, note: Note) -> None:
        """Keep the note of a page."""
        await self.put([((ROOT, "notes", memory), numbered(note.page), asdict(note))])

    async def notes(self, memory: str, numbers: Iterable[int]) -> list[Note]:
        """The notes of these pages, in this order; pages without a note are left out."""
        values = await self.get((ROOT, "notes", memory), [numbered(number) for number in numbers])
        return [Note(**value) for value in values if value]

    async def put_tree_node(self, memory: str, node: TreeNode) -> None:
        """Keep a node of the tree above a memory's pages."""
        await self.put([((ROOT, "tree", memory), node.id, asdict(node))])

    async def tree_nodes(self, memory: str, ids: Iterable[str]) -> list[TreeNode]:
        """The tree nodes of these ids, in this order; those that don't exist are left out."""
        values = await self.get((ROOT, "tree", memory), [*ids])
        return [TreeNode(**value) for value in values if value]

    async def reply(self, key: str) -> dict[str, Any] | None:
        """A recorded reply of a model (see `readgraph.nodes.asking`)."""
        return (await self.get((ROOT, "replies"), [key]))[0]

    async def put_reply(self, key: str, value: dict[str, Any]) -> None:
        """Record a reply; when this returns, it is committed."""
        await self.put([((ROOT, "replies"), key, value)])

    def replies(self, document: str | None = None) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """Keys and values of recorded replies: all, or those that were paid for one document."""
        return self.each((ROOT, "replies"), None if document is None else {"document": document})

    async def forget_replies(self, keys: Iterable[str]) -> None:
        """Drop recorded replies."""
        await self.delete((ROOT, "replies"), keys)

    async def embeddings(self, keys: Sequence[str]) -> list[dict[str, Any] | None]:
        """Kept embeddings, in the order of the keys (see `readgraph.state.search.kept_vectors`)."""
        return await self.get((ROOT, "embeddings"), keys)

    async def put_embeddings(self, values: Mapping[str, dict[str, Any]]) -> None:
        """Keep embeddings; when this returns, they are committed."""
        await self.put([((ROOT, "embeddings"), key, value) for key, value in values.items()])

    async def forget_embeddings(self, document: str) -> None:
        """Drop the embeddings that were paid for one document."""
        paid = self.each((ROOT, "embeddings"), {"document": document})
        await self.delete((ROOT, "embeddings"), [key async for key, _ in paid])

    async def documents(self, limit: int = 10_000) -> list[Document]:
        """The documents of the store, the newest first."""
        found = await self.search((ROOT, "documents"), limit)
        return sorted((Document.load(item.value) for item in found), key=lambda document: document.added, reverse=True)


_in_memory = InMemoryStore()


def page_store(runtime: Runtime[Any]) -> PageStore:
    """The page store of a run: its graph's store, else one in memory that lasts as long as the process."""
    return PageStore(_in_memory if runtime.store is None else runtime.store)


def _slice(parts: dict[int, str], start: int, end: int) -> str:
    first, last = start // PART, -(-end // PART)
    joined = "".join(parts[part] for part in range(first, last))
    return joined[start - first * PART : end - first * PART]


def now() -> str:
    """The time as records keep it: UTC, sortable."""
    return datetime.now(UTC).isoformat(timespec="microseconds")

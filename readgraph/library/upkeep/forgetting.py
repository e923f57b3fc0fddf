"""Forget a document: text, sessions, memories, search indexes, recorded replies, embeddings, checkpoints, and more."""

import asyncio
from collections import Counter
from contextlib import suppress

from readgraph.library.collections import MEMBERS, collections_with
from readgraph.library.documents import UNFINISHED, NotHeld, begin_forgetting, drop_document, find_document_to_forget
from readgraph.library.library import FILES, Library
from readgraph.library.search.indexes import indexes_of
from readgraph.library.search.passages import forget_text
from readgraph.library.store import InUse, OnWait, hold_lock, wait_until_unused
from readgraph.library.stored_items import EVERY
from readgraph.library.upkeep.joint_readings import keep_rest
from readgraph.library.upkeep.own_records import forget_own_records
from readgraph.library.versions import skip_version
from readgraph.state.errors import LibraryError
from readgraph.state.records import Document


async def forget_document(
    library: Library, document: Document, on_wait: OnWait | None = None, *, wait: bool = True
) -> dict[str, int]:
    """Delete everything that the library holds of a document; returns the numbers of memories, replies and threads.

    The collections that hold it are deleted too; what is about their other documents alone is kept under these (see
    `joint_readings.py`), and `kept` counts such questions. The document leaves the list at once. Whoever is building a
    memory of it stops; whoever asks about it is waited for: `on_wait` is called before, and without `wait` this raises
    `InUse` instead. If it is stopped halfway, the next opening of the library finishes it.
    """
    async with hold_lock(library.store, f"{document.id}.lock", on_wait, wait=wait):  # no store or append meanwhile
        document = await begin_forgetting(library.pages, document.id)
        await skip_version(library.pages, document)
        counts = Counter[str](kept=0)
        for collection in await collections_with(library.pages, document):
            await wait_until_unused(library.store, collection.id, on_wait, wait=wait)
            counts["kept"] += await keep_rest(library, collection, document, on_wait, wait=wait)
            with suppress(NotHeld):  # whoever forgets another of its documents has forgotten it meanwhile
                counts.update(await forget_document(library, collection, on_wait, wait=wait))
        await wait_until_unused(library.store, document.id, on_wait, wait=wait)
        memories = await library.pages.memories(document.id)
        for memory in memories:
            async with hold_lock(library.store, f"{memory.id}.lock", on_wait, wait=wait):
                await (await indexes_of(library.store)).forget(memory)
                await library.pages.drop_memory(memory.document, memory.id)
        replies, saver = await library.pages.forget_paid(document.id), library.checkpointer
        threads = await saver.run(lambda: saver.threads({"document": document.id}))
        for thread in threads:
            await saver.adelete_thread(thread)
        for names in (FILES, MEMBERS):
            await library.pages.clear(names, {"document": document.id})
        await asyncio.to_thread(library.whole_store.forget_original, document.id)
        await forget_text(library.pages, document.id)
        await library.watched.leave_out(document.id)
        await forget_own_records(library, document)
        await drop_document(library.pages, document.id)
    counts.update(memories=len(memories), replies=replies, threads=len(threads))
    return dict(counts)


async def finish_unfinished(library: Library) -> None:
    """Go on deleting what a killed process has left halfway; what another one works on is left to it."""
    for item in await library.pages.search(UNFINISHED, EVERY):
        with suppress(LibraryError, InUse, NotHeld):  # it is done by now, or the disk is full: all else can be read
            if document := await find_document_to_forget(library.pages, item.key):
                await forget_document(library, document, wait=False)
                continue
            async with hold_lock(library.store, f"{item.key}.lock", wait=False):
                if (await library.pages.get(UNFINISHED, [item.key]))[0] is not None:
                    await drop_document(library.pages, item.key)

"""Forget a document: its text, memories, recorded replies and checkpoints."""

from langgraph.store.base import PutOp

from readgraph.state.build_lock import building
from readgraph.state.library import Library
from readgraph.state.page_store import BATCH, PART, ROOT, PageStore, numbered
from readgraph.state.records import Document
from readgraph.state.reply_archive import recorded


async def forget_document(library: Library, document: Document) -> dict[str, int]:
    """Delete all that the library keeps of a document; gives how many memories, replies and threads that were.

    The record goes last: what was stopped halfway is still listed, and can be forgotten again.
    """
    pages = library.pages
    memories = await pages.memories(document.id)
    for memory in memories:
        async with building(pages.store, memory.id):
            numbers = [numbered(number) for number in range(memory.pages)]
            await _delete(pages, (ROOT, "pages", memory.id), numbers)
            await _delete(pages, (ROOT, "notes", memory.id), numbers)
            await _delete(pages, (ROOT, "memories", document.id), [memory.id])
    replies = [key async for key, _ in recorded(pages, document.id)]
    await pages.forget_replies(replies)
    threads = {
        saved.config["configurable"]["thread_id"]
        async for saved in library.checkpointer.alist(None, filter={"document": document.id})
    }
    for thread in threads:
        await library.checkpointer.adelete_thread(thread)
    parts = range(-(-document.characters // PART))
    await _delete(pages, (ROOT, "text", document.id), [numbered(part) for part in parts])
    groups = range(-(-document.places // BATCH))
    await _delete(pages, (ROOT, "places", document.id), [numbered(group) for group in groups])
    await _delete(pages, (ROOT, "documents"), [document.id])
    return {"memories": len(memories), "replies": len(replies), "threads": len(threads)}


async def _delete(pages: PageStore, namespace: tuple[str, ...], keys: list[str]) -> None:
    for first in range(0, len(keys), BATCH):
        await pages.store.abatch([PutOp(namespace, key, None) for key in keys[first : first + BATCH]])

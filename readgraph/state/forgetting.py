"""Forget a document: its text, memories, recorded replies and checkpoints."""

from collections import Counter

from readgraph.state.build_lock import building
from readgraph.state.collections import collections_with
from readgraph.state.library import Library
from readgraph.state.page_store import BATCH, PART, ROOT, numbered
from readgraph.state.records import Document
from readgraph.state.summary_tree import tree_ids


async def forget_document(library: Library, document: Document) -> dict[str, int]:
    """Delete all that the library keeps of a document; gives how many memories, replies and threads that were.

    The collections that hold it go too, and not their other documents. The record goes last: what was stopped
    halfway is still listed, and can be forgotten again.
    """
    pages = library.pages
    counts = Counter[str]()
    for collection in await collections_with(pages, document):
        counts.update(await forget_document(library, collection))
    memories = await pages.memories(document.id)
    for memory in memories:
        async with building(pages.store, memory.id):
            numbers = [numbered(number) for number in range(memory.pages)]
            await pages.delete((ROOT, "pages", memory.id), numbers)
            await pages.delete((ROOT, "notes", memory.id), numbers)
            await pages.delete((ROOT, "tree", memory.id), tree_ids(memory))
            await pages.delete((ROOT, "memories", document.id), [memory.id])
    replies = [key async for key, _ in pages.replies(document.id)]
    await pages.forget_replies(replies)
    threads = {
        saved.config["configurable"]["thread_id"]
        async for saved in library.checkpointer.alist(None, filter={"document": document.id})
    }
    for thread in threads:
        await library.checkpointer.adelete_thread(thread)
    parts = range(0 if document.parts else -(-document.characters // PART))
    await pages.delete((ROOT, "text", document.id), [numbered(part) for part in parts])
    groups = range(-(-document.places // BATCH))
    await pages.delete((ROOT, "places", document.id), [numbered(group) for group in groups])
    await pages.delete((ROOT, "documents"), [document.id])
    counts.update(memories=len(memories), replies=len(replies), threads=len(threads))
    return dict(counts)

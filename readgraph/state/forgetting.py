"""Forget a document: its text, sessions, memories, search indexes, recorded replies, embeddings and checkpoints."""

from collections import Counter

from readgraph.state.agent_lives import forget_agent
from readgraph.state.agents import AgentStore
from readgraph.state.build_lock import building
from readgraph.state.collections import collections_with
from readgraph.state.library import Library
from readgraph.state.page_store import PART, PageStore
from readgraph.state.records import Document
from readgraph.state.search.beside import indexes_beside
from readgraph.state.stored_items import BATCH, ROOT, numbered
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
            await (await indexes_beside(pages.store)).forget(memory)
            numbers = [numbered(number) for number in range(memory.pages)]
            await pages.delete((ROOT, "pages", memory.id), numbers)
            await pages.delete((ROOT, "notes", memory.id), numbers)
            await pages.delete((ROOT, "tree", memory.id), tree_ids(memory))
            await pages.delete((ROOT, "memories", document.id), [memory.id])
    replies = [key async for key, _ in pages.replies(document.id)]
    await pages.forget_replies(replies)
    await pages.forget_embeddings(document.id)
    threads = {
        saved.config["configurable"]["thread_id"]
        async for saved in library.checkpointer.alist(None, filter={"document": document.id})
    }
    for thread in threads:
        await library.checkpointer.adelete_thread(thread)
    for agent in await AgentStore(pages.store).agents(reading=document.id):
        await forget_agent(library, agent)
    async with building(pages.store, document.id):  # nobody appends to a history meanwhile
        document = await pages.document(document.id)
        parts = 0 if document.parts else -(-document.characters // PART)
        await _delete_numbered(pages, (ROOT, "text", document.id), parts)
        await _delete_numbered(pages, (ROOT, "places", document.id), -(-document.places // BATCH))
        await _delete_numbered(pages, (ROOT, "sessions", document.id), -(-document.sessions // BATCH))
        await pages.delete((ROOT, "documents"), [document.id])
    counts.update(memories=len(memories), replies=len(replies), threads=len(threads))
    return dict(counts)


async def _delete_numbered(pages: PageStore, namespace: tuple[str, ...], count: int) -> None:
    """Delete the first so many items, and those behind them that an append left which was stopped."""
    while (await pages.get(namespace, [numbered(count)]))[0]:
        count += 1
    await pages.delete(namespace, [numbered(number) for number in range(count)])

"""Forget a document: its text, memories, recorded replies and checkpoints."""

from readgraph.state.agent_lives import forget_agent
from readgraph.state.agents import AgentStore
from readgraph.state.build_lock import building
from readgraph.state.library import Library
from readgraph.state.page_store import BATCH, PART, ROOT, numbered
from readgraph.state.records import Document


async def forget_document(library: Library, document: Document) -> dict[str, int]:
    """Delete all that the library keeps of a document; gives how many memories, replies and threads that were.

    The record goes last: what was stopped halfway is still listed, and can be forgotten again.
    """
    pages = library.pages
    memories = await pages.memories(document.id)
    for memory in memories:
        async with building(pages.store, memory.id):
            numbers = [numbered(number) for number in range(memory.pages)]
            await pages.delete((ROOT, "pages", memory.id), numbers)
            await pages.delete((ROOT, "notes", memory.id), numbers)
            await pages.delete((ROOT, "memories", document.id), [memory.id])
    replies = [key async for key, _ in pages.replies(document.id)]
    await pages.forget_replies(replies)
    threads = {
        saved.config["configurable"]["thread_id"]
        async for saved in library.checkpointer.alist(None, filter={"document": document.id})
    }
    for thread in threads:
        await library.checkpointer.adelete_thread(thread)
    for agent in await AgentStore(pages.store).agents(reading=document.id):
        await forget_agent(library, agent)
    parts = range(-(-document.characters // PART))
    await pages.delete((ROOT, "text", document.id), [numbered(part) for part in parts])
    groups = range(-(-document.places // BATCH))
    await pages.delete((ROOT, "places", document.id), [numbered(group) for group in groups])
    await pages.delete((ROOT, "documents"), [document.id])
    return {"memories": len(memories), "replies": len(replies), "threads": len(threads)}

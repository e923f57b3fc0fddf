"""The pages of a document's memories by their numbers."""

from collections.abc import Sequence

from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory, Page


async def parts_numbered(
    pages: PageStore, document: Document, memories: Sequence[Memory], number: int
) -> list[Page | None]:
    """The page with this number in each memory, None where it has none; raises `BadInput` where no memory has it."""
    wanted = [[number] if 0 <= number < memory.pages else [] for memory in memories]
    parts = [next(iter(await pages.pages(memory.id, one)), None) for memory, one in zip(memories, wanted, strict=True)]
    if not any(parts):
        last = max(memory.pages for memory in memories) - 1
        numbers = f"its parts are 0 to {last}" if last > 0 else "its only part is 0"
        raise BadInput(f"'{document.title}' has no part {number}: {numbers}.")
    return parts

"""The memories of a document that a command shows, their methods by name, and their pages by number."""

from collections.abc import Sequence

from readgraph.graphs.method import Method
from readgraph.graphs.methods import METHODS, NAMED_OTHERWISE, builder_of
from readgraph.library.page_store import PageStore
from readgraph.state.errors import BadInput, Way
from readgraph.state.records import Document, Memory, Page

READ_IT = Way("readgraph read FILE", tool="call read", page="add a document, and ask about it")
LONGEST_PURPOSE = 200  # characters of a purpose that are shown beside the method


def method_of(memory: Memory) -> str:
    """The name of the method that built a memory."""
    return NAMED_OTHERWISE.get(memory.recipe.method, memory.recipe.method)


def note_of(memory: Memory) -> str:
    """The method's own word for the note of a page: gist, summary, memo."""
    return METHODS[memory.recipe.method].note if memory.recipe.method in METHODS else "note"


async def memories_to_show(
    store: PageStore, document: Document, method: Method | None, purpose: str | None = None
) -> list[Memory]:
    """The memories of a document: those with pages first, the newest of them first.

    `method`: only this method's; `purpose`: only those whose purpose has these words, or that have none where it is "".
    Raises `BadInput` where there is none.
    """
    memories = await store.memories(document.id)
    if not memories:
        raise BadInput(f"'{document.title}' has not been read yet: ", READ_IT)
    builder = builder_of(method) if method else None
    chosen = [memory for memory in memories if builder in (None, method_of(memory))]
    if method and not chosen:
        kept = ", ".join(sorted({method_of(memory) for memory in memories}))
        raise BadInput(
            f"'{document.title}' has not been read with {method.name}: the library holds memories of {kept}."
        )
    serving = [memory for memory in chosen if purpose is None or _serves(memory, purpose)]
    if not serving:
        kept = "; ".join(sorted({_shorten_purpose(memory.recipe.purpose) or "no purpose" for memory in chosen}))
        wanted = _shorten_purpose(purpose or "")
        raise BadInput(f"'{document.title}' has no memory for '{wanted}': the library holds memories for {kept}.")
    return newest_first(serving)


def _serves(memory: Memory, purpose: str) -> bool:
    served = memory.recipe.purpose
    return purpose.casefold() in served.casefold() if purpose else not served


def describe_memory(memory: Memory) -> str:
    """How a memory was made, in words: the method, and what the notes are for, if it is long then its beginning."""
    shown = _shorten_purpose(memory.recipe.purpose)
    return method_of(memory) + (f" for {shown}" if shown else "")


def _shorten_purpose(purpose: str) -> str:
    return purpose if len(purpose) <= LONGEST_PURPOSE else f"{purpose[:LONGEST_PURPOSE]}…"


def newest_first(memories: Sequence[Memory]) -> list[Memory]:
    """Those with pages first, the newest of them first."""
    return sorted(memories, key=lambda memory: (memory.pages > 0, memory.started), reverse=True)


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

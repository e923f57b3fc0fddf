"""The memories of a document that a command shows, and their methods by the names that `--method` takes."""

from collections.abc import Sequence

from readgraph.graphs.methods import builder_of, method_named
from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory

NAMED_OTHERWISE = {"segments": "bm25"}
"""Names in recipes that are not the names of methods."""


def method_of(memory: Memory) -> str:
    """The name of the method that built a memory."""
    return NAMED_OTHERWISE.get(memory.recipe.method, memory.recipe.method)


async def memories_to_show(store: PageStore, document: Document, method: str | None) -> list[Memory]:
    """The memories of a document, of this method if one is named: those with pages first, the newest of them first.

    Raises `BadInput` where there is none.
    """
    memories = await store.memories(document.id)
    if not memories:
        raise BadInput(f"'{document.title}' has not been read yet: readgraph read FILE")
    builder = builder_of(method_named(method).name) if method else None
    chosen = [memory for memory in memories if builder in (None, method_of(memory))]
    if not chosen:
        kept = ", ".join(sorted({method_of(memory) for memory in memories}))
        raise BadInput(f"'{document.title}' has not been read with {method}: the library holds memories of {kept}.")
    return newest_first(chosen)


def newest_first(memories: Sequence[Memory]) -> list[Memory]:
    """Those with pages first, the newest of them first."""
    return sorted(memories, key=lambda memory: (memory.pages > 0, memory.started), reverse=True)

"""The notes and summaries of a memory's tree as single texts, of which a question may see some (collapsed tree)."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from langgraph.runtime import Runtime

from readgraph.nodes.memory_view import MemoryView, remembered, view_memory
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.summary_tree import TreeShape, node_id, tree_ids

__all__ = ["flat_tree", "view_nodes"]


@dataclass(frozen=True, slots=True)
class Summary:
    """A node of the tree: the pages below it, its text and the text's words."""

    pages: range
    text: str
    words: int


async def summaries_of(runtime: Runtime[ReaderContext], document: str, memory: str) -> dict[str, Summary]:
    """All nodes of a memory's tree by their ids: the notes of pages ("0.3"), then the summaries above them."""
    store, (_, kept) = page_store(runtime), await remembered(runtime, document, memory)
    notes = await store.notes(kept.id, range(kept.pages))
    found = {node_id(0, note.page): Summary(range(note.page, note.page + 1), note.text, note.words) for note in notes}
    for node in await store.tree_nodes(kept.id, tree_ids(kept)):
        found[node.id] = Summary(TreeShape.planned(kept).pages(node.id), node.text, node.words)
    return found


async def flat_tree(runtime: Runtime[ReaderContext], document: str, memory: str) -> dict[str | int, str]:
    """The text of every page by its number and, with a model, that of every node of the tree by its id."""
    store, (described, kept) = page_store(runtime), await remembered(runtime, document, memory)
    pages = await store.pages(kept.id, range(kept.pages))
    texts = await store.spans(described, [(page.start, page.end) for page in pages])
    nodes = await summaries_of(runtime, document, memory) if runtime.context.model else {}
    of_pages: dict[str | int, str] = dict(zip((page.number for page in pages), texts, strict=True))
    return of_pages | {name: node.text for name, node in nodes.items()}


async def view_nodes(
    runtime: Runtime[ReaderContext], document: str, memory: str, pages: list[int], nodes: Collection[str]
) -> MemoryView:
    """A view of these pages in full and of these nodes of the tree, and of nothing else."""
    view = await view_memory(runtime, document, memory, pages)
    summaries = await summaries_of(runtime, document, memory)
    return replace(view, notes={}, older=[summaries[node] for node in nodes if node in summaries])

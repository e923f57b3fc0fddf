"""MemWalker and GAM as compression engines: the level of the tree that fits, or the memos of the pages."""

from typing import Any

from langgraph.graph import StateGraph

from readgraph.compression.condensing import Condenser, notes_of
from readgraph.compression.engine import GROUP_WORDS, LEAST_SHARE, CompressionEngine, gist_of
from readgraph.graphs import gam, mem_walker
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Memory
from readgraph.state.summary_tree import node_id


class MemWalkerTreeEngine(CompressionEngine):
    """MemWalker's tree of summaries: the most detailed level that fits the budget; for a query, the walk's answer."""

    id, line = "memwalker_tree", "MemWalker: the most detailed level of its tree of summaries that fits."

    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """MemWalker's graph."""
        return mem_walker.build()

    def condenser(self) -> Condenser:
        """Where even the root is too long, it is shortened."""
        return Condenser(tree_levels, gist_of, GROUP_WORDS, LEAST_SHARE)


class GamMemosEngine(CompressionEngine):
    """GAM's memos of the pages; for a query, the answer of its research."""

    id, line = "gam_memos", "GAM: the memos of all pages; for a query, what its research finds."

    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """GAM's graph."""
        return gam.build()


async def tree_levels(store: PageStore, memory: Memory) -> list[list[str]]:
    """The texts of a tree's levels, from the leaves to the highest level that was grown."""
    levels = await notes_of(store, memory)
    for level, count in enumerate(memory.levels, 1):
        nodes = await store.tree_nodes(memory.id, [node_id(level, number) for number in range(count)])
        levels.append([node.text for node in nodes])
    return levels

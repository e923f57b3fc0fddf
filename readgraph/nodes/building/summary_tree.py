"""Grow the tree of summaries above a memory's segments, level by level (MemWalker, section 3).

Each node is kept when it is made and each level is counted when it is complete, so a killed build continues where it
stopped. If text was appended, the prompts for the groups on the left are the same as before: the reply cache answers
them, and only the right edge of the tree is paid for.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.models.batches.batched_calls import workers_for
from readgraph.models.metering import current_meter
from readgraph.nodes.building.asked_purpose import PurposeState, for_question
from readgraph.nodes.building.notes_language import writing_notes
from readgraph.nodes.building.summaries import Compress, compress, compress_by_extract
from readgraph.nodes.step import StepNode, Work
from readgraph.nodes.tasks import failing_as_one
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BudgetSpent, ReadgraphError
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.reading import Usage
from readgraph.state.records import Memory, TreeNode
from readgraph.state.settings import Language, Purpose, Tree
from readgraph.state.store.build_lock import building
from readgraph.state.store.stored_items import ROOT
from readgraph.state.summary_tree import TreeShape, is_leaf, node_id, page_of, tree_ids
from readgraph.state.words import count_words

__all__ = ["grow"]


class GrowState(PurposeState):
    """What growing reads."""

    document: str
    memory: str
    usage: NotRequired[Usage]


class GrowUpdate(TypedDict):
    """What growing writes; the tree itself goes into the page store."""

    step_summary: str


def grow_with(compress: Compress) -> Work[GrowState, GrowUpdate]:
    """The work of a node that grows the tree, or uses the existing one.

    If the budget runs out, the tree stays unfinished, and the next reading continues it.
    """

    async def grow(state: GrowState, runtime: Runtime[ReaderContext]) -> GrowUpdate:
        """Grow the tree of summaries above the segments, level by level."""
        memory = await page_store(runtime).memory(state["document"], state["memory"])
        return await _grown(memory, compress, for_question(state, runtime))

    return grow


async def _grown(memory: Memory, compress: Compress, runtime: Runtime[ReaderContext]) -> GrowUpdate:
    if not memory.complete:
        return {"step_summary": "grew no tree: segments wait for their summaries"}
    counts = TreeShape.planned(memory).counts
    if memory.levels == counts[1:]:
        return {"step_summary": f"took the tree of {_described(counts)}"}
    store = page_store(runtime)
    _, writing = await writing_notes(memory.recipe, await store.document(memory.document), runtime)
    async with building(store.store, memory.id):
        memory = await store.memory(memory.document, memory.id)
        grown = await _Growth(store, writing, compress, memory).complete()
    whole = grown.levels == counts[1:]
    return {"step_summary": f"grew a tree of {_described(counts)}" if whole else "grew a part of the tree"}


async def without_tree(store: PageStore, memory: Memory) -> Memory:
    """The memory without the tree above its pages, which grows again when a history has grown: its right edge changes.

    The other groups have the same prompts as before, so their recorded replies answer.
    """
    await store.delete((ROOT, "tree", memory.id), tree_ids(memory))
    return replace(memory, levels=(), branches=(), headings=())


async def grow_without_model(state: GrowState, runtime: Runtime[ReaderContext]) -> GrowUpdate:
    """Grow the tree of a memory that was built without a model; other trees wait for their model or a new budget."""
    memory = await page_store(runtime).memory(state["document"], state["memory"])
    if memory.recipe.model:
        return {"step_summary": "grew no tree: it waits for its model"}
    return await _grown(memory, compress_by_extract, for_question(state, runtime))


def _described(counts: tuple[int, ...]) -> str:
    return " + ".join(f"{count:,}" for count in counts) + " nodes"


@dataclass
class _Growth:
    """One build of a tree. After a failure nothing new is started; calls in flight are finished and kept."""

    store: PageStore
    runtime: Runtime[ReaderContext]
    compress: Compress
    memory: Memory
    stopped_by: ReadgraphError | None = None

    def __post_init__(self) -> None:
        self.shape = TreeShape.planned(self.memory)
        self.nodes = sum(self.memory.levels)

    async def complete(self) -> Memory:
        """Grow the missing levels."""
        for level in range(len(self.memory.levels) + 1, len(self.shape.counts)):
            await self._grow(level)
            if self.stopped_by:
                break
            self.memory = replace(self.memory, levels=(*self.memory.levels, self.shape.counts[level]))
            await self.store.put_memory(self.memory)
        if self.stopped_by and not isinstance(self.stopped_by, BudgetSpent):
            raise self.stopped_by
        return self.memory

    async def _grow(self, level: int) -> None:
        ids = [node_id(level, number) for number in range(self.shape.counts[level])]
        known = {node.id for node in await self.store.tree_nodes(self.memory.id, ids)}
        missing = [node for node in ids if node not in known]
        below = await self._texts([child for node in missing for child in self.shape.children(node)])
        self.nodes += len(known)
        waiting = iter(missing)

        async def write_nodes() -> None:
            for node in waiting:
                if self.stopped_by:
                    return
                try:
                    written = await self._written(node, [below[child] for child in self.shape.children(node)])
                except ReadgraphError as problem:
                    self.stopped_by = self.stopped_by or problem
                    return
                await self.store.put_tree_node(self.memory.id, written)
                self._tell()

        with failing_as_one():
            async with asyncio.TaskGroup() as tasks:
                for _ in range(workers_for(self.runtime.context, len(missing))):
                    tasks.create_task(write_nodes())

    async def _texts(self, wanted: list[str]) -> dict[str, str]:
        """The texts of these nodes, under their headings where they have some, by their ids."""
        notes = await self.store.notes(self.memory.id, [page_of(node) for node in wanted if is_leaf(node)])
        above = await self.store.tree_nodes(self.memory.id, [node for node in wanted if not is_leaf(node)])
        texts = {node_id(0, note.page): note.text for note in notes} | {node.id: node.text for node in above}
        return {node: self.shape.titled(node, text) for node, text in texts.items()}

    async def _written(self, node: str, texts: list[str]) -> TreeNode:
        """The children's texts joined, or compressed if they are too long together."""
        joined = "\n\n".join(texts)
        if (words := count_words(joined)) <= self.runtime.context.node_words:
            return TreeNode(node, joined, words)
        text, fallback = await self.compress(texts, self.runtime)
        return TreeNode(node, text, count_words(text), compressed=True, fallback=fallback)

    def _tell(self) -> None:
        self.nodes += 1
        notes = self.memory.pages + self.nodes
        sizes = {"done": self.nodes, "of": sum(self.shape.counts[1:]), "pages": self.memory.pages, "notes": notes}
        current_meter().report(memory=self.memory.id, **sizes)


grow = StepNode(
    grow_with(compress),
    without_model=grow_without_model,
    builds=True,
    settings=(Tree, Purpose, Language),
    needs=("children",),
)

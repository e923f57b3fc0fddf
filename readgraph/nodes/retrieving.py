"""Look-up by retrieval: the pages that rank first for the question, without asking a model."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from langgraph.runtime import Runtime

from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.extractive import choose_pages, query_of, ranked_pages
from readgraph.nodes.fusing import DEPTH, fuse
from readgraph.nodes.memory_text import listed, remembered, view_memory
from readgraph.nodes.search_tools import Tools, memory_tools
from readgraph.nodes.step import StepNode, Work
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

Rank = Callable[[LookUpState, Runtime[ReaderContext]], Awaitable[list[int]]]
"""Gives the numbers of a memory's pages, the best first; pages that don't match may be left out."""


def retrieving(rank: Rank, told: str, without_model: Work[LookUpState] | None = None) -> StepNode[LookUpState]:
    """The look-up that reads the pages that rank first; `told` says in the trajectory how they were ranked."""

    async def retrieve(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
        """The pages that rank first, at most `max_pages`, while they fit the window beside the notes.

        They stand in the document's order. Pages that don't match come last, the first ones first. Pages that were
        chosen before (by a person at an interrupt) stay.
        """
        read = state["pages_read"]
        view = await view_memory(runtime, state["document"], state["memory"], read)
        ranked = dict.fromkeys([*await rank(state, runtime), *(page.number for page in view.pages)])
        wanted = [page for page in ranked if page not in read][: max(0, runtime.context.max_pages - len(read))]
        pages = sorted(view.fitting(wanted, runtime.context.window_words))
        return {"pages_read": [*read, *pages], "looking": False, "did": f"{listed(pages)}: {told}"}

    return StepNode(retrieve, without_model)


async def by_words(state: LookUpState, runtime: Runtime[ReaderContext]) -> list[int]:
    """Ranked by Okapi BM25 over the memory's pages."""
    return [page for page, _ in await ranked_pages(state, runtime)]


async def by_vectors(state: LookUpState, runtime: Runtime[ReaderContext]) -> list[int]:
    """Ranked by their embeddings; raises `BadInput` where the context names no embedding model."""
    tools = await _tools(state, runtime)
    return await tools["vector"].find(query_of(state), runtime.context.max_pages)


async def by_both(state: LookUpState, runtime: Runtime[ReaderContext]) -> list[int]:
    """Ranked by words and by embeddings, the two rankings fused; raises `BadInput` as `by_vectors`."""
    tools = await _tools(state, runtime)
    depth = max(DEPTH, runtime.context.max_pages)
    found = await asyncio.gather(*(tools[name].find(query_of(state), depth) for name in ("keyword", "vector")))
    return [page for page, _ in fuse(found, depth)]


async def _tools(state: LookUpState, runtime: Runtime[ReaderContext]) -> Tools:
    if not runtime.context.embeddings:
        raise BadInput("This look-up needs an embedding model: name one (embeddings), or take a method without.")
    both = runtime.override(context=replace(runtime.context, tools=("keyword", "vector")))
    return await memory_tools(both, *await remembered(both, state["document"], state["memory"]))


retrieve = retrieving(by_words, "ranked by keywords", without_model=choose_pages)
retrieve_by_vectors = retrieving(by_vectors, "ranked by embeddings")
retrieve_by_both = retrieving(by_both, "ranked by keywords and embeddings")

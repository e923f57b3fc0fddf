"""Look-up by retrieval: the pages that rank first for the question, without asking a model."""

from dataclasses import replace

from langgraph.runtime import Runtime

from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.extractive import query_of
from readgraph.nodes.look_up.by_model import nearest_pages
from readgraph.nodes.memory_view import listed, remembered, view_memory
from readgraph.nodes.search_tools import Tools, memory_tools, ranker_of, stand_in
from readgraph.nodes.searching import Bounds, Found, Search, fused_hits, searching
from readgraph.nodes.step import StepNode, Work
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.page_store import page_store
from readgraph.state.search.entries import PARTS, Part
from readgraph.state.search.fusing import DEPTH
from readgraph.state.settings import Embeddings, PagesRead, Ranking, Retrieval, Segments, Window

__all__ = ["retrieve"]


def retrieving(
    rankers: tuple[str, ...], reason: str, without_model: Work[LookUpState, LookUpUpdate] | None = None
) -> StepNode[LookUpState, LookUpUpdate]:
    """A look-up that reads the pages that rank first; `reason` explains the ranking in the trajectory.

    `rankers`: some of okapi, keyword and vector; vector raises `BadInput` if there is no embedding model.
    """

    async def ranked(state: LookUpState, runtime: Runtime[ReaderContext]) -> Search[LookUpUpdate]:
        """The segments that rank first; with `cut_segments` also those that don't fit, which the answer then cuts."""
        tools = await _opened(rankers, state, runtime)
        return await _ranked(state, runtime, tools, reason, cut=runtime.context.cut_segments)

    embedding = (Embeddings,) if "vector" in rankers else ()
    return searching(ranked, without_model, settings=(PagesRead, Window, Segments, *embedding))


async def ranked_parts(state: LookUpState, runtime: Runtime[ReaderContext]) -> Search[LookUpUpdate]:
    """ReadAgent's pages that rank first: their texts or their gists, by words, by embeddings, or by both."""
    context = runtime.context
    rankers, reason = RANKINGS[context.ranking]
    if context.rank_gists:
        rankers = tuple("keyword" if name == "okapi" else name for name in rankers)
    tools = await _opened(rankers, state, runtime, ("memo",) if context.rank_gists else ("page",))
    reason = f"the gists {reason}" if context.rank_gists else reason
    return await _ranked(state, runtime, tools, reason, notes=context.show_gists)


async def retrieve_parts_without_model(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """Without a model: the same; where texts are ranked by keywords, only the pages that share words."""
    by_words = runtime.context.ranking == "keywords" and not runtime.context.rank_gists
    return await (nearest_pages if by_words else retrieve_parts.work)(state, runtime)


async def _ranked(
    state: LookUpState,
    runtime: Runtime[ReaderContext],
    tools: Tools,
    reason: str,
    *,
    notes: bool = True,
    cut: bool = False,
) -> Search[LookUpUpdate]:
    """The pages that rank first, at most `max_pages`, as long as they fit the window together with the notes.

    The model sees them in the document's order. Pages that don't match rank last, in their order. Pages that were
    already chosen (by a person at an interrupt) stay. Without `notes` the pages stand alone; with `cut` all may stay.
    """
    read = state["pages_read"]
    view = await view_memory(runtime, state["document"], state["memory"], read)
    view = view if notes else view.without_notes()
    room = content_room(runtime.context, state["question_text"], state["choices"])

    def those_that_fit(found: Found) -> LookUpUpdate:
        nearest = [hit["page"] for hit in fused_hits(found)]
        every = dict.fromkeys([*nearest, *(page.number for page in view.pages)])
        wanted = [page for page in every if page not in read][: max(0, runtime.context.max_pages - len(read))]
        pages = sorted(wanted if cut else view.fitting(wanted, room))
        did = f"{listed(pages)}: {reason}"
        return {"pages_read": [*read, *pages], "continue_search": False, "step_summary": did}

    return Search(tools, {name: [query_of(state)] for name in tools}, Bounds(DEPTH), those_that_fit)


async def _opened(
    rankers: tuple[str, ...], state: LookUpState, runtime: Runtime[ReaderContext], parts: tuple[Part, ...] = PARTS
) -> Tools:
    document, memory = await remembered(runtime, state["document"], state["memory"])
    store = page_store(runtime)
    if rankers == ("okapi",):
        return {"okapi": ranker_of(store, document, memory)}
    embedded = runtime.context.embeddings or stand_in("vector", store, document, memory)
    if "vector" in rankers and not embedded:
        raise BadInput("This look-up needs an embedding model: name one (embeddings), or take a method without.")
    both = replace(runtime.context, tools=("keyword", "vector"))
    tools = await memory_tools(runtime.override(context=both), document, memory, parts)
    return {name: tools[name] for name in rankers}


RANKINGS: dict[Ranking, tuple[tuple[str, ...], str]] = {
    "keywords": (("okapi",), "ranked by keywords"),
    "embeddings": (("vector",), "ranked by embeddings"),
    "both": (("keyword", "vector"), "ranked by keywords and embeddings"),
}
"""The rankers of each ranking, and how the trajectory explains it."""

retrieve = retrieving(*RANKINGS["keywords"], without_model=nearest_pages)
retrieve_by_vectors = retrieving(*RANKINGS["embeddings"])
retrieve_by_both = retrieving(*RANKINGS["both"])
retrieve_parts = searching(
    ranked_parts, retrieve_parts_without_model, settings=(PagesRead, Window, Retrieval, Embeddings)
)

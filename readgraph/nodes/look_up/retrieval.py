"""Look-up by retrieval: the pages that rank first for the question, without asking a model."""

from dataclasses import replace

from langgraph.runtime import Runtime

from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.extractive import query_of
from readgraph.nodes.look_up.by_model import look_up_pages_without_model
from readgraph.nodes.memory_view import listed, remembered, view_memory
from readgraph.nodes.search_tools import OkapiTool, Tools, memory_tools
from readgraph.nodes.searching import Bounds, Found, Search, fused_hits, searching
from readgraph.nodes.step import StepNode, Work
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.page_store import page_store
from readgraph.state.search.fusing import DEPTH
from readgraph.state.settings import Embeddings, PagesRead, Window


def retrieving(
    rankers: tuple[str, ...], reason: str, without_model: Work[LookUpState, LookUpUpdate] | None = None
) -> StepNode[LookUpState, LookUpUpdate]:
    """A look-up that reads the pages that rank first; `reason` explains the ranking in the trajectory.

    `rankers`: some of okapi, keyword and vector; vector raises `BadInput` if there is no embedding model.
    """

    async def ranked(state: LookUpState, runtime: Runtime[ReaderContext]) -> Search[LookUpUpdate]:
        """The pages that rank first, at most `max_pages`, as long as they fit the window together with the notes.

        The model sees them in the document's order. Pages that don't match rank last, in their order. Pages that were
        already chosen (by a person at an interrupt) stay.
        """
        read = state["pages_read"]
        view = await view_memory(runtime, state["document"], state["memory"], read)
        depth = max(DEPTH, runtime.context.max_pages)

        def those_that_fit(found: Found) -> LookUpUpdate:
            nearest = [hit["page"] for hit in fused_hits(found, depth)]
            every = dict.fromkeys([*nearest, *(page.number for page in view.pages)])
            wanted = [page for page in every if page not in read][: max(0, runtime.context.max_pages - len(read))]
            pages = sorted(view.fitting(wanted, runtime.context.window_words))
            return {
                "pages_read": [*read, *pages],
                "continue_search": False,
                "step_summary": f"{listed(pages)}: {reason}",
            }

        queries = {name: [query_of(state)] for name in rankers}
        tools = await _opened(rankers, state, runtime)
        return Search(tools, queries, Bounds(depth, depth, depth=depth), those_that_fit)

    embedding = (Embeddings,) if "vector" in rankers else ()
    return searching(ranked, without_model, settings=(PagesRead, Window, *embedding))


async def _opened(rankers: tuple[str, ...], state: LookUpState, runtime: Runtime[ReaderContext]) -> Tools:
    document, memory = await remembered(runtime, state["document"], state["memory"])
    if rankers == ("okapi",):
        return {"okapi": OkapiTool(page_store(runtime), document, memory)}
    if not runtime.context.embeddings:
        raise BadInput("This look-up needs an embedding model: name one (embeddings), or take a method without.")
    both = replace(runtime.context, tools=("keyword", "vector"))
    return await memory_tools(runtime.override(context=both), document, memory)


retrieve = retrieving(("okapi",), "ranked by keywords", without_model=look_up_pages_without_model)
retrieve_by_vectors = retrieving(("vector",), "ranked by embeddings")
retrieve_by_both = retrieving(("keyword", "vector"), "ranked by keywords and embeddings")

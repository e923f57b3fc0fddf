"""Look-up by retrieval: the pages that share most with the question, without asking a model."""

from langgraph.runtime import Runtime

from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.extractive import choose_pages, ranked_pages
from readgraph.nodes.memory_text import listed, view_memory
from readgraph.nodes.step import step_with
from readgraph.state.context import ReaderContext


@step_with(without_model=choose_pages)
async def retrieve(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """The pages that BM25 ranks first, at most `max_pages`, while they fit the window beside the notes.

    They stand in the document's order. Pages that share no word with the question come last, the first ones first.
    Pages that were chosen before (by a person at an interrupt) stay.
    """
    read = state["pages_read"]
    view = await view_memory(runtime, state["document"], state["memory"], read)
    found = [page for page, _ in await ranked_pages(state, runtime)]
    ranked = dict.fromkeys([*found, *(page.number for page in view.pages)])
    wanted = [page for page in ranked if page not in read][: max(0, runtime.context.max_pages - len(read))]
    pages = sorted(view.fitting(wanted, runtime.context.window_words))
    return {"pages_read": [*read, *pages], "looking": False, "did": f"{listed(pages)}: ranked by keywords"}

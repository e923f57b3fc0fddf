"""Look-up of the beginning: the first pages, as many as fit, for what reads a text cut to the window."""

from langgraph.runtime import Runtime

from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.memory_view import listed, view_memory
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.settings import Window


async def lead(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """Read the pages from the first one on, as many as fit the window."""
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    room = content_room(runtime.context, state["question_text"], state["choices"])
    pages = view.fitting([page.number for page in view.pages], room)
    did = f"{listed(pages)}: from the beginning, as many as fit"
    return {"pages_read": pages, "continue_search": False, "step_summary": did}


leading_pages = StepNode(lead, settings=(Window,))

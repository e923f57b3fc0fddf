"""Look-ups that don't depend on the question: no page, every page, the first, the last."""

from collections.abc import Callable, Iterable

from langgraph.runtime import Runtime

from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.memory_view import memory_pages
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext


def looking_at(choose: Callable[[int], Iterable[int]], summary: str) -> StepNode[LookUpState, LookUpUpdate]:
    """A look-up that reads the pages chosen from the number of pages; pages that were already chosen stay."""

    async def look_up(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
        """Read the same pages for every question."""
        _, pages = await memory_pages(runtime, state["document"], state["memory"])
        read = state["pages_read"]
        return {
            "pages_read": [*read, *(page for page in choose(len(pages)) if page not in read)],
            "continue_search": False,
            "step_summary": summary,
        }

    return StepNode(look_up)


no_page = looking_at(lambda pages: [], "no part: the notes alone must do")
every_page = looking_at(lambda pages: range(pages), "every part")
first_page = looking_at(lambda pages: range(pages)[:1], "the beginning of the text")
last_page = looking_at(lambda pages: range(pages)[-1:], "the end of the text")

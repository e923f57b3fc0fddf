"""How much of the text was read: written by the answer of every walk, whatever is in its view."""

from langgraph.runtime import Runtime

from readgraph.nodes.contracts import AnswerUpdate, AskedState
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.records import Document


class WalkAnswer(AnswerUpdate):
    """What the answer of a walk writes: also the share of the text's words on the pages read."""

    percent_read: float


async def percent_read(state: AskedState, runtime: Runtime[ReaderContext], document: Document) -> float:
    """The share of the text's words on the pages read."""
    pages = await page_store(runtime).pages(state["memory"], state["pages_read"])
    return round(100 * sum(page.words for page in pages) / max(document.words, 1), 2)

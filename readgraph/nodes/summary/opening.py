"""Begin a summary: open its document, and take in which part of it is wanted."""

from typing import NotRequired

from langgraph.runtime import Runtime

from readgraph.nodes.opening import Opened, OpenState, open_document
from readgraph.nodes.step import step_with
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.summary import PartOfText, ShownPart


class SummaryOpenState(OpenState):
    """What opening reads: as for a question, and the part."""

    part: NotRequired[str | None]


class SummaryOpened(Opened):
    """What opening writes."""

    part_wanted: str
    parts: list[PartOfText]
    shown: list[ShownPart]


@step_with(starts_question=True)
async def open_summary(state: SummaryOpenState, runtime: Runtime[ReaderContext]) -> SummaryOpened:
    """Open the document. Raises `BadInput` for a part that is empty or no string, and as for a question."""
    part = state.get("part")
    if not isinstance(part, str | None):
        raise BadInput(f"The input's 'part' must be a string, not {type(part).__name__}.")
    if part is not None and not part.strip():
        raise BadInput("The part is empty: name one, or leave it out to summarise all of the text.")
    opened = await open_document.work(state, runtime)
    return {
        **opened,
        "part_wanted": (part or "").strip(),
        "parts": [],
        "shown": [],
    }

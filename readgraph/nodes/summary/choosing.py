"""Choose what a summary is made from: the notes of a text, or of a part of it, and pages that are needed in full."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.memory_view import remembered
from readgraph.nodes.step import step_with
from readgraph.nodes.summary.named_part import named_part
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.records import Document, Memory, Page
from readgraph.state.settings import SummaryForm
from readgraph.state.summary import PartOfText, ShownPart
from readgraph.state.words import counted

CONDENSED = 2
"""Notes are enough where they have this many times the words of the summary; else pages are shown in full."""


class ChooseState(TypedDict):
    """What choosing reads."""

    document: str
    memory: str
    part_wanted: str


class ChooseUpdate(TypedDict):
    """What choosing writes; `pages_read` are the pages in full."""

    parts: list[PartOfText]
    shown: list[ShownPart]
    pages_read: list[int]
    step_summary: str


@step_with(settings=(SummaryForm,))
async def choose(state: ChooseState, runtime: Runtime[ReaderContext]) -> ChooseUpdate:
    """Choose the notes of the pages in the part. Pages without a note, and those on its edge, are shown themselves.

    Of a page on the edge only what belongs to the part counts. Where the notes have few words for the wanted length,
    all pages are shown.
    """
    store = page_store(runtime)
    document, memory = await remembered(runtime, state["document"], state["memory"])
    parts = await _parts(state["part_wanted"], document, memory, runtime)
    pages = await store.pages(memory.id, range(memory.pages))
    sizes = {note.page: note.words for note in await store.notes(memory.id, range(memory.pages)) if note.text.strip()}
    spans = [(part["start"], part["end"]) for part in parts] or [(0, document.characters)]
    shown = [each for page in pages if (each := _within(page, spans))]
    words = sum(sizes.get(each["page"], 0) for each in shown)
    if words < CONDENSED * runtime.context.summary_words:
        shown = [{**each, "full": True} for each in shown]
    shown = [{**each, "full": each["full"] or each["page"] not in sizes} for each in shown]
    full = [each["page"] for each in shown if each["full"]]
    did = f"{counted(len(shown), 'part')} of {memory.pages}, {len(full)} in full"
    return {"parts": parts, "shown": shown, "pages_read": full, "step_summary": did}


async def _parts(wanted: str, document: Document, memory: Memory, runtime: Runtime[ReaderContext]) -> list[PartOfText]:
    if not wanted:
        return []
    found = await named_part(page_store(runtime), document, memory, wanted)
    return [PartOfText(name=name, start=start, end=end) for name, start, end in found]


def _within(page: Page, spans: list[tuple[int, int]]) -> ShownPart | None:
    """What a summary shows of a page: all of it, what lies in the first of the spans that it holds, or nothing."""
    for begin, stop in spans:
        start, end = max(page.start, begin), min(page.end, stop)
        if start < end:
            whole = (start, end) == (page.start, page.end)
            return ShownPart(page=page.number, start=start, end=end, full=not whole)
    return None

"""Begin a summary: open its document, take its notes, and choose which of these, and which pages, it is made from."""

from typing import NotRequired

from readgraph.features.summary.settings import SummaryForm
from readgraph.features.summary.state import PartOfText, SummaryPart
from readgraph.library.page_store import PageStore, page_store
from readgraph.nodes.building.build import ReadState, ReadUpdate
from readgraph.nodes.building.recipes import for_question, resolve_notes_language
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.memory import MemoryState, load_memory
from readgraph.nodes.named_parts import find_named_part
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.step import StepNode, node
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, Memory, Page, Recipe
from readgraph.state.words import format_count


class SummaryOpenState(OpenState):
    """What opening reads: as for a question, and the part."""

    part: NotRequired[str | None]


class SummaryOpenUpdate(OpenUpdate):
    part_wanted: str
    parts: list[PartOfText]
    shown: list[SummaryPart]


@node(starts_question=True)
async def open_summary(state: SummaryOpenState, runtime: ReaderRuntime) -> SummaryOpenUpdate:
    """Open the document. Raises `BadInput` for a part that is empty or no string, and as for a question."""
    part = state.get("part")
    if not isinstance(part, str | None):
        raise BadInput(f"The input's 'part' must be a string, not {type(part).__name__}.")
    if part is not None and not part.strip():
        raise BadInput("The part is empty: name one, or leave it out to summarise all of the text.")
    opened = await open_document(state, runtime)
    return {**opened, "part_wanted": (part or "").strip(), "parts": [], "shown": []}


NOTED = ("read-agent", "mem-walker", "outline-walk", "gam")  # in recipes, whose notes tell what stands on a page


def make_read_if_needed(read: StepNode[ReadState, ReadUpdate]) -> StepNode[ReadState, ReadUpdate]:
    """The node that reads a document without notes, or to `rebuild` it; whole ones of any method and size serve."""
    recipe, without = read.recipe, read.without_model
    assert recipe and without, "it builds a memory, with a model and without"

    async def find_memory(state: ReadState, runtime: ReaderRuntime) -> Memory | None:
        if runtime.context.rebuild:
            return None
        store, context = page_store(runtime), for_question(state, runtime).context
        document = await store.document(state["document"])
        return await memory_there(store, document, context, recipe(context))

    async def read_where_needed(state: ReadState, runtime: ReaderRuntime) -> ReadUpdate:
        if memory := await find_memory(state, runtime):
            said = f"took the memory of {format_count(memory.pages, 'part')} by {memory.recipe.method}"
            return {"memory": memory.id, "step_summary": said}
        return await read.work(state, runtime)

    async def read_without_model(state: ReadState, runtime: ReaderRuntime) -> ReadUpdate:
        if not runtime.context.model and (memory := await find_memory(state, runtime)):
            return {"memory": memory.id, "step_summary": f"took the memory of {format_count(memory.pages, 'part')}"}
        return await without(state, runtime)

    as_node = node(without_model=read_without_model, builds=True, settings=read.settings, recipe=recipe)
    return as_node(read_where_needed)


async def memory_there(store: PageStore, document: Document, context: ReaderContext, recipe: Recipe) -> Memory | None:
    """The memory that serves in place of one with this recipe; None where there is none, or that one is begun."""
    wanted, _ = await resolve_notes_language(recipe, document, context, store)
    memories = await store.memories(document.id)
    if any(memory.recipe.same_but_prompts(wanted) for memory in memories):
        return None

    def traits(recipe: Recipe) -> list[object]:
        return [recipe.model, recipe.purpose, *(recipe.parameters.get(name) for name in ("language", "prompts"))]

    whole = [memory for memory in reversed(memories) if memory.complete and memory.read_to == document.characters]
    serving = [memory for memory in whole if memory.recipe.method in NOTED and traits(memory.recipe) == traits(wanted)]
    return min(serving, key=lambda memory: NOTED.index(memory.recipe.method), default=None)


CONDENSED = 2  # notes are enough where they have this many times the words of the summary; else pages are shown in full


class ChooseState(MemoryState):
    part_wanted: str


class ChooseUpdate(StepUpdate):
    """What choosing writes; `pages_read` are the pages in full."""

    parts: list[PartOfText]
    shown: list[SummaryPart]
    pages_read: list[int]


@node(settings=(SummaryForm,))
async def choose(state: ChooseState, runtime: ReaderRuntime) -> ChooseUpdate:
    """Choose the notes of the pages in the part; in full those without one, on its edge, or all if notes are short."""
    memory, wanted = await load_memory(runtime, state), state["part_wanted"]
    named = await find_named_part(memory.store, memory.document, wanted, memory.record) if wanted else []
    parts = [PartOfText(name=name, start=start, end=end) for name, start, end in named]
    sizes = {note.page: note.words for note in await memory.notes() if note.text.strip()}
    spans = [(part["start"], part["end"]) for part in parts] or [(0, memory.document.characters)]
    shown = [piece for page in await memory.pages() if (piece := _shown_part(page, spans))]
    words = sum(sizes.get(piece["page"], 0) for piece in shown)
    all_full = words < CONDENSED * runtime.context.summary_words
    shown = [{**piece, "full": all_full or piece["full"] or piece["page"] not in sizes} for piece in shown]
    full = [piece["page"] for piece in shown if piece["full"]]
    did = f"{format_count(len(shown), 'part')} of {memory.record.pages}, {len(full)} in full"
    return {"parts": parts, "shown": shown, "pages_read": full, "step_summary": did}


def _shown_part(page: Page, spans: list[tuple[int, int]]) -> SummaryPart | None:
    """What a summary shows of a page: all of it, what lies in the first of the spans that it holds, or nothing."""
    for begin, stop in spans:
        start, end = max(page.start, begin), min(page.end, stop)
        if start < end:
            whole = (start, end) == (page.start, page.end)
            return SummaryPart(page=page.number, start=start, end=end, full=not whole)
    return None

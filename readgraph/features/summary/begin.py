"""Begin a summary: open its document, take its notes, and choose which of these, and which pages, it is made from."""

import re
from collections.abc import Iterable, Sequence
from typing import NotRequired

from readgraph.features.summary.settings import SummaryForm
from readgraph.features.summary.state import PartOfText, SummaryPart
from readgraph.library.page_store import PageStore, page_store
from readgraph.nodes.building.build import ReadState, ReadUpdate
from readgraph.nodes.building.outline import headings_in
from readgraph.nodes.building.recipes import for_question, resolve_notes_language
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.extractive.dates import NUMBERS
from readgraph.nodes.memory import MemoryState, load_memory
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.step import StepNode, node
from readgraph.sources.places import BELOW, NamedSpan, places_named, source_page
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import CollectionPart, Document, Memory, Page, Recipe
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


_PAGES = re.compile(
    r"(?:(?:PDF )?(?P<kind>pages?|parts?|pp?\.)\s*)?(?P<first>\d{1,9}|(?<=\s)[ivxlc]{1,9})"
    r"(?:\s*[-–—]\s*(?P<last>\d{1,9}|[ivxlc]{1,9}))?",
    re.IGNORECASE,
)
_SECTION = re.compile(r"(?:chapter|section|sec\.|§|kapitel|abschnitt|chapitre)\s*(?P<number>\d[\d.]*)", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,4}(?:\.\d{1,4})*\.?")
_WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii".split()
_AS_NUMBERS = {word: str(number) for words in (NUMBERS, _ROMAN) for number, word in enumerate(words, 1)}
Heading = tuple[int, tuple[str, ...]]  # where a heading stands, and its title after those above it


async def find_named_part(store: PageStore, document: Document, memory: Memory, wanted: str) -> list[NamedSpan]:
    """The spans that a name stands for, each with its own name; headings hold what is below them.

    Looked for are, in this order: a title that is the name, begins with it, or has its words; a number of the outline
    ("3.2"); pages of the source ("pages 10-20"), or else parts of the memory; a place of the source. Raises `BadInput`.
    """
    headings = await _headings(store, document)
    numbered = _SECTION.fullmatch(wanted.strip())
    for name in (wanted, numbered["number"]) if numbered else (wanted,):
        if numbers := _by_title(headings, name) or _by_number(headings, name):
            return _spans(headings, numbers, document.characters)
    if match := _PAGES.fullmatch(wanted.strip()):
        return [await _find_pages_by_number(store, document, memory, match)]
    return await places_named(store, document, wanted)


async def _headings(store: PageStore, document: Document) -> list[Heading]:
    """The headings of the document; in a collection each document's title stands above its own."""
    paths = list[Heading]()
    for part in document.parts or (CollectionPart(document.id, 0, document.characters),):
        member = await store.document(part.document) if document.parts else document
        above = (member.title or member.id,) if document.parts else ()
        paths += [(part.start, above)] if above else []
        places = await store.places(member)
        text = await store.text(member) if places else ""
        paths += [(part.start + start, (*above, *path)) for start, path in headings_in(text, places)]
    # Those that the text has no words under stand there too: "Part two" before its "Chapter 4".
    headings, before = list[Heading](), tuple[str, ...]()
    for start, path in paths:
        headings += [(start, path[:depth]) for depth in range(1, len(path)) if path[:depth] != before[:depth]]
        headings.append((start, path))
        before = path
    return headings


def _by_title(headings: Sequence[Heading], wanted: str) -> list[int]:
    """The numbers of the headings with this title, or with several titles in a row ("Part two > Chapter 3")."""
    sought = _fold_name(wanted)
    if not sought:
        return []
    titles = [_fold_name(path[-1]) for _, path in headings]
    paths = [_fold_name(" ".join(path)) for _, path in headings]
    ways: list[list[int]] = [
        [number for number in range(len(headings)) if sought in (titles[number], paths[number])],
        [number for number, title in enumerate(titles) if title[: len(sought)] == sought],
    ]
    if not (_NUMBER.fullmatch(wanted.strip()) or _PAGES.fullmatch(wanted.strip())):
        words = f" {' '.join(sought)} "
        ways.append([number for number, title in enumerate(titles) if words in f" {' '.join(title)} "])
    return next(filter(None, ways), [])


def _by_number(headings: Sequence[Heading], wanted: str) -> list[int]:
    """The heading called by this number ("Chapter 3"), else the one at this place of the outline that has none."""
    if not _NUMBER.fullmatch(wanted.strip()):
        return []
    counts = list[int]()
    asked = [int(part) for part in wanted.strip(" .").split(".")]
    numbers = [_own_number(path[-1]) for _, path in headings]
    if called := [number for number, own in enumerate(numbers) if own == wanted.strip(" .")]:
        return called
    for number, (_, path) in enumerate(headings):
        depth = len(path)
        counts = counts[:depth] + [0] * (depth - len(counts))
        counts[-1] += 1
        if counts == asked and (number or depth == 1):
            other = len(numbers[number].split(".")) == len(asked) if numbers[number] else False
            return [] if other else [number]
    return []


def _own_number(title: str) -> str:
    """The number at the beginning of a title, or after a word such as "Chapter", in figures; "" without one."""
    first, second = [*_fold_name(title), "", ""][:2]
    number = second if first in _NUMBERED else first
    return number if _NUMBER.fullmatch(number) else ""


def _spans(headings: Sequence[Heading], numbers: Iterable[int], end: int) -> list[NamedSpan]:
    spans = list[NamedSpan]()
    for number in numbers:
        start, path = headings[number]
        stop = next((at for at, other in headings[number + 1 :] if not _is_below(other, path)), end)
        if not spans or start >= spans[-1][2]:
            spans.append((BELOW.join(path), start, stop))
    return spans


def _is_below(path: tuple[str, ...], above: tuple[str, ...]) -> bool:
    """Whether a heading stands below another, by its path; of one level, "Chapter 4" stands below "Part two"."""
    if len(path) > len(above):
        return path[: len(above)] == above
    if len(path) < len(above) or path[:-1] != above[:-1]:
        return False
    own, other = (_RANKS.get(next(iter(_WORD.findall(each[-1].casefold())), "")) for each in (path, above))
    return own is not None and other is not None and own > other


_NUMBERED = {"section", "abschnitt", "chapter", "kapitel", "chapitre"}  # before the number that "3" means
_DIVISIONS = ("volume book", "part teil partie parte act часть", "chapter kapitel chapitre")
_RANKS = {word: rank for rank, words in enumerate(_DIVISIONS) for word in words.split()}


async def _find_pages_by_number(
    store: PageStore, document: Document, memory: Memory, match: re.Match[str]
) -> NamedSpan:
    """The pages of the source from the first to the last; where it has none, or parts are asked for, parts."""
    first, last = match["first"], match["last"] or match["first"]
    backwards = BadInput(f"'{match[0]}' goes backwards: write the smaller number first.")
    if not (match["kind"] or "").lower().startswith("part"):
        begin, stop = await source_page(store, document, first), await source_page(store, document, last)
        if begin and stop:
            if stop[-1][2] <= begin[0][1]:
                raise backwards
            return (match[0], begin[0][1], stop[-1][2])
    title = document.title or document.id
    if not (first.isdecimal() and last.isdecimal()):
        raise BadInput(f"'{match[0]}' names no part: the source of '{title}' has no such pages.")
    if int(last) < int(first):
        raise backwards
    if int(last) >= memory.pages:
        raise BadInput(f"There is no part {last}: '{title}' has parts 0 to {memory.pages - 1}.")
    pages = await store.pages(memory.id, [int(first), int(last)])
    return (match[0], pages[0].start, pages[-1].end)


def _fold_name(name: str) -> list[str]:
    """The words of a name, in lower case; small numbers in figures, so that "Part II" is "part two"."""
    words = _WORD.findall(name.casefold())
    return [_AS_NUMBERS.get(word, word) for word in words] if len(words) > 1 else words


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
    named = await find_named_part(memory.store, memory.document, memory.record, wanted) if wanted else []
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

"""Take the records of all pages that a programme names: all, what a search or notes keep, or a part of the outline."""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from readgraph.features.survey.matching import TABLES, match_tables
from readgraph.features.survey.matching import VERSION as ROWS_VERSION
from readgraph.features.survey.patterns import VERSION
from readgraph.features.survey.records import (
    SURVEY_RECORDS,
    losses_in,
    orders_in,
    records_by_pattern,
    records_in,
    take_records,
    with_table_rows,
)
from readgraph.features.survey.settings import Surveying
from readgraph.features.survey.state import Programme
from readgraph.library.page_store import PageStore
from readgraph.library.search.hits import pages_of
from readgraph.models.asking import ask_reply
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced, versions_of
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply, Numbers
from readgraph.nodes.bounds import TAG_WORDS, content_room, groups_that_fit
from readgraph.nodes.building.build import build_memory
from readgraph.nodes.building.parts import NotesSoFar, Pages, Paginate, Parts, WriteNote
from readgraph.nodes.contracts import PAGES_ALONE, ReaderRuntime, StepUpdate
from readgraph.nodes.memory import OpenedMemory, format_pages, load_memory
from readgraph.nodes.step import node
from readgraph.state.context import ReaderContext
from readgraph.state.loops import all_finished
from readgraph.state.records import CollectionPart, Document, Note, Page, Recipe
from readgraph.state.settings import Rebuilding
from readgraph.state.tables import format_unread_parts
from readgraph.state.words import format_count

SURVEY_VERDICT = declare_wording(
    "survey_verdict",
    "Somebody goes through a long text for records of one kind. You see a note of each page, and say which pages may "
    "hold such records, so that the others need not be read. " + DATA_RULE,
    "Which of these pages may hold records of this kind: {record}? Name every page of which the note doesn't rule it "
    "out; a note leaves much out.",
    prompt="survey-verdict",
)


class PagesKept(LenientReply):
    """The pages that may hold records."""

    kept: Numbers = Field(description="The numbers of these pages; may be empty.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """All may."""
        return {"kept": reply.pages}


def survey_verdict_prompt(notes: str, record: str) -> Prompt:
    """Ask which pages may hold records; `notes`: each note after the tag of its page."""
    return SURVEY_VERDICT.ask(fenced("memory", notes), record=record)


RECORDS = "survey-records"  # the method in the recipe of a memory of records, whose notes are none


async def choose_pages(programme: Programme, memory: OpenedMemory, pages: Sequence[Page]) -> set[int]:
    """The numbers of the pages that the programme names; all, and counted, where what it names isn't there."""
    runtime, document, store, extent = memory.runtime, memory.document, memory.store, programme["extent"]
    numbers, missing = set[int](), ""
    if extent == "search":
        ranker, most = await memory.open_ranker(), runtime.context.survey_parts
        hits = pages_of(await ranker.find(programme["sought"], len(pages)))
        if len(hits) > most:
            count_fallback("parts_left_out", len(hits) - most)
        numbers, missing = {*hits[:most]}, "sought_not_found"
    elif extent == "part":
        spans = await spans_of_part(store, document, programme["sought"])
        numbers, missing = _pages_in_spans(pages, spans), "part_not_found"
    elif extent == "notes" and runtime.context.model:
        noted, read_to = await _load_newest_notes(store, document)
        if noted:
            by_notes = await _choose_by_notes([*noted], programme["record"], runtime)
            return _pages_in_spans(pages, [*(noted[note] for note in by_notes), (read_to, document.characters)])
        missing = "no_notes"
    if missing and not numbers:
        count_fallback(missing)
    return numbers or {page.number for page in pages}


def _pages_in_spans(pages: Sequence[Page], spans: Sequence[tuple[int, int]]) -> set[int]:
    return {page.number for page in pages for start, end in spans if page.start < end and start < page.end}


async def spans_of_part(store: PageStore, document: Document, name: str) -> list[tuple[int, int]]:
    """The spans of the places with these words in their names, with what is below them."""
    members = document.parts or (CollectionPart(document.id, 0, document.characters),)
    places = [
        (part.start + start, " ".join(label.split()).casefold())
        for part in members
        for start, label in await store.places(await store.member(part))
    ]
    ends = [*(start for start, _ in places[1:]), document.characters]
    sought = re.compile(rf"(?<!\w){re.escape(' '.join(name.split()).casefold())}(?!\w)")
    return [(start, end) for (start, label), end in zip(places, ends, strict=True) if sought.search(label)]


async def _load_newest_notes(store: PageStore, document: Document) -> tuple[dict[Note, tuple[int, int]], int]:
    """The newest notes that a model wrote of the whole text, with the spans of their pages, and how far they go."""
    for memory in reversed(await store.memories(document.id)):
        if memory.recipe.model and memory.complete and memory.recipe.method != RECORDS:
            pages = {page.number: page for page in await store.pages(memory.id, range(memory.pages))}
            if notes := [note for note in await store.notes(memory.id, range(memory.pages)) if note.text]:
                return {note: (pages[note.page].start, pages[note.page].end) for note in notes}, memory.read_to
    return {}, 0


async def _choose_by_notes(notes: Sequence[Note], record: str, runtime: ReaderRuntime) -> list[Note]:
    """The notes of pages that may hold records; all of a group, and counted, where no usable reply came."""

    async def choose_in_group(group: Sequence[Note]) -> list[Note]:
        shown = {note.page: note for note in group}

        def complaint(reply: PagesKept) -> str | None:
            unknown = [number for number in reply.kept if number not in shown]
            return f"there is no page {unknown[0]}" if unknown else None

        prompt = survey_verdict_prompt(format_pages({page: note.text for page, note in shown.items()}), record)
        reply = await ask_reply(runtime, prompt, PagesKept, complaint, fallback="survey_verdict")
        return [shown[number] for number in dict.fromkeys(reply.kept)] if reply else [*group]

    groups = groups_that_fit(notes, lambda note: note.words + TAG_WORDS, content_room(runtime.context))
    return [note for kept in await all_finished(map(choose_in_group, groups)) for note in kept]


class TakeState(TypedDict):
    document: str
    memory: Annotated[str, PAGES_ALONE]
    programme: Programme


class TakeUpdate(StepUpdate):
    """What taking records writes: their memory, the pages that gave them, and wanted ones that gave nothing usable."""

    records: str
    pages_read: list[int]
    unread: list[int]


def recipe(
    programme: Programme, pages: Recipe, context: ReaderContext, *, by_model: bool, has_tables: bool = False
) -> Recipe:
    """The recipe of the records: of the same pages, whatever is made of the records afterwards.

    Records by pattern have one of their own: a spent budget must not put them in the place of the model's.
    """
    what = {"record": programme["record"], "columns": [[*column.values()] for column in programme["columns"]]}
    where = {"extent": programme["extent"], "sought": programme["sought"]}
    how = {"most": context.survey_parts, "sample": context.sample, **({TABLES: ROWS_VERSION} if has_tables else {})}
    model, prompts = (context.model, versions_of(SURVEY_RECORDS)) if by_model else ("", {"patterns": VERSION})
    return Recipe(RECORDS, {**pages.parameters, **what, **where, **how}, model, prompts)


async def take_without_model(state: TakeState, runtime: ReaderRuntime) -> TakeUpdate:
    """The rows of the text's own tables that have the columns; without any, the records that patterns give."""
    return await _take(state, runtime, by_model=False)


@node(without_model=take_without_model, builds=True, settings=(Surveying, Rebuilding))
async def take(state: TakeState, runtime: ReaderRuntime) -> TakeUpdate:
    """Take the records of all pages that the programme names, at the same time; unusable ones are asked for again."""
    return await _take(state, runtime, by_model=True)


async def _take(state: TakeState, runtime: ReaderRuntime, *, by_model: bool) -> TakeUpdate:
    programme, memory = state["programme"], await load_memory(runtime, state)
    store, pages = memory.store, await memory.pages()
    wanted = await choose_pages(programme, memory, pages)
    tables = await match_tables(store, memory.document, programme)

    async def parts(document: Document, notes: NotesSoFar, runtime: ReaderRuntime) -> Parts:
        make_note = take_records if by_model else records_by_pattern
        write_note = make_note(programme, await orders_in(store, document))
        if tables.rows:
            write_note = with_table_rows(tables, write_note if by_model else None)
        return _as_cut(pages), _only_of(wanted, write_note)

    built = await build_memory(
        {"document": memory.document.id},
        runtime,
        parts,
        partial(recipe, programme, memory.record.recipe, by_model=by_model, has_tables=bool(tables.rows)),
        cuts_text=False,
        asks_again=lambda note: note.page in wanted and note.is_substitute,
    )
    notes = await store.notes(built["memory"], sorted(wanted))
    surveyed = [note.page for note in notes if not note.is_substitute]
    found = sum(len(records_in(note.text, len(programme["columns"]))) for note in notes)
    for kind, times in sum((losses_in(note.text) for note in notes), Counter[str]()).items():
        count_fallback(kind, times)  # also of records that an earlier survey took
    did = f"took {format_count(found, 'record')} from {format_count(len(surveyed), 'part')}"
    unread = sorted(wanted - {*surveyed})
    did += f"; {format_unread_parts(len(surveyed), len(unread))}" if unread else ""
    return {"records": built["memory"], "pages_read": surveyed, "unread": unread, "step_summary": did}


def _only_of(wanted: set[int], write_note: WriteNote) -> WriteNote:
    """The notes of the wanted pages; others get empty fall-backs, since a later survey may want them."""

    async def write_if_chosen(text: str, page: Page, runtime: ReaderRuntime) -> Note:
        if page.number in wanted:
            return await write_note(text, page, runtime)
        return Note(page.number, "", 0, fallback=True)

    return write_if_chosen


def _as_cut(pages: Sequence[Page]) -> Paginate:
    """Paging into these pages, so that records have the numbers of the memory's pages."""

    async def yield_pages(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
        for page in pages[last.number + 1 if last else 0 :]:
            await asyncio.sleep(0)  # so that the page can be stored meanwhile
            yield page

    return yield_pages

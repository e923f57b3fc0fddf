"""Taking the records of all pages that a programme names, in one fan-out."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.models.metering import fell_back
from readgraph.models.wording import versions_of
from readgraph.nodes.building.build import build_memory
from readgraph.nodes.building.interfaces import NotesSoFar, Paginate, WriteNote
from readgraph.nodes.memory_view import memory_pages
from readgraph.nodes.prompts.survey.pages import SURVEY_RECORDS
from readgraph.nodes.step import StepNode, Work
from readgraph.nodes.survey.by_pattern import VERSION
from readgraph.nodes.survey.records import (
    OrderAt,
    losses_in,
    orders_in,
    records_by_pattern,
    records_in,
    take_records,
)
from readgraph.nodes.survey.selecting import RECORDS, wanted_pages
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.reading import Usage
from readgraph.state.records import Document, Note, Page, Recipe
from readgraph.state.settings import Rebuilding, Surveying
from readgraph.state.survey import Programme, told_unread
from readgraph.state.words import counted


class TakeState(TypedDict):
    """What taking records reads."""

    document: str
    memory: str
    programme: Programme | None
    usage: NotRequired[Usage]


class TakeUpdate(TypedDict):
    """What taking records writes: the memory of the records, the pages that gave them, and those that did not.

    `unread` are the wanted pages of which no reply, or no record, could be used, or which were not asked about before
    the budget was spent.
    """

    records: str
    pages_read: list[int]
    unread: list[int]
    step_summary: str


def recipe(programme: Programme, pages: Recipe, context: ReaderContext) -> Recipe:
    """The recipe of the records: of the same pages, whatever is made of the records afterwards."""
    what = {"record": programme["record"], "columns": [[*column.values()] for column in programme["columns"]]}
    where = {
        "extent": programme["extent"],
        "sought": programme["sought"],
        "most": context.survey_parts,
        "sample": context.sample,
    }
    prompts = versions_of(SURVEY_RECORDS) if context.model else {}
    return Recipe(RECORDS, {**pages.parameters, **what, **where}, context.model, prompts)


RecordRecipe = Callable[[Programme, Recipe, ReaderContext], Recipe]

TakeRecords = Callable[[Programme, OrderAt], WriteNote]
"""Makes what writes the records of pages, with the order of the dates there."""


def recipe_without_model(programme: Programme, pages: Recipe, context: ReaderContext) -> Recipe:
    """The recipe of records by pattern, which a spent budget must not put in the place of the model's."""
    return replace(recipe(programme, pages, replace(context, model="")), prompts={"patterns": VERSION})


def taking(make_note: TakeRecords, recipe: RecordRecipe = recipe) -> Work[TakeState, TakeUpdate]:
    """The work of a node that takes records with this part, and keeps them under this recipe."""

    async def take(state: TakeState, runtime: Runtime[ReaderContext]) -> TakeUpdate:
        """Take the records of all pages that the programme names, at the same time; those that are kept are used.

        They are kept as a memory, so a killed run goes on where it stopped, and a spent budget ends it in order. Pages
        of which nothing could be used are asked for again by the next survey that uses these records.
        """
        programme, store = state["programme"], page_store(runtime)
        if programme is None:
            return {"records": state["memory"], "pages_read": [], "unread": [], "step_summary": "nothing was planned"}
        document, pages = await memory_pages(runtime, state["document"], state["memory"])
        cut = await store.memory(document.id, state["memory"])
        wanted = await wanted_pages(programme, document, cut, pages, runtime)

        async def parts(
            document: Document, notes: NotesSoFar, runtime: Runtime[ReaderContext]
        ) -> tuple[Paginate, WriteNote]:
            return _as_cut(pages), _only_of(wanted, make_note(programme, await orders_in(store, document)))

        read = build_memory(
            parts,
            partial(recipe, programme, cut.recipe),
            cuts_text=False,
            asks_again=lambda note: note.page in wanted and note.is_substitute,
        )
        records = (await read({"document": document.id}, runtime))["memory"]
        notes = {note.page: note for note in await store.notes(records, sorted(wanted))}
        surveyed = [number for number in sorted(wanted) if number in notes and not notes[number].is_substitute]
        found = sum(len(records_in(note.text, len(programme["columns"]))) for note in notes.values())
        for kind, times in sum((losses_in(note.text) for note in notes.values()), Counter[str]()).items():
            fell_back(kind, times)  # also of records that an earlier survey took
        did = f"took {counted(found, 'record')} from {counted(len(surveyed), 'part')}"
        unread = sorted(wanted - {*surveyed})
        did += f"; {told_unread(len(surveyed), len(unread))}" if unread else ""
        return {"records": records, "pages_read": surveyed, "unread": unread, "step_summary": did}

    return take


def _only_of(wanted: set[int], write_note: WriteNote) -> WriteNote:
    """The notes of the wanted pages; others get empty fall-backs, since a later survey may want them."""

    async def noted(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        if page.number in wanted:
            return await write_note(text, page, runtime)
        return Note(page.number, "", 0, fallback=True)

    return noted


def _as_cut(pages: Sequence[Page]) -> Paginate:
    """Paging into these pages, so that records have the numbers of the memory's pages."""

    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        for page in pages[last.number + 1 if last else 0 :]:
            await asyncio.sleep(0)  # so that the page can be stored meanwhile
            yield page

    return paged


take_without_model = taking(records_by_pattern, recipe_without_model)
"""The records that patterns give."""

take = StepNode(
    taking(take_records),
    take_without_model,
    builds=True,
    settings=(Surveying, Rebuilding),
)

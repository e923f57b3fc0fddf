"""Which pages give records: all, those that a search or a note's verdict keeps, or those of a part of the outline."""

import re
from collections.abc import Iterable, Iterator, Sequence

from langgraph.runtime import Runtime

from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.nodes.bounds import content_room
from readgraph.nodes.memory_view import tagged
from readgraph.nodes.prompts.survey.pages import PagesKept, survey_verdict_prompt
from readgraph.nodes.search_tools import ranker_of
from readgraph.nodes.tasks import all_finished
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.records import Document, Memory, Note, Page, Part
from readgraph.state.search.fusing import pages_of
from readgraph.state.survey import Programme

RECORDS = "survey-records"
"""The method in the recipe of a memory of records, whose notes are none."""

TAG_WORDS = 2
"""Words of the tag before a note."""


async def wanted_pages(
    programme: Programme, document: Document, memory: Memory, pages: Sequence[Page], runtime: Runtime[ReaderContext]
) -> set[int]:
    """The numbers of the pages that the programme names.

    All, and counted, where it names a part that the document doesn't have, or notes where there are none, or where what
    is searched for stands nowhere. Parts that a search finds beyond the setting's number are left out, and counted.
    """
    store, extent = page_store(runtime), programme["extent"]
    if extent == "search":
        ranker, most = ranker_of(store, document, memory), runtime.context.survey_parts
        hits = pages_of(await ranker.find(programme["sought"], len(pages)))
        if len(hits) > most:
            fell_back("parts_left_out", len(hits) - most)
        return {*hits[:most]} or _all_of(pages, "sought_not_found")
    if extent == "part":
        found = _overlapping(pages, await spans_of_part(store, document, programme["sought"]))
        return found or _all_of(pages, "part_not_found")
    if extent == "notes" and runtime.context.model:
        noted, read_to = await _noted(store, document)
        if not noted:
            return _all_of(pages, "no_notes")
        kept = await _kept_by_notes([*noted], programme["record"], runtime)
        return _overlapping(pages, [*(noted[note] for note in kept), (read_to, document.characters)])
    return _all_of(pages)


def _all_of(pages: Sequence[Page], counted_as: str = "") -> set[int]:
    if counted_as:
        fell_back(counted_as)
    return {page.number for page in pages}


def _overlapping(pages: Sequence[Page], spans: Iterable[tuple[int, int]]) -> set[int]:
    ordered = [*spans]
    return {page.number for page in pages for start, end in ordered if page.start < end and start < page.end}


async def spans_of_part(store: PageStore, document: Document, name: str) -> list[tuple[int, int]]:
    """The spans of the places with these words in their names, with what is below them."""
    members = document.parts or (Part(document.id, 0, document.characters),)
    places = [
        (part.start + start, " ".join(label.split()).casefold())
        for part in members
        for start, label in await store.places(await store.document(part.document))
    ]
    ends = [*(start for start, _ in places[1:]), document.characters]
    sought = re.compile(rf"(?<!\w){re.escape(' '.join(name.split()).casefold())}(?!\w)")
    return [(start, end) for (start, label), end in zip(places, ends, strict=True) if sought.search(label)]


async def _noted(store: PageStore, document: Document) -> tuple[dict[Note, tuple[int, int]], int]:
    """The notes of the newest whole memory that a model wrote, with the spans of their pages, and how far it goes.

    A history may have grown since.
    """
    for memory in reversed(await store.memories(document.id)):
        if memory.recipe.model and memory.complete and memory.recipe.method != RECORDS:
            pages = {page.number: page for page in await store.pages(memory.id, range(memory.pages))}
            notes = [note for note in await store.notes(memory.id, range(memory.pages)) if note.text]
            if notes:
                return {note: (pages[note.page].start, pages[note.page].end) for note in notes}, memory.read_to
    return {}, 0


async def _kept_by_notes(notes: Sequence[Note], record: str, runtime: Runtime[ReaderContext]) -> list[Note]:
    """The notes of pages that may hold records; all of a group, and counted, where no usable reply came."""

    async def kept_of(group: Sequence[Note]) -> list[Note]:
        shown = {note.page: note for note in group}

        def complaint(reply: PagesKept) -> str | None:
            unknown = [number for number in reply.kept if number not in shown]
            return f"there is no page {unknown[0]}" if unknown else None

        prompt = survey_verdict_prompt(tagged({page: note.text for page, note in shown.items()}), record)
        try:
            reply = await ask(runtime, prompt, PagesKept, complaint)
        except NoUsableReply:
            fell_back("survey_verdict")
            return [*group]
        return [shown[number] for number in dict.fromkeys(reply.kept)]

    groups = _groups(notes, content_room(runtime.context))
    return [note for kept in await all_finished(map(kept_of, groups)) for note in kept]


def _groups(notes: Sequence[Note], room: int) -> Iterator[list[Note]]:
    """The notes in groups that fit the window."""
    group, words = list[Note](), 0
    for note in notes:
        if group and words + note.words + TAG_WORDS > room:
            yield group
            group, words = [], 0
        group.append(note)
        words += note.words + TAG_WORDS
    if group:
        yield group

"""The table of a survey: its records are fetched, combined, and each row gets its citations."""

from collections.abc import Sequence
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.step import step
from readgraph.nodes.survey.combining import Entry, Mention, combine
from readgraph.nodes.survey.records import records_in
from readgraph.state.context import ReaderContext
from readgraph.state.kept.collections import members_of
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.reading import Citation, Usage
from readgraph.state.records import Document
from readgraph.state.survey import MOST_ROWS, NO_TABLE, Programme, Row, Table, table_line
from readgraph.state.words import counted

MOST_CITED = 5
"""Citations of a row; a name may be mentioned on every page."""


class CombineState(TypedDict):
    """What combining reads."""

    document: str
    records: str
    programme: Programme | None
    same_names: list[list[str]]
    usage: NotRequired[Usage]


class CombineUpdate(TypedDict):
    """What combining writes."""

    table: Table
    step_summary: str


@step
async def combine_records(state: CombineState, runtime: Runtime[ReaderContext]) -> CombineUpdate:
    """Join, compare, group and sort the records as the programme says; code does it, so counts and sums are exact."""
    programme = state["programme"]
    if programme is None:
        return {"table": NO_TABLE, "step_summary": "no records were taken"}
    store = page_store(runtime)
    table = await table_of(store, state["document"], state["records"], programme, state["same_names"], MOST_ROWS)
    return {"table": table, "step_summary": f"made a table of {counted(table['found'], 'row')}"}


async def table_of(
    store: PageStore,
    document: str,
    records: str,
    programme: Programme,
    same_names: Sequence[Sequence[str]] = (),
    most: int | None = None,
) -> Table:
    """The table of the records in a memory, with at most `most` rows, each with its citations."""
    described = await store.document(document)
    combined = combine(programme, await entries_of(store, described, records, programme), same_names)
    shown = combined.entries[:most]
    rows = await _cited(store, described, shown)
    return Table(columns=[*combined.columns], kinds=[*combined.kinds], rows=rows, found=len(combined.entries))


async def entries_of(store: PageStore, document: Document, records: str, programme: Programme) -> list[Entry]:
    """The records in a memory, in the text's order."""
    memory = await store.memory(document.id, records)
    notes = await store.notes(memory.id, range(memory.pages))
    starts = {page.number: page.start for page in await store.pages(memory.id, [note.page for note in notes])}
    titles = {member.start: member.name for member in await members_of(store, document)}
    entries = list[Entry]()
    for note in sorted(notes, key=lambda note: note.page):
        start = starts[note.page]
        title = titles[document.part_at(start).start] if titles else document.title
        for record in sorted(records_in(note.text, len(programme["columns"])), key=lambda record: record.start):
            mention = Mention(note.page, start + record.start, start + record.end, title)
            entries.append(Entry(record.values, (mention,)))
    return entries


async def _cited(store: PageStore, document: Document, entries: Sequence[Entry]) -> list[Row]:
    mentions = {each for entry in entries for each in entry.mentions[:MOST_CITED]}
    ordered = sorted(mentions, key=lambda each: (each.start, each.end))
    texts = await store.spans(document, [(each.start, each.end) for each in ordered])
    places = await store.place_names(document, [each.start for each in ordered])
    citations = {
        each: Citation(page=each.page, quote=text, start=each.start, end=each.end, place=place)
        for each, text, place in zip(ordered, texts, places, strict=True)
    }
    return [
        Row(values=[*entry.values], citations=[citations[each] for each in entry.mentions[:MOST_CITED]])
        for entry in entries
    ]


def markdown_of(table: Table, most: int) -> str:
    """The table as Markdown, with at most this many rows."""
    return "\n".join(
        [table_line(table["columns"]), table_line(["---"] * len(table["columns"]))]
        + [table_line(row["values"]) for row in table["rows"][:most]]
    )

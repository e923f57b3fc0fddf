"""The table of a survey: records are joined, compared, grouped and sorted, and each row gets its citations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from typing_extensions import TypedDict

from readgraph.features.survey.plan import COUNT
from readgraph.features.survey.records import records_in
from readgraph.features.survey.state import MOST_ROWS, Programme
from readgraph.features.survey.values import key_of_value, number_in, same_as, sort_key
from readgraph.library.collections import members_of
from readgraph.library.page_store import PageStore, page_store
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.step import node
from readgraph.state.reading import Citation
from readgraph.state.records import Document
from readgraph.state.tables import ColumnKind, Row, Table
from readgraph.state.words import format_count

FOUND_IN = "found in"  # the column that says in which of the compared documents a thing was found


@dataclass(frozen=True, slots=True)
class Mention:
    """Where a record stands: its page, the span `[start, end)` of its quote in the document, the document's title."""

    page: int
    start: int
    end: int
    document: str = ""


@dataclass(frozen=True)
class TableEntry:
    """A row in the making: its values in the order of the columns, and where it is mentioned, in the text's order."""

    values: tuple[str, ...]
    mentions: tuple[Mention, ...]


@dataclass(frozen=True)
class CombinedTable:
    """The columns of a table, with the kinds of their values, and its rows."""

    columns: Sequence[str]
    kinds: Sequence[ColumnKind]
    entries: Sequence[TableEntry] = field(default_factory=list)

    def key(self, entry: TableEntry, columns: Iterable[int]) -> tuple[str, ...]:
        """What entries have in common that agree in these columns."""
        return tuple(key_of_value(self.kinds[column], entry.values[column]) for column in columns)


def combine(
    programme: Programme, records: Iterable[TableEntry], same_names: Sequence[Sequence[str]] = ()
) -> CombinedTable:
    """The table of these records, in the text's order; `same_names`: names of one thing, the one to keep first."""
    columns = programme["columns"]
    table = CombinedTable([column["name"] for column in columns], [column["kind"] for column in columns], [*records])
    if named := name_column(programme):
        table = under_one_name(table, named, same_names)
    if programme["same_by"]:
        table = join_rows(table, programme["same_by"], apart=programme["compare"])
    if programme["compare"]:
        table = compare_documents(table, programme["same_by"])
    elif programme["group_by"]:
        table = group_rows(table, programme["group_by"], programme["total"])
    elif programme["sort_by"] == COUNT and COUNT not in table.columns:
        counted = [replace(entry, values=(*entry.values, str(len(entry.mentions)))) for entry in table.entries]
        table = CombinedTable([*table.columns, COUNT], [*table.kinds, "number"], counted)
    table = sort_rows(table, programme)
    return replace(table, entries=table.entries[: programme["first"]])


def name_column(programme: Programme) -> str | None:
    """The column of names by which records are one, or are grouped; None where there is none."""
    kinds = {column["name"]: column["kind"] for column in programme["columns"]}
    deciding = [*programme["same_by"], *filter(None, [programme["group_by"]])]
    return next((name for name in deciding if kinds[name] == "text"), None)


def under_one_name(table: CombinedTable, column: str, same_names: Sequence[Sequence[str]]) -> CombinedTable:
    """The rows with the name to keep in place of each name that means the same."""
    at, kept = table.columns.index(column), {same_as(name): group[0] for group in same_names for name in group}
    entries = []
    for entry in table.entries:
        name = kept.get(same_as(entry.values[at]), entry.values[at])
        entries.append(replace(entry, values=(*entry.values[:at], name, *entry.values[at + 1 :])))
    return replace(table, entries=entries)


def join_rows(table: CombinedTable, same_by: Sequence[str], *, apart: bool) -> CombinedTable:
    """One row for records that agree in these columns (`apart`: in one document), with the first values given."""
    keys = [table.columns.index(column) for column in same_by]
    rows = dict[object, TableEntry]()
    for number, entry in enumerate(table.entries):
        values = entry.values
        which: object = table.key(entry, keys)
        which = (which, entry.mentions[0].document if apart else "") if any(values[key] for key in keys) else number
        table_entry = rows.get(which)
        kept = tuple(old or new for old, new in zip(table_entry.values, values, strict=True)) if table_entry else values
        rows[which] = TableEntry(kept, (*(table_entry.mentions if table_entry else ()), *entry.mentions))
    return replace(table, entries=[*rows.values()])


def compare_documents(table: CombinedTable, same_by: Sequence[str]) -> CombinedTable:
    """A row for each thing, with the documents it was found in, and the other columns once for each document."""
    documents = [*dict.fromkeys(mention.document for entry in table.entries for mention in entry.mentions)]
    keys = [table.columns.index(column) for column in same_by] or [*range(len(table.columns))]
    others = [number for number in range(len(table.columns)) if number not in keys]
    things = dict[tuple[str, ...], dict[str, TableEntry]]()
    for entry in table.entries:
        things.setdefault(table.key(entry, keys), {}).setdefault(entry.mentions[0].document, entry)
    entries = []
    for of in things.values():
        one = next(iter(of.values()))
        values = [one.values[key] for key in keys]
        values += [of[name].values[other] if name in of else "" for other in others for name in documents]
        values += ["; ".join(name for name in documents if name in of)]
        entries.append(
            TableEntry(tuple(values), tuple(mention for table_entry in of.values() for mention in table_entry.mentions))
        )
    columns = [table.columns[key] for key in keys]
    columns += [f"{table.columns[other]} ({name})" for other in others for name in documents]
    kinds = [table.kinds[key] for key in keys] + [table.kinds[other] for other in others for _ in documents]
    return CombinedTable([*columns, FOUND_IN], [*kinds, "text"], entries)


def group_rows(table: CombinedTable, group_by: str, total: str | None) -> CombinedTable:
    """A row for each value of a column, with the number of its rows and the sum of another column."""
    key, added = table.columns.index(group_by), table.columns.index(total) if total else None
    groups = dict[tuple[str, ...], list[TableEntry]]()
    for entry in table.entries:
        groups.setdefault(table.key(entry, [key]), []).append(entry)
    entries = []
    for members in groups.values():
        values = [members[0].values[key], str(len(members))]
        if added is not None:
            numbers = (number_in(member.values[added]) for member in members)
            values.append(f"{sum((number for number in numbers if number is not None), Decimal(0)):f}")
        entries.append(
            TableEntry(tuple(values), tuple(mention for table_entry in members for mention in table_entry.mentions))
        )
    columns, kinds = [group_by, COUNT], [table.kinds[key], "number"]
    if total:
        columns, kinds = [*columns, f"sum of {total}"], [*kinds, "number"]
    return CombinedTable(columns, kinds, entries)


def sort_rows(table: CombinedTable, programme: Programme) -> CombinedTable:
    """The rows sorted by a column; rows without a value in it come last, and equals keep the text's order."""
    column = programme["sort_by"]
    if column and column not in table.columns:
        column = f"sum of {column}" if f"sum of {column}" in table.columns else None
    if not column:
        return table
    at = table.columns.index(column)
    missing = [entry for entry in table.entries if not entry.values[at]]
    having = [entry for entry in table.entries if entry.values[at]]
    having.sort(key=lambda entry: sort_key(table.kinds[at], entry.values[at]), reverse=programme["descending"])
    return replace(table, entries=[*having, *missing])


def distinct_names(records: Iterable[TableEntry], at: int) -> Mapping[str, TableEntry]:
    """Each name in a column, as it was first written, with its first record."""
    first = dict[str, TableEntry]()
    for entry in records:
        if entry.values[at]:
            first.setdefault(same_as(entry.values[at]), entry)
    return {entry.values[at]: entry for entry in first.values()}


MOST_CITED = 5  # citations of a row; a name may be mentioned on every page


class RecordsState(TypedDict):
    """What is read of the records that were taken."""

    document: str
    records: str
    programme: Programme


class CombineState(RecordsState):
    same_names: list[list[str]]


class CombineUpdate(StepUpdate):
    table: Table


@node
async def combine_records(state: CombineState, runtime: ReaderRuntime) -> CombineUpdate:
    """Join, compare, group and sort the records as the programme says; code does it, so counts and sums are exact."""
    store, records, programme = page_store(runtime), state["records"], state["programme"]
    table = await table_of(store, state["document"], records, programme, state["same_names"], MOST_ROWS)
    return {"table": table, "step_summary": f"made a table of {format_count(table['found'], 'row')}"}


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
    mentions = {mention for entry in shown for mention in entry.mentions[:MOST_CITED]}
    ordered = sorted(mentions, key=lambda each: (each.start, each.end))
    texts = await store.spans(described, [(mention.start, mention.end) for mention in ordered])
    places = await store.place_names(described, [mention.start for mention in ordered])
    citations = {
        each: Citation(page=each.page, quote=text, start=each.start, end=each.end, place=place)
        for each, text, place in zip(ordered, texts, places, strict=True)
    }
    rows = [
        Row(values=[*entry.values], citations=[citations[mention] for mention in entry.mentions[:MOST_CITED]])
        for entry in shown
    ]
    return Table(columns=[*combined.columns], kinds=[*combined.kinds], rows=rows, found=len(combined.entries))


async def entries_of(store: PageStore, document: Document, records: str, programme: Programme) -> list[TableEntry]:
    """The records in a memory, in the text's order."""
    memory = await store.memory(document.id, records)
    notes = await store.notes(memory.id, range(memory.pages))
    starts = {page.number: page.start for page in await store.pages(memory.id, [note.page for note in notes])}
    titles = {member.start: member.name for member in await members_of(store, document)}
    entries = list[TableEntry]()
    for note in notes:
        start = starts[note.page]
        title = titles[document.part_at(start).start] if titles else document.title
        for record in sorted(records_in(note.text, len(programme["columns"])), key=lambda record: record.start):
            mention = Mention(note.page, start + record.start, start + record.end, title)
            entries.append(TableEntry(record.values, (mention,)))
    return entries

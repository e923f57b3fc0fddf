"""Rows of a text's own tables as records: the names of a table's columns are matched with those that are asked for.

Nothing is guessed. Equal words match first; then words without endings ("burials", "burial"); then one name that has
all words of the other, if it is the only one. What matches nothing stays empty. The tables that match most columns
count, at least half of those that are asked for; where some in a text are about the record by their heads or headings,
only these of it.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from readgraph.features.survey.source_tables import SourceTable, tables_in
from readgraph.features.survey.state import Programme
from readgraph.features.survey.values import same_as, value_of
from readgraph.language.dates import order_in, order_of
from readgraph.language.detection import language_of
from readgraph.language.terms import content_words
from readgraph.library.page_store import PageStore
from readgraph.state.records import Document

TABLES = "tables"  # the parameter in the recipe of records that says that rows of tables are among them
VERSION = 1  # raise it when other rows are found, so that kept ones are not shown
_UNIT = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])")
ENDINGS = ("de", "fr", "es", "it", "pt", "nl", "sv", "ru")  # languages whose endings are known besides the text's own
MOST_BETWEEN = 3  # words between the parts of a table on two pages, such as "page 4"
LONGEST_ACROSS = 50  # rows of a table whose columns may be named in its first one


@dataclass(frozen=True)
class MatchedRow:
    """A row of a table: the values of the asked columns, "" where there is none, and its characters `[start, end)`."""

    values: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True)
class MatchedTables:
    """The rows of the tables that match, and the characters of these tables with their heads."""

    rows: Sequence[MatchedRow] = ()
    spans: Sequence[tuple[int, int]] = ()

    def rows_in(self, start: int, end: int) -> list[MatchedRow]:
        """The rows that begin within these characters."""
        begins = bisect_left(self.rows, start, key=lambda row: row.start)
        return [*takewhile(lambda row: row.start < end, islice(self.rows, begins, None))]

    def without(self, text: str, start: int) -> str:
        """A text that begins here, with spaces in place of these tables, so that offsets stay."""
        for first, last in self.spans:
            begin, end = max(first - start, 0), min(last - start, len(text))
            if begin < end:
                text = f"{text[:begin]}{' ' * (end - begin)}{text[end:]}"
        return text


@dataclass
class _Candidate:
    """A table that may match, where its text begins, and the columns of it by the numbers of those asked for."""

    table: SourceTable
    offset: int
    order: str  # of day and month in its text
    columns: Mapping[int, int]
    words: frozenset[str]  # of its heads and what stands above it


async def match_tables(store: PageStore, document: Document, programme: Programme) -> MatchedTables:
    """The rows of a document's tables that have the programme's columns."""
    asked, candidates = [column["name"] for column in programme["columns"]], list[_Candidate]()
    for part in document.parts or (None,):
        start, end = (part.start, part.end) if part else (0, document.characters)
        (text,) = await store.spans(document, [(start, end)])
        candidates += _candidates_in(text, start, asked)
    most = max((len(candidate.columns) for candidate in candidates), default=0)
    if not most or 2 * most < len(asked):
        return MatchedTables()
    best = [candidate for candidate in candidates if len(candidate.columns) == most]
    best = await _about(store, document, best, programme)
    rows = [row for candidate in best for row in _rows_of(candidate, programme)]
    return MatchedTables(
        sorted(rows, key=lambda row: row.start), [_span(candidate) for candidate in best] if rows else ()
    )


def _span(candidate: _Candidate) -> tuple[int, int]:
    return candidate.offset + candidate.table.start, candidate.offset + candidate.table.end


def _candidates_in(text: str, offset: int, asked: Sequence[str]) -> list[_Candidate]:
    languages, order = sorted({language_of(text), "en"}), order_in(text) or order_of(language_of(text))
    candidates = list[_Candidate]()
    for table in tables_in(text):
        columns = match_names(asked, table.names, languages)
        turned = table.transpose() if table.heads and len(table.rows) < LONGEST_ACROSS else table
        if len(across := match_names(asked, turned.names, languages)) > len(columns) and turned.rows:
            table, columns = turned, across
        if not columns and candidates and _continues(last := candidates[-1].table, table):
            last.rows += [*table.heads, *table.rows]
            last.end = table.end
        elif columns:
            above = " ".join([*table.names, table.above])
            words = frozenset(word for language in languages for word in content_words(above, language))
            candidates.append(_Candidate(table, offset, order, columns, words))
    return candidates


def _continues(before: SourceTable, table: SourceTable) -> bool:
    """Whether a table without names is the rest of the one before, from the next page."""
    same = len(table.names) == len(before.names) and not table.is_ruled
    return same and bool(table.heads) and len(table.gap) < 200 and len(table.gap.split()) <= MOST_BETWEEN


def match_names(asked: Sequence[str], names: Sequence[str], languages: Collection[str]) -> dict[int, int]:
    """Which column has each of these names, by their numbers; each is taken once, the surest first."""
    columns, plain = dict[int, int](), [same_as(_UNIT.sub("", name)) for name in names]

    def take(fits: Sequence[tuple[int, int]]) -> None:
        """Take the pairs of which neither side fits anything else."""
        for number, at in fits:
            alone = [pair for pair in fits if number in pair[:1] or at in pair[1:]]
            if len(alone) == 1 and number not in columns and at not in columns.values():
                columns[number] = at

    for rule in (_is_equal, _has_same_words, _has_all_words):
        open_names = [number for number in range(len(asked)) if number not in columns]
        free = [at for at, name in enumerate(plain) if name and at not in columns.values()]
        wanted = {number: same_as(_UNIT.sub("", asked[number])) for number in open_names}
        take([(number, at) for number, name in wanted.items() for at in free if rule(name, plain[at], languages)])
    return columns


def _is_equal(asked: str, name: str, languages: Collection[str]) -> bool:
    return asked == name


def _has_same_words(asked: str, name: str, languages: Collection[str]) -> bool:
    spoken = {*languages, *ENDINGS}  # a name is too short to tell its language
    return any({*content_words(asked, each)} == {*content_words(name, each)} != set() for each in spoken)


def _has_all_words(asked: str, name: str, languages: Collection[str]) -> bool:
    for language in languages:
        one, other = {*content_words(asked, language)}, {*content_words(name, language)}
        if one and other and (one <= other or other <= one):
            return True
    return False


async def _about(
    store: PageStore, document: Document, tables: list[_Candidate], programme: Programme
) -> list[_Candidate]:
    """Those about the record, by their heads, headings or files; all of a document where none of them says so."""
    record = programme["record"].partition(":")[0]
    named = " ".join(column["name"] for column in programme["columns"])
    languages = {language_of(record), "en"}
    sought = {word for language in languages for word in content_words(record, language)}
    sought -= {word for language in languages for word in content_words(named, language)}
    places = await store.place_names(document, [_span(table)[0] for table in tables])
    about = {
        id(each): bool(
            sought & (each.words | {word for name in languages for word in content_words(place or "", name)})
        )
        for each, place in zip(tables, places, strict=True)
    }
    chosen = {table.offset for table in tables if about[id(table)]}  # texts with a table that says so
    return [table for table in tables if about[id(table)] or table.offset not in chosen]


def _rows_of(candidate: _Candidate, programme: Programme) -> list[MatchedRow]:
    rows = list[MatchedRow]()
    for row in candidate.table.values():
        cells = [
            row.cells[at] if (at := candidate.columns.get(number)) is not None and at < len(row.cells) else ""
            for number in range(len(programme["columns"]))
        ]
        values = [
            value_of(column["kind"], cell, candidate.order) or ""
            for column, cell in zip(programme["columns"], cells, strict=True)
        ]
        if any(values):
            rows.append(MatchedRow(tuple(values), candidate.offset + row.start, candidate.offset + row.end))
    return rows

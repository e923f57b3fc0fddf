"""A survey's table as columns and rows of texts: its own values, then the quote that shows each row."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from readgraph.state.kept.collections import Member
from readgraph.state.survey import ColumnKind, Row, Table

CITED = ("quote", "place", "document")
"""The columns after those of the table: the first quote that shows the row, where it stands, and in which document."""


class Sheet(NamedTuple):
    """A table with its citations as columns: names, kinds, and rows of texts; nothing is ""."""

    columns: list[str]
    kinds: list[ColumnKind]
    rows: list[list[str]]
    note: str = ""


def sheet_of(table: Table, documents: Sequence[Member] = (), note: str = "") -> Sheet:
    """The table with the columns of its citations; `documents`: those of a collection.

    `note` is a sentence about the whole table, for forms that have room for one.
    """
    cited = CITED if len(documents) > 1 else CITED[:2]
    taken = {name.casefold() for name in table["columns"]}
    columns = [*table["columns"], *(f"cited {name}" if name in taken else name for name in cited)]
    rows = [[*row["values"], *_cited(row, documents)[: len(cited)]] for row in table["rows"]]
    texts: list[ColumnKind] = ["text"] * len(cited)
    return Sheet(columns, [*table["kinds"], *texts], rows, note)


def _cited(row: Row, documents: Sequence[Member]) -> list[str]:
    """The quote, its place and its document."""
    if not row["citations"]:
        return ["", "", ""]
    first = row["citations"][0]
    quote, place = " ".join(first["quote"].split()), first["place"] or ""
    member = next((each for each in reversed(documents) if each.start <= first["start"]), None)
    if member:  # it has a column of its own
        place = place.removeprefix(member.title).removeprefix(", ")
    return [quote, place or f"part {first['page']}", member.name if member else ""]


def cells(row: list[str], sheet: Sheet) -> Iterator[tuple[str, ColumnKind]]:
    """The values of a row, each with the kind of its column."""
    return zip(row, sheet.kinds, strict=True)

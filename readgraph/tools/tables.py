"""Tables of whole documents: all rows that a survey's records make."""

from collections.abc import Mapping
from typing import Any

from readgraph.nodes.extractive.calendar_dates import read_as
from readgraph.nodes.survey.by_pattern import unfilled
from readgraph.nodes.survey.table import table_of
from readgraph.state.page_store import PageStore
from readgraph.state.survey import NO_TABLE, Programme, Table


async def whole_table(pages: PageStore, found: Mapping[str, Any]) -> Table:
    """All rows of the table of a survey with this output, which itself holds a bounded number of them."""
    if found["programme"] is None:
        return NO_TABLE
    return await table_of(pages, found["document"], found["records"], found["programme"], found["same_names"])


def find_notices(programme: Programme | None, table: Table, *, by_pattern: bool) -> list[str]:
    """What a reader of a table must know: columns that no pattern fills, and in which order dates were read."""
    told = list[str]()
    empty = list[str]()
    if by_pattern and programme:
        values = [*zip(*(row["values"] for row in table["rows"]), strict=True)] or [()] * len(table["columns"])
        blank = [name for name, column in zip(table["columns"], values, strict=True) if column and not any(column)]
        empty = [*dict.fromkeys([*unfilled(programme["columns"]), *blank])]
    if empty:
        told.append(f"No pattern fills {', '.join(map(repr, empty))}: that needs a model.")
    orders = dict[str, str]()
    for row in table["rows"]:
        for kind, value in zip(table["kinds"], row["values"], strict=True):
            quotes = (citation["quote"] for citation in row["citations"] if kind == "date")
            if found := next(filter(None, (read_as(quote, value) for quote in quotes)), None):
                orders.setdefault(found[1], found[0])
    return [*told, *(f"{example} was read as {order}." for order, example in orders.items())]

"""Tables of whole documents: all rows that a survey's records make."""

from collections.abc import Mapping
from typing import Any

from readgraph.nodes.survey.table import table_of
from readgraph.state.page_store import PageStore
from readgraph.state.survey import NO_TABLE, Table


async def whole_table(pages: PageStore, found: Mapping[str, Any]) -> Table:
    """All rows of the table of a survey with this output, which itself holds a bounded number of them."""
    if found["programme"] is None:
        return NO_TABLE
    return await table_of(pages, found["document"], found["records"], found["programme"], found["same_names"])

"""A table of what documents hold; see `readgraph.api.functions` for what all functions take."""

from collections.abc import Sequence
from typing import Annotated

from langgraph.store.base import BaseStore
from pydantic import Field

from readgraph.api.documents import documents_as_one
from readgraph.api.functions import cite, pages_of
from readgraph.api.results import LACKS, Cited, OfDocuments, Result
from readgraph.api.running import RunThread, run_method
from readgraph.api.tools import AsOf, Call, OneOrMore, Tool, list_names
from readgraph.features.survey.graph import build_table
from readgraph.features.survey.notices import find_notices
from readgraph.features.survey.table import table_of
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import Listen
from readgraph.state.reading import Citation, Question, Status
from readgraph.state.records import Document
from readgraph.state.tables import NO_TABLE, Table

NO_ROWS = 'Say what the table is to hold, such as "every person: name, role, first appearance".'


class TableRow(Result):
    """A row of a table, with the quotes that show it."""

    values: list[str] = Field(description="In the order of the columns; nothing is an empty text.")
    citations: list[Cited]


class SurveyTable(OfDocuments):
    """All that documents hold of one kind, a row for each."""

    model: str | None = Field(description="None: filled by patterns.")
    columns: list[str]
    kinds: list[str] = Field(description="text, number or date, for each column.")
    rows: list[TableRow]
    status: Status
    by_rule: bool = Field(description="Whether no model took the records.")
    by_table: bool = Field(False, description="Whether rows of the texts' own tables are among them.")
    percent_read: float | None = Field(description="The percentage of the text's words that were gone through.")
    unread: list[int] = Field(description="The parts that could not be read, so that their records are missing.")
    fallbacks: dict[str, int] = Field(description="What could not be used, such as quotes that stand nowhere.")
    notices: list[str] = Field(
        description=f"{LACKS} Columns that nothing fills, and how dates such as 05/03/2024 were read."
    )


async def table(
    library: Library | BaseStore,
    wanted: str,
    *,
    documents: Sequence[str | Document],
    as_of: str = "",
    context: ReaderContext | None = None,
    listen: Listen | None = None,
    thread: RunThread | None = None,
) -> SurveyTable:
    """All that documents hold of one kind, such as "every person: name, role": all rows, each with its quotes.

    Args:
        wanted: What the rows are to be, and their columns; `fields` of the context fixes these.

    Returns:
        The columns and rows, and what a reader must know of them.
    """
    if not wanted.strip():
        raise BadInput(NO_ROWS)
    pages = pages_of(library, context)
    document, question = await documents_as_one(pages, documents, as_of), Question(question=wanted)
    output = await run_method(pages, build_table(), "survey", document, question, context, listen, thread)
    made = NO_TABLE
    if output["programme"]:  # of its table, the output holds a bounded number of rows
        made = await table_of(pages, document.id, output["records"], output["programme"], output["same_names"])
    rows = [TableRow(values=row["values"], citations=cite(document, row["citations"])) for row in made["rows"]]
    complete = {**output, "table": made}
    notices = [*output["notices"], *find_notices(complete)]
    return SurveyTable.of(complete, columns=made["columns"], kinds=[*made["kinds"]], rows=rows, notices=notices)


def unique_citations(table: Table) -> list[Citation]:
    """The citations of all rows of a table, each place once."""
    cited = [citation for row in table["rows"] for citation in row["citations"]]
    return [*{(citation["start"], citation["end"]): citation for citation in cited}.values()]


async def table_tool(
    call: Call,
    wanted: Annotated[str, Field(description="What the rows are, with columns: every person: name, role.")],
    document: OneOrMore,
    as_of: AsOf = "",
) -> SurveyTable:
    """Go through all of a text for things of one kind: a table of all rows, each with its quotes."""
    return await call(table, wanted, documents=list_names(document), as_of=as_of)


TOOL = Tool(name="table", run=table_tool, order=2)

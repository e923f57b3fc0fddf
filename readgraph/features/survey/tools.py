"""The tool by which agents get a table."""

from typing import Annotated

from pydantic import Field

from readgraph.api.tools import AsOf, Call, OneOrMore, list_names
from readgraph.features.survey import functions
from readgraph.features.survey.functions import SurveyTable


async def table(
    call: Call,
    wanted: Annotated[str, Field(description="What the rows are, with columns: every person: name, role.")],
    document: OneOrMore,
    as_of: AsOf = "",
) -> SurveyTable:
    """Go through all of a text for things of one kind: a table of all rows, each with its quotes."""
    return await call(functions.table, wanted, documents=list_names(document), as_of=as_of)

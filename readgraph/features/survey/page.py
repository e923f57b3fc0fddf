"""A table, as the page in the browser makes it."""

from typing import Any

from readgraph.doors.serve.making import Making, Page
from readgraph.features.survey.functions import NO_ROWS, SurveyTable, table, unique_citations
from readgraph.graphs.methods import METHODS
from readgraph.library.library import Library
from readgraph.state.records import Document


async def _with_citations(library: Library, document: Document, made: SurveyTable) -> dict[str, Any]:
    return {**made.output, "citations": unique_citations(made.output["table"]), "notices": made.notices}


TABLE = Making(
    task="table",
    method=METHODS["survey"],
    function=table,
    heading=lambda wanted, title: wanted.text,
    arguments=lambda wanted: {"wanted": wanted.text},
    given=lambda wanted: {"question": wanted.text},
    show=_with_citations,
    lacks=NO_ROWS,
    kept=True,
)
PAGE = Page(makings=(TABLE,))

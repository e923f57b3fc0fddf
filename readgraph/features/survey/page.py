"""A table, as the page in the browser makes it."""

from typing import Any

from fastapi import FastAPI
from fastapi.responses import Response

from readgraph.doors.serve.making import Making, Page
from readgraph.doors.serve.room import Room
from readgraph.features.survey.functions import NO_ROWS, SurveyTable, unique_citations
from readgraph.features.survey.functions import table as make_table
from readgraph.features.survey.table_files import sheet_of, table_bytes
from readgraph.graphs.methods import METHODS
from readgraph.library.collections import members_of
from readgraph.library.library import Library
from readgraph.state.errors import BadInput
from readgraph.state.records import Document


async def _with_citations(library: Library, document: Document, survey_table: SurveyTable) -> dict[str, Any]:
    return {
        **survey_table.output,
        "citations": unique_citations(survey_table.output["table"]),
        "notices": survey_table.notices,
    }


TABLE = Making(
    task="table",
    method=METHODS["survey"],
    function=make_table,
    heading=lambda wanted, title: wanted.text,
    arguments=lambda wanted: {"wanted": wanted.text},
    given=lambda wanted: {"question": wanted.text},
    show=_with_citations,
    lacks=NO_ROWS,
    kept=True,
)


def add_routes(app: FastAPI, room: Room) -> None:
    """The route of a table as a file."""

    @app.get("/api/runs/{run}/table.csv")
    async def table(run: str) -> Response:
        """The table of a run as a CSV file."""
        result = room.run_named(run).result
        made = result and (result["report"]["found"] or {}).get("table")
        if not result or not made:
            raise BadInput("This run made no table.")
        document = await room.pages.document(result["document"])
        sheet = sheet_of(made, await members_of(room.pages, document))
        headers = {"content-disposition": 'attachment; filename="table.csv"'}
        return Response(table_bytes(sheet, ".csv"), media_type="text/csv", headers=headers)


PAGE = Page(makings=(TABLE,), add_routes=add_routes)

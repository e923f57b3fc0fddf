"""A table, as the page in the browser makes it."""

from typing import Any

from fastapi import FastAPI
from fastapi.responses import Response

from readgraph.api.running import RunThread
from readgraph.doors.serve.making import Making, Page
from readgraph.doors.serve.room import Room
from readgraph.features.survey.functions import NO_ROWS
from readgraph.features.survey.functions import table as make_table
from readgraph.features.survey.table_files import sheet_of, table_bytes
from readgraph.graphs.methods import METHODS
from readgraph.library.collections import members_of
from readgraph.library.library import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import Listen
from readgraph.state.records import Document


class TableMaking(Making):
    """A table, as the page in the browser makes it."""

    method = METHODS["survey"]
    task = "table"
    lacks = NO_ROWS
    kept = True

    def heading(self, title: str) -> str:
        """What stands above it."""
        return self.text

    def given(self) -> dict[str, Any]:
        """What the graph is given besides the document."""
        return {"question": self.text}

    async def make(
        self, library: Library, document: Document, context: ReaderContext, listen: Listen, thread: RunThread
    ) -> dict[str, Any]:
        """The output of the graph that makes it."""
        made = await make_table(library, self.text, documents=[document], thread=thread, context=context, listen=listen)
        cited = [citation for row in made.output["table"]["rows"] for citation in row["citations"]]
        unique = {(each["start"], each["end"]): each for each in cited}
        return {**made.output, "citations": [*unique.values()], "notices": made.notices}


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


PAGE = Page(makings=(TableMaking,), add_routes=add_routes)

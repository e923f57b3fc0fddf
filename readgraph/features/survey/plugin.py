"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.api.tools import Tool
    from readgraph.doors.serve.making import Page
    from readgraph.state.declaring import Settings


@hookimpl
def methods() -> list[Method]:
    return [
        Method(
            name="survey",
            line="Goes through all parts for records; counts, lists, compares them.",
            graph="readgraph.features.survey.graph:graph",
            notices="readgraph.features.survey.notices:find_notices",
            order=6,
        )
    ]


@hookimpl
def commands() -> list[Command]:
    return [
        Command(
            "readgraph.features.survey.command:table",
            "Make a table of all that documents hold of one kind; each row has the quote that shows it, and its place.",
            panel="More with texts",
            order=4,
        )
    ]


@hookimpl
def settings() -> "list[type[Settings]]":
    from readgraph.features.survey.settings import Surveying

    return [Surveying]


@hookimpl
def functions() -> dict[str, str]:
    return {"table": "readgraph.features.survey.functions:table"}


@hookimpl
def tools() -> "list[Tool]":
    from readgraph.api.tools import Tool
    from readgraph.features.survey.functions import table_tool

    return [Tool(name="table", run=table_tool, order=2)]


@hookimpl
def pages() -> "list[Page]":
    from readgraph.features.survey.page import PAGE

    return [PAGE]

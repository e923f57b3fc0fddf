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
    """The survey."""
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
    """Its command, with its place in the help."""
    return [
        Command(
            run="readgraph.features.survey.command:table",
            line=(
                "Make a table of all that documents hold of one kind; each row has the quote that shows it, and "
                "its place."
            ),
            panel="More with texts",
            order=4,
        )
    ]


@hookimpl
def settings() -> "list[type[Settings]]":
    """Its settings."""
    from readgraph.features.survey.settings import Surveying

    return [Surveying]


@hookimpl
def functions() -> dict[str, str]:
    """Its function of `readgraph.api`."""
    return {"table": "readgraph.features.survey.functions:table"}


@hookimpl
def tools() -> "list[Tool]":
    """Its tool of agents."""
    from readgraph.api.tools import Tool
    from readgraph.features.survey.tools import table

    return [Tool(run=table, order=2)]


@hookimpl
def pages() -> "list[Page]":
    """What it adds to the page in the browser."""
    from readgraph.features.survey.page import PAGE

    return [PAGE]

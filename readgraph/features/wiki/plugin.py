"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.api.tools import Tool
    from readgraph.doors.serve.making import Page


@hookimpl
def methods() -> list[Method]:
    """The wiki."""
    return [
        Method(
            name="wiki",
            kind="part",
            graph="readgraph.features.wiki.graph:graph",
            served="Makes a wiki of documents: pages of persons, places, things and topics; each sentence names its quotes.",  # noqa: E501
            order=12,
        )
    ]


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    return [
        Command(
            run="readgraph.features.wiki.command:wiki",
            line=(
                "Make a wiki of documents: Markdown pages of persons, places, things and topics. Each sentence "
                "names its quote."
            ),
            panel="More with texts",
            order=3,
        )
    ]


@hookimpl
def functions() -> dict[str, str]:
    """Its function of `readgraph.api`."""
    return {"wiki": "readgraph.features.wiki.functions:wiki"}


@hookimpl
def tools() -> "list[Tool]":
    """Its tool of agents."""
    from readgraph.api.tools import Tool
    from readgraph.features.wiki.tools import wiki

    return [Tool(run=wiki, order=4)]


@hookimpl
def pages() -> "list[Page]":
    """What it adds to the page in the browser."""
    from readgraph.features.wiki.page import PAGE

    return [PAGE]

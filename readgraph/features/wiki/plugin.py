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
    return [
        Command(
            "readgraph.features.wiki.command:wiki",
            "Make a wiki of documents: Markdown pages of persons, places, things and topics. Each sentence "
            "names its quote.",
            panel="More with texts",
            order=3,
        )
    ]


@hookimpl
def functions() -> dict[str, str]:
    return {"wiki": "readgraph.features.wiki.functions:wiki"}


@hookimpl
def tools() -> "list[Tool]":
    from readgraph.api.tools import Tool
    from readgraph.features.wiki.functions import wiki_tool

    return [Tool(name="wiki", run=wiki_tool, order=4)]


@hookimpl
def pages() -> "list[Page]":
    from readgraph.features.wiki.page import PAGE

    return [PAGE]

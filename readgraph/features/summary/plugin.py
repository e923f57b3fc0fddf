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
            name="summary",
            kind="row",
            line="A summary, where a question asks for one; each sentence is checked.",
            note="gist",
            graph="readgraph.features.summary.graph:graph",
            instead="'readgraph summarise' writes summaries, and 'readgraph evaluate' takes it on a dataset of summaries",  # noqa: E501
            served="Summarises a long document, or a part of it, at a wanted length; each sentence is checked and cited.",  # noqa: E501
            order=10,
        )
    ]


@hookimpl
def commands() -> list[Command]:
    return [
        Command(
            "readgraph.features.summary.command:summarise",
            "Summarise documents, or a part of them. Each sentence names where it stands, and is checked "
            "against the text.",
            panel="Start",
            order=3,
        )
    ]


@hookimpl
def settings() -> "list[type[Settings]]":
    from readgraph.features.summary.settings import SummaryForm

    return [SummaryForm]


@hookimpl
def functions() -> dict[str, str]:
    return {"summarise": "readgraph.features.summary.functions:summarise"}


@hookimpl
def tools() -> "list[Tool]":
    from readgraph.api.tools import Tool
    from readgraph.features.summary.functions import summarise_tool

    return [Tool(name="summarise", run=summarise_tool, order=1)]


@hookimpl
def pages() -> "list[Page]":
    from readgraph.features.summary.page import PAGE

    return [PAGE]

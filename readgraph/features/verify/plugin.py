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
            name="verify",
            kind="part",
            graph="readgraph.features.verify.graph:graph",
            served="Checks a draft against a document: each sentence is supported, contradicted or not found, with quotes.",  # noqa: E501
            order=11,
        )
    ]


@hookimpl
def commands() -> list[Command]:
    return [
        Command(
            "readgraph.features.verify.command:verify",
            "Check a text against documents, sentence by sentence: is it supported, contradicted, or not found?",
            panel="More with texts",
            order=2,
        )
    ]


@hookimpl
def functions() -> dict[str, str]:
    return {"verify": "readgraph.features.verify.functions:verify"}


@hookimpl
def tools() -> "list[Tool]":
    from readgraph.api.tools import Tool
    from readgraph.features.verify.functions import verify_tool

    return [Tool(name="verify", run=verify_tool, order=3)]


@hookimpl
def pages() -> "list[Page]":
    from readgraph.features.verify.page import PAGE

    return [PAGE]

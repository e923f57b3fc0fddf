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
    """The check of a draft."""
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
    """Its command, with its place in the help."""
    return [
        Command(
            run="readgraph.features.verify.command:verify",
            line="Check a text against documents, sentence by sentence: is it supported, contradicted, or not found?",
            panel="More with texts",
            order=2,
        )
    ]


@hookimpl
def functions() -> dict[str, str]:
    """Its function of `readgraph.api`."""
    return {"verify": "readgraph.features.verify.functions:verify"}


@hookimpl
def tools() -> "list[Tool]":
    """Its tool of agents."""
    from readgraph.api.tools import Tool
    from readgraph.features.verify.tools import verify

    return [Tool(run=verify, order=3)]


@hookimpl
def pages() -> "list[Page]":
    """What it adds to the page in the browser."""
    from readgraph.features.verify.page import PAGE

    return [PAGE]

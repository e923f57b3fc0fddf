"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.api.tools import Tool


@hookimpl
def methods() -> list[Method]:
    return [
        Method(
            name="changes",
            kind="part",
            graph="readgraph.features.changes.graph:graph",
            served="Compares two documents: what was added, removed, changed and moved, with both quotes.",
            order=13,
        )
    ]


@hookimpl
def commands() -> list[Command]:
    return [
        Command(
            "readgraph.features.changes.command:changes",
            "Compare two documents or versions of one: what was added, removed, changed and moved?",
            panel="More with texts",
            order=3,
        )
    ]


@hookimpl
def functions() -> dict[str, str]:
    return {"changes": "readgraph.features.changes.functions:changes"}


@hookimpl
def tools() -> "list[Tool]":
    from readgraph.api.tools import Tool
    from readgraph.features.changes.functions import changes_tool

    return [Tool(name="changes", run=changes_tool, order=3)]

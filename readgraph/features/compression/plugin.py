"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.api.tools import Tool
    from readgraph.library.upkeep.own_records import OwnRecords


@hookimpl
def commands() -> list[Command]:
    return [
        Command(
            "readgraph.features.compression.command:compress",
            "Fit documents into a budget of tokens, for a prompt of your own. Standard output holds the text "
            "and nothing else.",
            panel="More with texts",
            order=5,
        )
    ]


@hookimpl
def functions() -> dict[str, str]:
    return {"compress": "readgraph.features.compression.functions:compress"}


@hookimpl
def records() -> "list[OwnRecords]":
    """Which documents its engines keep."""
    from readgraph.features.compression.kept import forget_ingested
    from readgraph.library.upkeep.own_records import OwnRecords

    return [OwnRecords(forget=forget_ingested)]


@hookimpl
def tools() -> "list[Tool]":
    from readgraph.api.tools import Tool
    from readgraph.features.compression.functions import compress_tool

    return [Tool(name="compress", run=compress_tool, order=5)]

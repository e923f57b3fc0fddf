"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.api.tools import Tool
    from readgraph.library.upkeep.own_records import OwnRecords


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    return [
        Command(
            run="readgraph.features.compression.command:compress",
            line=(
                "Fit documents into a budget of tokens, for a prompt of your own. Standard output holds the text "
                "and nothing else."
            ),
            panel="More with texts",
            order=5,
        )
    ]


@hookimpl
def functions() -> dict[str, str]:
    """Its function of `readgraph.api`."""
    return {"compress": "readgraph.features.compression.functions:compress"}


@hookimpl
def records() -> "list[OwnRecords]":
    """Which documents its engines keep."""
    from readgraph.features.compression.kept import forget_ingested
    from readgraph.library.upkeep.own_records import OwnRecords

    return [OwnRecords(forget=forget_ingested)]


@hookimpl
def tools() -> "list[Tool]":
    """Its tool of agents."""
    from readgraph.api.tools import Tool
    from readgraph.features.compression.tools import compress

    return [Tool(run=compress, order=5)]

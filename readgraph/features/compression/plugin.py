"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.api.tools import Tool


@hookimpl
def commands() -> list[Command]:
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
    return {"compress": "readgraph.features.compression.functions:compress"}


@hookimpl
def tools() -> "list[Tool]":
    from readgraph.api.tools import Tool
    from readgraph.features.compression.functions import compress_tool

    return [Tool(name="compress", run=compress_tool, order=5)]

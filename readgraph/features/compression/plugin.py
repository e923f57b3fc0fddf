"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.api.tools import Tool


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    from readgraph.features.compression.command import compress

    return [Command(run=compress, panel="More with texts", order=5)]


@hookimpl
def functions() -> dict[str, str]:
    """Its function of `readgraph.api`."""
    return {"compress": "readgraph.features.compression.functions:compress"}


@hookimpl
def tools() -> "list[Tool]":
    """Its tool of agents."""
    from readgraph.api.tools import Tool
    from readgraph.features.compression.functions import compress_tool

    return [Tool(name="compress", run=compress_tool, order=5)]

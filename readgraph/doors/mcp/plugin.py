"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    return [
        Command(
            "readgraph.doors.mcp.command:mcp",
            "Serve the library to agents over the Model Context Protocol (MCP): they list, read, ask, search "
            "and remember.",
            panel="For programs",
            order=1,
        )
    ]

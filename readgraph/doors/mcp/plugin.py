"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.plugins import give

commands = give(
    Command(
        "readgraph.doors.mcp.command:mcp",
        "Serve the library to agents over the Model Context Protocol (MCP): they list, read, ask, search and remember.",
        panel="For programs",
        order=1,
    )
)

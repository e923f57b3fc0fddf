"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.plugins import give

commands = give(
    Command(
        "readgraph.doors.serve.command:serve",
        "Open the library in the browser: read documents and watch how, ask about them, look at every page and note.",
        panel="Start",
        order=5,
    )
)

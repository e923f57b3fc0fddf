"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.plugins import give

commands = give(
    Command(
        "readgraph.doors.corpus.command:corpus",
        "Read every document of a folder, with many workers. What was read before is not read again.",
        panel="For programs",
        order=4,
    )
)

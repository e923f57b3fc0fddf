"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    from readgraph.doors.corpus.command import corpus

    return [Command(run=corpus, panel="For programs", order=4)]

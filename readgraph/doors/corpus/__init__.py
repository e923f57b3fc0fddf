"""Many documents, read by many workers into one library: processes of this machine, or Ray's."""

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    from readgraph.doors.corpus.command import corpus

    return [Command(run=corpus, panel="For programs", order=4)]

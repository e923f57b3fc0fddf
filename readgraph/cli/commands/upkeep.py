"""`library`: look after the library's files."""

import typer

from readgraph.cli.commands.helping import HelpfulGroup
from readgraph.cli.commands.options import Json, LibraryFolder

library = typer.Typer(cls=HelpfulGroup, help="Look after the library's files.", no_args_is_help=True)


@library.callback()
def _group() -> None:
    """Keep the name of the one command."""


@library.command("compact")
def compact_library(library: LibraryFolder = None, as_json: Json = False) -> None:
    """Drop the steps of old questions, and give the disk back what isn't used any more.

    Documents, memories, replies and the newest questions stay.
    """
    from readgraph.cli.run.compact import compact_library as compact

    compact(library, as_json=as_json)

"""`library`: look after the library's files."""

from typing import Annotated

import typer

from readgraph.cli.commands.helping import HelpfulGroup
from readgraph.cli.commands.options import Json, LibraryFolder

library = typer.Typer(cls=HelpfulGroup, help="Look after the library's files.", no_args_is_help=True)


@library.command("compact")
def compact_library(library: LibraryFolder = None, as_json: Json = False) -> None:
    """Drop the steps of old questions, and give the disk back what isn't used any more.

    Documents, memories, replies and the newest questions stay.
    """
    from readgraph.cli.run.compact import compact_library as compact

    compact(library, as_json=as_json)


@library.command("batches")
def show_batches(
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Cancel them, and keep the replies that they have; what is done is paid.")
    ] = False,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """List the batches of calls that model servers still work on (`--batch`), or cancel them."""
    from readgraph.cli.run.batches import cancel_batches, list_batches

    (cancel_batches if cancel else list_batches)(library, as_json=as_json)

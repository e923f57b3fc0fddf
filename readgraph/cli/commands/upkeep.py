"""`library`: look after the library's files."""

from pathlib import Path
from typing import Annotated, Any

import typer

from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.options.screen import Json
from readgraph.cli.shell.helping import HelpfulGroup
from readgraph.state.files.library_address import library_place

COPIED = "A library: a folder, or postgresql://user@host/db."
FILLED = "A new folder, or an empty database."

library = typer.Typer(cls=HelpfulGroup, help="Look after the library's files.", no_args_is_help=True)


@library.command("compact")
def compact_library(library: LibraryFolder = None, as_json: Json = False) -> None:
    """Drop the steps of old questions, and give the disk back what isn't used any more.

    Documents, memories, replies and the newest questions stay.
    """
    from readgraph.cli.run.library.compact import compact_library as compact

    compact(library, as_json=as_json)


@library.command("check")
def check_library(library: LibraryFolder = None, as_json: Json = False) -> None:
    """See whether the library is whole: its files, texts, memories and threads. Nothing is changed.

    The exit code is 1 where something is wrong.
    """
    from readgraph.cli.run.library.upkeep import check_library as check

    check(library, as_json=as_json)


@library.command("repair")
def repair_library(library: LibraryFolder = None, as_json: Json = False) -> None:
    """Mend what 'readgraph library check' finds: what can be made again is dropped, and made again when it is needed.

    Replies that were paid for stay. The exit code is 1 where something is left that can't be mended.
    """
    from readgraph.cli.run.library.upkeep import repair_library as repair

    repair(library, as_json=as_json)


@library.command("backup")
def back_up_library(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder for the copy.", show_default=False)],
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Copy the library into a new folder, while others use it. The copy is a library: --library FOLDER opens it."""
    from readgraph.cli.run.library.upkeep import back_up_library as back_up

    back_up(folder, library, as_json=as_json)


@library.command("copy")
def copy_library(
    source: Annotated[Any, typer.Argument(metavar="FROM", parser=library_place, help=COPIED, show_default=False)],
    target: Annotated[Any, typer.Argument(metavar="TO", parser=library_place, help=FILLED, show_default=False)],
    as_json: Json = False,
) -> None:
    """Copy a library from a folder to a server, back, or to another of its kind, and compare the two.

    The first one stays as it is. A copy that was stopped is begun anew.
    """
    from readgraph.cli.run.library.upkeep import copy_library as copy

    copy(source, target, as_json=as_json)


@library.command("batches")
def show_batches(
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Cancel them, and keep the replies that they have; what is done is paid.")
    ] = False,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """List the batches of calls that model servers still work on (`--batch`), or cancel them."""
    from readgraph.cli.run.library.batches import cancel_batches, list_batches

    (cancel_batches if cancel else list_batches)(library, as_json=as_json)

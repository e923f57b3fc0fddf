"""`replies`: move recorded replies."""

from pathlib import Path
from typing import Annotated

import typer

from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.shell.helping import HelpfulGroup

replies = typer.Typer(
    cls=HelpfulGroup, help="Export and import recorded replies, so that a run can be repeated without paying again."
)
Archive = Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A file of JSON lines.", show_default=False)]


@replies.command("export")
def export_replies(
    file: Archive,
    document: Annotated[str, typer.Option(help="Only the replies about this document: a file, an id or a title.")] = "",
    library: LibraryFolder = None,
) -> None:
    """Write the recorded replies to a file."""
    from readgraph.cli.run.library.replies import export_replies as export

    export(file, document, library)


@replies.command("import")
def import_replies(file: Archive, library: LibraryFolder = None) -> None:
    """Import the replies of a file; replies that are already recorded stay as they are."""
    from readgraph.cli.run.library.replies import import_replies as take_in

    take_in(file, library)

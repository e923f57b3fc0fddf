"""`replies`: move recorded replies."""

from pathlib import Path
from typing import Annotated

import typer

from readgraph.cli.options import LibraryFolder

replies = typer.Typer(help="Move recorded replies, so that anyone can replay a run without paying for it.")
Archive = Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A file of JSON lines.", show_default=False)]


@replies.command("export")
def export_replies(
    file: Archive,
    document: Annotated[str, typer.Option(help="Only the replies about this document: a file, an id or a title.")] = "",
    library: LibraryFolder = None,
) -> None:
    """Write the recorded replies to a file."""
    from readgraph.cli.archiving import export_replies as export

    export(file, document, library)


@replies.command("import")
def import_replies(file: Archive, library: LibraryFolder = None) -> None:
    """Take the replies of a file in; what is recorded already stays as it is."""
    from readgraph.cli.archiving import import_replies as take_in

    take_in(file, library)

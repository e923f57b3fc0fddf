"""The commands for the library's documents: show them, forget them."""

from typing import Annotated

import typer

from readgraph.cli.commands.options import (
    Json,
    LibraryFolder,
    Report,
    Sure,
    check_alone,
)

library_commands = typer.Typer()


@library_commands.command()
def show(
    run: typer.Context,
    document: Annotated[
        str,
        typer.Argument(
            metavar="DOCUMENT", help="The document whose pages to show: a file, an id, a title or a part of one."
        ),
    ] = "",
    library: LibraryFolder = None,
    report: Report = None,
    as_json: Json = False,
) -> None:
    """List what the library holds, or a document's pages with their gists."""
    from readgraph.cli.run.show import report_document, show_document, show_library

    if report:
        check_alone(run, "writes a file and prints nothing", "--report", "--library")
        report_document(document, library, report)
    elif document:
        show_document(document, library, as_json=as_json)
    else:
        show_library(library, as_json=as_json)


@library_commands.command()
def forget(
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="A file, an id or a title.", show_default=False)],
    yes: Sure = False,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Delete a document from the library, with its memories, recorded replies and checkpoints."""
    from readgraph.cli.run.forget import forget as forget_named

    forget_named(document, library, sure=yes, as_json=as_json)

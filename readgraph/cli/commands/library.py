"""The commands for the library's documents: show them, forget them."""

from typing import Annotated

import typer

from readgraph.cli.commands.options import (
    Json,
    LibraryFolder,
    OpenReport,
    Report,
    Sure,
    check_alone,
    check_open,
)
from readgraph.state.errors import BadInput

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
    page: Annotated[
        int | None,
        typer.Option("--page", min=0, metavar="N", help="Show the text of this page: of p. 4 in a citation, 4."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="PLACE", help="Show the text at a place in the source's own terms, such as 'PDF page 58'."
        ),
    ] = None,
    quote: Annotated[
        str | None,
        typer.Option("--quote", metavar="TEXT", help="Mark these words; without --page or --at, show their page."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="NAME", help="Show the memory of this method; else the newest."),
    ] = None,
    library: LibraryFolder = None,
    report: Report = None,
    opened: OpenReport = False,
    as_json: Json = False,
) -> None:
    """List what the library holds, or a document's pages with their gists, or the text where a citation stands.

    Example: readgraph show report.pdf --at "PDF page 58" --quote "maximum discharge"
    """
    check_open(report, opened=opened)
    if report:
        from readgraph.cli.run.show import report_document

        check_alone(run, "writes a file and prints nothing", "--report", "--library", "--method", "--open")
        report_document(document, library, method, report, opened=opened)
    elif page is not None or at is not None or quote is not None:
        from readgraph.cli.run.show_place import show_place

        show_place(document, library, page=page, at=at, quote=quote, method=method, as_json=as_json)
    elif document:
        from readgraph.cli.run.show import show_document

        show_document(document, library, method=method, as_json=as_json)
    elif method:
        raise BadInput("--method chooses the memory of a document: name one.")
    else:
        from readgraph.cli.run.show import show_library

        show_library(library, as_json=as_json)


@library_commands.command()
def search(
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What to search for.", show_default=False)],
    documents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DOCUMENT",
            help="Search only these: files that were read, ids, titles or parts of titles.",
            show_default=False,
        ),
    ] = None,
    most: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Show at most this many passages.")] = 10,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Search the texts of the library by words, and show the passages with their places. No model is asked.

    Example: readgraph search "log book" lamp
    """
    from readgraph.cli.run.search import search as search_library

    search_library(words, documents or [], most, library, as_json=as_json)


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

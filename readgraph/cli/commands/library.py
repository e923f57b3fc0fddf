"""The commands for the library's documents: show them, correct their notes, search them, forget them."""

from typing import Annotated

import typer

from readgraph.cli.options.shared import (
    CollectionName,
    Json,
    LibraryFolder,
    MemoryOfMethod,
    OpenReport,
    Report,
    Sure,
    check_alone,
    check_open,
)
from readgraph.cli.shell.completing import complete_sources, completing, identities
from readgraph.state.errors import BadInput

library_commands = typer.Typer()


@library_commands.command()
def show(
    run: typer.Context,
    document: Annotated[
        str,
        typer.Argument(
            metavar="DOCUMENT",
            help="The document to show: a file, an id, a title or some words of one.",
            autocompletion=complete_sources,
        ),
    ] = "",
    page: Annotated[
        str | None,
        typer.Option(
            "--page",
            metavar="N",
            help="Show this page of the source: of 'PDF page 58 (50)', 58; where it has no pages, this part.",
        ),
    ] = None,
    part: Annotated[
        int | None,
        typer.Option("--part", min=0, metavar="N", help="Show this part, as readgraph divided the text: of part 4, 4."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="PLACE", help="Show the text at a place in the source's own terms, such as 'PDF page 58'."
        ),
    ] = None,
    quote: Annotated[
        str | None,
        typer.Option("--quote", metavar="TEXT", help="Mark these words; without a place, show the part that has them."),
    ] = None,
    method: MemoryOfMethod = None,
    made_for: Annotated[
        str | None,
        typer.Option(
            "--purpose",
            metavar="TEXT",
            help="Show the memory whose purpose has these words; '' is one without purpose.",
        ),
    ] = None,
    library: LibraryFolder = None,
    report: Report = None,
    opened: OpenReport = False,
    as_json: Json = False,
) -> None:
    """List what the library holds, or a document's parts with their gists, or the text where a citation stands.

    Example: readgraph show report.pdf --page 58 --quote "maximum discharge"
    """
    check_open(report, opened=opened)
    if report:
        from readgraph.cli.run.library.show import report_document

        check_alone(run, "writes a file and prints nothing", "--report", "--library", "--method", "--purpose", "--open")
        report_document(document, library, method, made_for, report, opened=opened)
    elif any(value is not None for value in (page, part, at, quote)):
        if made_for is not None:
            raise BadInput("--purpose chooses whose notes are shown, and a place shows the text: leave --purpose out.")
        from readgraph.cli.run.library.show_place import Wanted, show_place

        show_place(document, library, Wanted(page, part, at, quote), method, as_json=as_json)
    elif document:
        from readgraph.cli.run.library.show import show_document

        show_document(document, library, method=method, purpose=made_for, as_json=as_json)
    elif method or made_for is not None:
        raise BadInput("--method and --purpose choose the memory of a document: name one.")
    else:
        from readgraph.cli.run.library.show import show_library

        show_library(library, as_json=as_json)


@library_commands.command()
def correct(
    document: Annotated[
        str,
        typer.Argument(
            metavar="DOCUMENT",
            help="A document that was read: a file, an id, a title or some words of one.",
            autocompletion=complete_sources,
            show_default=False,
        ),
    ],
    page: Annotated[
        str | None,
        typer.Option("--page", metavar="N", help="Correct the note of the part with this page of the source."),
    ] = None,
    part: Annotated[
        int | None, typer.Option("--part", min=0, metavar="N", help="Correct the note of this part.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="PLACE", help="Correct the note of the part at this place, such as 'PDF page 58'."
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="The note as it should be; else an editor opens.")
    ] = None,
    restore: Annotated[bool, typer.Option("--restore", help="Put the method's own note back.")] = False,
    method: MemoryOfMethod = None,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Replace a part's gist, summary or memo by your own words, which are kept when the document is read again.

    Example: readgraph correct report.pdf --part 4 --text "The discharge is 40 litres, not 400."
    """
    from readgraph.cli.run.library.correct import correct_note
    from readgraph.cli.run.library.show_place import Wanted

    correct_note(document, library, Wanted(page, part, at), text, method, restoring=restore, as_json=as_json)


@library_commands.command()
def search(
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What to search for.", show_default=False)],
    documents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DOCUMENT",
            help="Search only these: files that were read, ids, titles or parts of titles.",
            autocompletion=complete_sources,
            show_default=False,
        ),
    ] = None,
    most: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Show at most this many passages.")] = 10,
    collection: CollectionName = None,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Search the texts of the library by words, and show the passages with their places. No model is asked.

    Example: readgraph search "log book" lamp
    """
    from readgraph.cli.run.library.search import search as search_library

    search_library(words, documents or [], collection, most, library, as_json=as_json)


@library_commands.command()
def forget(
    document: Annotated[
        str,
        typer.Argument(
            metavar="DOCUMENT",
            help="A file, an id or a title.",
            show_default=False,
            autocompletion=completing(identities),
        ),
    ],
    yes: Sure = False,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Delete a document from the library, with its memories, recorded replies and checkpoints."""
    from readgraph.cli.run.library.forget import forget as forget_named

    forget_named(document, library, sure=yes, as_json=as_json)

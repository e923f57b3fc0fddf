"""The commands for the library's documents: show them, correct their notes, search them, forget them."""

from typing import Annotated

import typer

from readgraph.cli.options.checks import check_alone
from readgraph.cli.options.documents import CollectionName, LibraryFolder, Sure
from readgraph.cli.options.documents import document as document_argument
from readgraph.cli.options.places import CorrectOptions, ShowOptions, WantedPlace
from readgraph.cli.options.reports import check_open
from readgraph.cli.options.screen import Json
from readgraph.cli.shell.completing import completing, identities
from readgraph.cli.shell.grouped import with_options
from readgraph.state.errors import BadInput

library_commands = typer.Typer()


@library_commands.command()
@with_options(ShowOptions)
def show(run: typer.Context, options: ShowOptions) -> None:
    """List what the library holds, or a document's parts with their gists, or the text where a citation stands.

    Example: readgraph show report.pdf --page 58 --quote "maximum discharge"
    """
    check_open(options.report, opened=options.opened)
    if options.report:
        from readgraph.cli.run.library.show import report_document

        check_alone(run, "writes a file and prints nothing", "--report", "--library", "--method", "--purpose", "--open")
        report_document(options, options.report)
    elif options.place != WantedPlace():
        if options.made_for is not None:
            raise BadInput("--purpose chooses whose notes are shown, and a place shows the text: leave --purpose out.")
        from readgraph.cli.run.library.show_place import show_place

        show_place(options)
    elif options.document:
        from readgraph.cli.run.library.show import show_document

        show_document(options)
    elif options.method or options.made_for is not None:
        raise BadInput("--method and --purpose choose the memory of a document: name one.")
    else:
        from readgraph.cli.run.library.show import show_library

        show_library(options.library, as_json=options.as_json)


@library_commands.command()
@with_options(CorrectOptions)
def correct(options: CorrectOptions) -> None:
    """Replace a part's gist, summary or memo by your own words, which are kept when the document is read again.

    Example: readgraph correct report.pdf --part 4 --text "The discharge is 40 litres, not 400."
    """
    from readgraph.cli.run.library.correct import correct_note

    correct_note(options)


@library_commands.command()
def search(
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What to search for.", show_default=False)],
    documents: Annotated[
        list[str] | None,
        document_argument(
            "Search only these: files that were read, ids, titles or parts of titles.", show_default=False
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

"""The commands for what a library holds: show, correct, search, forget, collection, replies, library, agents, chat."""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Context, Option, Typer

from readgraph.cli.help import HelpfulGroup
from readgraph.cli.options import documents as given
from readgraph.cli.options.documents import LibraryFolder
from readgraph.cli.options.output import Json
from readgraph.cli.options.settings import with_options
from readgraph.cli.shell import collections, completer_of, identities
from readgraph.library.address import library_place


@with_options(given.ShowOptions)
def show(run: Context, options: given.ShowOptions) -> None:
    """Show the library, a document, or a place in one.

    Example: readgraph show report.pdf --page 58 --quote "maximum discharge"
    """
    from readgraph.cli.run.show import show_by_options

    show_by_options(run, options)


@with_options(given.CorrectOptions)
def correct(options: given.CorrectOptions) -> None:
    """Replace a note, or put the method's own back.

    Example: readgraph correct report.pdf --part 4 --text "The discharge is 40 litres, not 400."
    """
    from readgraph.cli.run.library import correct_note

    correct_note(options)


@with_options(given.SearchOptions)
def search(options: given.SearchOptions) -> None:
    """Search by words.

    Example: readgraph search "log book" lamp
    """
    from readgraph.cli.run.search import search

    search(options)


def forget(
    document: str = Argument(
        metavar="DOCUMENT", help="A file, an id or a title.", autocompletion=completer_of(identities)
    ),
    yes: given.Sure = False,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Delete a document, once the user agrees."""
    from readgraph.cli.run.library import forget

    forget(document=document, yes=yes, library=library, as_json=as_json)


collection = Typer(cls=HelpfulGroup, no_args_is_help=True)
Name = Annotated[str, Argument(metavar="NAME", help="The collection's name.", autocompletion=completer_of(collections))]


@collection.command("add")
def add_documents(
    name: Name,
    documents: Annotated[list[str], given.document_argument(f"Documents of the library: {given.WHICH}")],
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Add documents to a collection; a new name makes one.

    Example: readgraph collection add lighthouses lamp "Sarn Head"
    """
    from readgraph.cli.run.library import add_documents

    add_documents(name=name, documents=documents, library=library, as_json=as_json)


@collection.command("list")
def list_collections(library: LibraryFolder = None, as_json: Json = False) -> None:
    """List the collections with their documents."""
    from readgraph.cli.run.library import list_collections

    list_collections(library=library, as_json=as_json)


@collection.command("remove")
def remove_documents(
    name: Name,
    documents: Annotated[
        list[str] | None,
        given.document_argument(f"Take only these out: {given.WHICH} Without any, the collection is removed."),
    ] = None,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Take documents out of a collection, or remove it; the library keeps the documents."""
    from readgraph.cli.run.library import remove_documents

    remove_documents(name=name, documents=documents, library=library, as_json=as_json)


replies = Typer(cls=HelpfulGroup)
Archive = Annotated[Path, Argument(metavar="ARCHIVE", help="A file of JSON lines.")]


@replies.command("export")
def export_replies(
    file: Archive,
    document: str = Option("", help="Only the replies about this document: a file, an id or a title."),
    library: LibraryFolder = None,
) -> None:
    """Write the saved replies to a file."""
    from readgraph.cli.run.library import export_replies

    export_replies(file=file, document=document, library=library)


@replies.command("import")
def import_replies(file: Archive, library: LibraryFolder = None) -> None:
    """Import the replies of a file; replies that are already saved stay as they are."""
    from readgraph.cli.run.library import import_replies

    import_replies(file=file, library=library)


COPIED = "A library: a folder, or postgresql://user@host/db."
FILLED = "A new folder, or an empty database."
library = Typer(cls=HelpfulGroup, no_args_is_help=True)


@library.command("compact")
def compact_library(library: LibraryFolder = None, as_json: Json = False) -> None:
    """Drop the steps of old questions, and give the disk back what isn't used any more.

    Documents, memories, replies and the newest questions stay.
    """
    from readgraph.cli.run.library import compact_library

    compact_library(library=library, as_json=as_json)


@library.command("check")
def check_library(library: LibraryFolder = None, as_json: Json = False) -> None:
    """See whether the library is whole: its files, texts, memories and threads. Nothing is changed.

    The exit code is 1 where something is wrong.
    """
    from readgraph.cli.run.library import check_library

    check_library(library=library, as_json=as_json)


@library.command("repair")
def repair_library(library: LibraryFolder = None, as_json: Json = False) -> None:
    """Mend what 'readgraph library check' finds: what can be made again is dropped, and made again when it is needed.

    Replies that were paid for stay. The exit code is 1 where something is left that can't be mended.
    """
    from readgraph.cli.run.library import repair_library

    repair_library(library=library, as_json=as_json)


@library.command("backup")
def back_up_library(
    folder: Path = Argument(metavar="FOLDER", help="A new folder for the copy."),
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Copy the library into a new folder, while others use it. The copy is a library: --library FOLDER opens it."""
    from readgraph.cli.run.library import back_up_library

    back_up_library(folder=folder, library=library, as_json=as_json)


@library.command("copy")
def copy_library(
    source: Any = Argument(metavar="FROM", parser=library_place, help=COPIED),
    target: Any = Argument(metavar="TO", parser=library_place, help=FILLED),
    as_json: Json = False,
) -> None:
    """Copy a library from a folder to a server, back, or to another of its kind, and compare the two.

    The first one stays as it is. A copy that was stopped is begun anew.
    """
    from readgraph.cli.run.library import copy_library

    copy_library(source=source, target=target, as_json=as_json)

"""`collection`: documents under a name."""

from typing import Annotated

import typer

from readgraph.cli.options.documents import WHICH, LibraryFolder, document
from readgraph.cli.options.screen import Json
from readgraph.cli.shell.completing import collections, completing
from readgraph.cli.shell.helping import HelpfulGroup

collection = typer.Typer(
    cls=HelpfulGroup, help="Keep documents under a name, for ask and search.", no_args_is_help=True
)
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The collection's name.",
        show_default=False,
        autocompletion=completing(collections),
    ),
]


@collection.command("add")
def add_documents(
    name: Name,
    documents: Annotated[
        list[str],
        document(f"Documents of the library: {WHICH}", show_default=False),
    ],
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Add documents to a collection; a new name makes one.

    Example: readgraph collection add lighthouses lamp "Sarn Head"
    """
    from readgraph.cli.run.library.collection import add

    add(name, documents, library, as_json=as_json)


@collection.command("list")
def list_collections(library: LibraryFolder = None, as_json: Json = False) -> None:
    """List the collections with their documents."""
    from readgraph.cli.run.library.collection import show

    show(library, as_json=as_json)


@collection.command("remove")
def remove_documents(
    name: Name,
    documents: Annotated[
        list[str] | None,
        document(f"Take only these out: {WHICH} Without any, the collection is removed.", show_default=False),
    ] = None,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Take documents out of a collection, or remove it; the library keeps the documents."""
    from readgraph.cli.run.library.collection import remove

    remove(name, documents or [], library, as_json=as_json)

"""Arguments and options that say which documents, of which library, read how."""

from pathlib import Path
from typing import Annotated, Any

import typer

from readgraph.cli.shell.completing import collections, complete_sources, completing, methods
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import library_place

FILES = "Files"
"""The panel of rare options for which files are read."""

LibraryFolder = Annotated[
    Any,  # Place | None: Typer takes no other unions
    typer.Option(
        "--library",
        metavar="FOLDER",
        envvar="READGRAPH_LIBRARY",
        parser=library_place,
        help="A folder or postgresql://user@host/db.",
    ),
]
CollectionName = Annotated[
    str | None,
    typer.Option(
        "--collection",
        metavar="NAME",
        help="Only the documents of this collection: see 'readgraph collection'.",
        rich_help_panel=FILES,
        autocompletion=completing(collections),
    ),
]
Glob = Annotated[
    str | None,
    typer.Option(
        help="Read only the files of folders that match, such as '*.md'.", metavar="PATTERN", rich_help_panel=FILES
    ),
]
MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="How to read (read-agent): see 'readgraph methods'; or package.module:build, of your own.",
        show_default=False,
        autocompletion=completing(methods),
    ),
]
MemoryOfMethod = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="Take the memory of this method; else the newest.",
        autocompletion=completing(methods),
    ),
]
EstimateOnly = Annotated[
    bool, typer.Option("--estimate", help="Print how many calls and words it will take, without making a call.")
]
Sure = Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")]


def files(text: str) -> Any:
    """The argument for files and folders; `text` is its help."""
    return typer.Argument(
        metavar="FILE", parser=_path_named, help=text, show_default=False, autocompletion=complete_sources
    )


WHICH = "files that were read, ids, titles or parts of titles."
"""What names a document of the library, in the help of an argument for several."""


def document(text: str, **more: Any) -> Any:
    """The argument for documents that the library holds; `text` is its help."""
    return typer.Argument(metavar="DOCUMENT", help=text, autocompletion=complete_sources, **more)


def _path_named(name: str) -> Path:
    if not name:  # for example an unset shell variable; the empty path would mean the current folder
        raise BadInput("A file name is empty: name a file, or '.' for the files of this folder.")
    from readgraph.sources.addresses import file_or_address

    return file_or_address(name)

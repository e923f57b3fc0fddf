"""`forget`: delete a document and everything the library holds about it."""

import typer

from readgraph.cli.run.documents import find_document
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.output_options import agreed
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text, one_line
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.forgetting import forget_document
from readgraph.state.library import open_library
from readgraph.state.records import Document
from readgraph.state.store.unfinished import unreadable
from readgraph.state.words import counted
from readgraph.tools.documents import damaged_document

SINGULAR = {"memories": "memory", "replies": "reply", "threads": "thread"}
"""Singular names of what is counted."""


def forget(name: str, folder: LibraryPlace | None, *, sure: bool, as_json: bool) -> None:
    """Forget a document, after asking for confirmation unless `sure`."""
    document = run_until_stopped(_document(name, folder))
    if not sure:
        check_agreed(document.title, "everything that was read of it")
    counts = run_until_stopped(_forget(document, folder))
    if as_json:
        print_json({"document": document.id, "title": document.title, **counts})
        return
    deleted = ", ".join(counted(count, SINGULAR[kind]) for kind, count in counts.items())
    Console().print(Text(f"Forgot '{document.title}': {deleted}."))


async def _document(name: str, folder: LibraryPlace | None) -> Document:
    async with open_library(folder) as library:
        damaged = await damaged_document(library.pages, name)
        return unreadable(damaged) if damaged else await find_document(library.pages, name, by_part=False)


async def _forget(document: Document, folder: LibraryPlace | None) -> dict[str, int]:
    async with open_library(folder) as library:
        return await forget_document(library, document, lambda: _print_waiting(document))


def _print_waiting(document: Document) -> None:
    typer.echo(
        f"Waiting for the process that reads '{one_line(document.title)}' to stop. Press Ctrl-C to cancel.", err=True
    )


def check_agreed(name: str, also: str) -> None:
    """Raise `BadInput` unless the user confirms that this, and what goes with it, may be forgotten.

    Don't call it in an event loop: there, the first Ctrl-C would have no effect.
    """
    if not agreed(f"Forget '{name}' and {also}? [y/N] "):
        raise BadInput(f"'{name}' was kept: give --yes to forget it without being asked.")

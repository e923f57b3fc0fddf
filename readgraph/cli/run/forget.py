"""`forget`: delete what the library keeps of a document."""

import asyncio
import sys
from pathlib import Path

import typer

from readgraph.cli.run.documents import damaged_document, find_document
from readgraph.cli.terminal.output_options import person_types
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text, one_line, visible
from readgraph.state.errors import BadInput
from readgraph.state.forgetting import forget_document
from readgraph.state.library import open_library
from readgraph.state.records import Document
from readgraph.state.unfinished import unreadable
from readgraph.state.words import counted

ONE = {"memories": "memory", "replies": "reply", "threads": "thread"}
"""What is counted, each by its name for one."""


def forget(named: str, folder: Path | None, *, sure: bool, as_json: bool) -> None:
    """Forget a document, after asking where a person can be asked."""
    document = asyncio.run(_found(named, folder))
    if not sure:
        check_agreed(document.title, "all that was read of it")
    forgotten = asyncio.run(_forget(document, folder))
    if as_json:
        print_json({"document": document.id, "title": document.title, **forgotten})
        return
    gone = ", ".join(counted(count, ONE[kind]) for kind, count in forgotten.items())
    Console().print(Text(f"Forgot '{document.title}': {gone}."))


async def _found(named: str, folder: Path | None) -> Document:
    async with open_library(folder) as library:
        damaged = await damaged_document(library.pages, named)
        return unreadable(damaged) if damaged else await find_document(library.pages, named)


async def _forget(document: Document, folder: Path | None) -> dict[str, int]:
    async with open_library(folder) as library:
        return await forget_document(library, document, lambda: _tell_of_waiting(document))


def _tell_of_waiting(document: Document) -> None:
    typer.echo(f"Waiting for the process that reads '{one_line(document.title)}' to stop. Ctrl-C ends this.", err=True)


def check_agreed(name: str, also: str) -> None:
    """Raise `BadInput` unless a person says yes to forgetting this, and what goes with it.

    Not for an event loop, where the first Ctrl-C would be passed over.
    """
    if not _agreed(f"Forget '{name}' and {also}? [y/N] "):
        raise BadInput(f"'{name}' was kept: say --yes to forget it without being asked.")


def _agreed(question: str) -> bool:
    """Whether a person says yes; where none can be asked, nobody does."""
    if not person_types():
        return False
    typer.echo(visible(question), nl=False, err=True)
    said = sys.stdin.readline()
    if not said:  # Ctrl-D, which ends no line
        typer.echo(err=True)
    return said.strip().casefold() in ("y", "yes")

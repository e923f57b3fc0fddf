"""`forget`: delete what the library keeps of a document."""

import asyncio
import sys
from pathlib import Path

from rich.console import Console

from readgraph.cli.documents import find_document
from readgraph.cli.rendering import print_json
from readgraph.cli.safe_text import Text
from readgraph.state.errors import BadInput
from readgraph.state.forgetting import forget_document
from readgraph.state.library import open_library
from readgraph.state.words import counted

ONE = {"memories": "memory", "replies": "reply", "threads": "thread"}
"""What is counted, each by its name for one."""


def forget(named: str, folder: Path | None, *, sure: bool, as_json: bool) -> None:
    """Forget a document, after asking where a person can be asked."""
    asyncio.run(_forget(named, folder, sure, as_json))


async def _forget(named: str, folder: Path | None, sure: bool, as_json: bool) -> None:
    async with open_library(folder) as library:
        document = await find_document(library.pages, named)
        if not sure and not agreed(f"Forget '{document.title}' and all that was read of it? [y/N] "):
            raise BadInput(f"'{document.title}' was kept: say --yes to forget it without being asked.")
        forgotten = await forget_document(library, document)
    if as_json:
        print_json({"document": document.id, "title": document.title, **forgotten})
        return
    gone = ", ".join(counted(count, ONE[kind]) for kind, count in forgotten.items())
    Console(highlight=False).print(Text(f"Forgot '{document.title}': {gone}."))


def agreed(question: str) -> bool:
    """Whether a person says yes; where none can be asked, nobody does."""
    return sys.stdin.isatty() and input(question).strip().casefold() in ("y", "yes")

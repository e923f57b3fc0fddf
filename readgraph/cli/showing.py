"""`show`: what the library holds."""

import asyncio
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from readgraph.cli.rendering import PLAIN, print_json
from readgraph.graphs.methods import METHODS
from readgraph.sources import load
from readgraph.state.errors import BadInput
from readgraph.state.library import open_library
from readgraph.state.page_store import PageStore, document_id
from readgraph.state.records import Document, Memory, Note, Page


def show_library(folder: Path | None, *, as_json: bool) -> None:
    """List documents with their memories."""
    held = asyncio.run(_held(folder))
    if as_json:
        print_json([asdict(document) | {"memories": [_described(m) for m in memories]} for document, memories in held])
        return
    if not held:
        Console().print("The library is empty. Read something: readgraph read FILE")
        return
    table = Table(Column("id", no_wrap=True, min_width=16), "document", "words", "memory", "pages", "", **PLAIN)
    for document, memories in held:
        for number, memory in enumerate(memories or [None]):
            first = [document.id, document.title, f"{document.words:,}"] if not number else ["", "", ""]
            table.add_row(*map(Text, [*first, *_memory_cells(memory)]))
    Console(highlight=False).print(table)


def show_document(named: str, folder: Path | None, *, as_json: bool) -> None:
    """Show the pages of a document's newest memory with their notes, and their headers where they have one."""
    document, memory, pages, notes = asyncio.run(_read(named, folder))
    called = METHODS[memory.recipe.method].note if memory.recipe.method in METHODS else "note"
    if as_json:
        listed = [asdict(page) | _noted(notes.get(page.number), called) for page in pages]
        print_json(asdict(document) | {"memory": _described(memory), "pages": listed})
        return
    console = Console(highlight=False)
    console.print(Text(f"{document.title}  {document.id}  {document.words:,} words", style="bold"))
    for page in pages:
        console.print(Text(f"\np. {page.number}  {page.words} words, characters {page.start}-{page.end}", style="dim"))
        note = notes.get(page.number)
        if note and note.header:
            console.print(Text(note.header, style="italic"))
        console.print(Text(note.text if note else f"(no {called} yet)"))


def _noted(note: Note | None, called: str) -> dict[str, str | None]:
    header = {"header": note.header} if note and note.header else {}
    return {**header, called: note.text if note else None}


async def _held(folder: Path | None) -> list[tuple[Document, list[Memory]]]:
    async with open_library(folder) as library:
        documents = await library.pages.documents()
        return [(document, await library.pages.memories(document.id)) for document in documents]


async def _read(named: str, folder: Path | None) -> tuple[Document, Memory, list[Page], dict[int, Note]]:
    async with open_library(folder) as library:
        document = await find_document(library.pages, named)
        memories = await library.pages.memories(document.id)
        if not memories:
            raise BadInput(f"'{document.title}' was not read yet: readgraph read FILE")
        memory = max(memories, key=lambda memory: (memory.pages > 0, memory.started))
        pages = await library.pages.pages(memory.id, range(memory.pages))
        notes = await library.pages.notes(memory.id, range(memory.pages))
        return document, memory, pages, {note.page: note for note in notes}


async def find_document(store: PageStore, named: str) -> Document:
    """The document of this id, title or file; the beginning of an id will do where it is the only one."""
    documents = await store.documents()
    content = document_id(load(Path(named)).text) if os.path.isfile(named) else None
    place = str(Path(named).absolute())
    for matches in (
        [document for document in documents if document.id in (named, content)],
        [document for document in documents if document.source == place],
        [document for document in documents if document.title.casefold() == named.casefold()],
        [document for document in documents if document.id.startswith(named)],
    ):
        if len(matches) > 1:
            ids = ", ".join(document.id for document in matches)
            raise BadInput(f"'{named}' names several documents: give the id of one ({ids}).")
        if matches:
            return matches[0]
    raise BadInput(f"The library holds no document '{named}': 'readgraph show' lists them.")


def _memory_cells(memory: Memory | None) -> list[str]:
    if memory is None:
        return ["not read yet", "", ""]
    state = "" if memory.complete else "not complete"
    return [f"{memory.recipe.method}, {memory.recipe.model or 'no model'}", f"{memory.pages:,}", state]


def _described(memory: Memory) -> dict[str, Any]:
    return asdict(memory) | {"fingerprint": memory.recipe.fingerprint}

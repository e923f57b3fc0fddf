"""`show`: what the library holds."""

import asyncio
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rich import filesize
from rich.console import Console
from rich.padding import Padding

from readgraph.cli.documents import find_document
from readgraph.cli.rendering import print_json
from readgraph.cli.reporting import check_report, write_report
from readgraph.cli.safe_text import Text
from readgraph.graphs.methods import METHODS
from readgraph.report.data import report_of_document
from readgraph.report.page import render
from readgraph.state.errors import BadInput
from readgraph.state.library import open_library
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory, Note, Page
from readgraph.state.words import counted

INDENT = (0, 0, 0, 4)


@dataclass(frozen=True)
class Noted:
    """A memory with its notes so far."""

    memory: Memory
    notes: list[Note]

    @property
    def words(self) -> int:
        """Words of the notes."""
        return sum(note.words for note in self.notes)


def show_library(folder: Path | None, *, as_json: bool) -> None:
    """List documents with their memories, and what they take."""
    held, size = asyncio.run(_held(folder))
    if as_json:
        print_json([_listed(document, memories) for document, memories in held])
        return
    if not held:
        Console().print("The library is empty. Read something: readgraph read FILE")
        return
    console = Console(highlight=False)
    for document, memories in held:
        console.print(Text(f"{document.id}  {document.title}", style="bold"))
        console.print(Padding(Text(f"{counted(document.words, 'word')}, added {day(document.added)}"), INDENT))
        for noted in memories:
            console.print(Padding(Text(_told(document, noted)), INDENT))
        if not memories:
            console.print(Padding(Text("not read yet", style="dim"), INDENT))
    console.print(Text(f"{counted(len(held), 'document')}, {filesize.decimal(size)} on disk", style="dim"))


def show_document(named: str, folder: Path | None, *, as_json: bool) -> None:
    """Show the pages of a document's newest memory with their notes, and their headers where they have one."""
    document, memory, pages, notes = asyncio.run(_read(named, folder))
    called = _note_of(memory)
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


def report_document(named: str, folder: Path | None, file: Path) -> None:
    """Write the report of a document's newest memory."""
    if not named:
        raise BadInput("There is nothing to report: name a document.")
    check_report(file)
    write_report(file, asyncio.run(_report(named, folder)), quiet=False)


async def _report(named: str, folder: Path | None) -> bytes:
    async with open_library(folder) as library:
        document, memory = await _newest(library.pages, named)
        return render(await report_of_document(library.pages, document, memory, _note_of(memory)))


def _note_of(memory: Memory) -> str:
    """What the memory's method calls the note of a page."""
    return METHODS[memory.recipe.method].note if memory.recipe.method in METHODS else "note"


def _noted(note: Note | None, called: str) -> dict[str, str | None]:
    header = {"header": note.header} if note and note.header else {}
    return {**header, called: note.text if note else None}


async def _held(folder: Path | None) -> tuple[list[tuple[Document, list[Noted]]], int]:
    async with open_library(folder) as library:
        documents = await library.pages.documents()
        held = [(document, await _memories(library.pages, document)) for document in documents]
    return held, sum(file.stat().st_size for file in library.folder.rglob("*") if file.is_file())


async def _memories(pages: PageStore, document: Document) -> list[Noted]:
    memories = await pages.memories(document.id)
    return [Noted(memory, await pages.notes(memory.id, range(memory.pages))) for memory in memories]


async def _read(named: str, folder: Path | None) -> tuple[Document, Memory, list[Page], dict[int, Note]]:
    async with open_library(folder) as library:
        document, memory = await _newest(library.pages, named)
        pages = await library.pages.pages(memory.id, range(memory.pages))
        notes = await library.pages.notes(memory.id, range(memory.pages))
        return document, memory, pages, {note.page: note for note in notes}


async def _newest(pages: PageStore, named: str) -> tuple[Document, Memory]:
    document = await find_document(pages, named)
    memories = await pages.memories(document.id)
    if not memories:
        raise BadInput(f"'{document.title}' was not read yet: readgraph read FILE")
    return document, max(memories, key=lambda memory: (memory.pages > 0, memory.started))


def _told(document: Document, noted: Noted) -> str:
    """A memory in one line."""
    memory = noted.memory
    done = f"{_pages_done(document, noted)} done, {counted(noted.words, 'word')} of notes"
    made = f"{memory.recipe.method}, {memory.recipe.model or 'no model'}"
    return f"{made}: {done if memory.pages else 'no page done yet'}, {day(memory.started)}"


def _pages_done(document: Document, noted: Noted) -> str:
    memory, done = noted.memory, len(noted.notes)
    if memory.complete:
        return counted(done, "page")
    if memory.paged:
        return f"{done:,} of {counted(memory.pages, 'page')}"
    return f"{done:,} of about {counted(round(memory.pages * document.characters / max(memory.read_to, 1)), 'page')}"


def _listed(document: Document, memories: list[Noted]) -> dict[str, Any]:
    described = [
        _described(noted.memory) | {"notes": len(noted.notes), "note_words": noted.words} for noted in memories
    ]
    return asdict(document) | {"memories": described}


def _described(memory: Memory) -> dict[str, Any]:
    return asdict(memory) | {"fingerprint": memory.recipe.fingerprint}


def day(time: str) -> str:
    """A recorded time as a person reads it, in the local time zone."""
    return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M}"

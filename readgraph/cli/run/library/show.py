"""`show`: list the library's documents, or show the pages and notes of one."""

import asyncio
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import typer
from rich import filesize

from readgraph.cli.options.places import ShowOptions
from readgraph.cli.run.documents import find_document
from readgraph.cli.run.source_links import source_links
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.settings import typed_or_none
from readgraph.cli.terminal.places import size_of
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.reports import check_report, write_report
from readgraph.cli.terminal.safe_text import Console, Text, one_line
from readgraph.report.data import report_of_document
from readgraph.report.page import render
from readgraph.sources.naming_places import all_places
from readgraph.sources.places import Place, place_at
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library
from readgraph.state.records import Document, Memory, Note, Page
from readgraph.state.search.catalogue import catalogue_of, records
from readgraph.state.store.sound import at_local_time
from readgraph.state.words import counted
from readgraph.tools.memories import made_for, memories_to_show, method_of, note_of

MOST_SHOWN = 100
"""The most documents that are listed of a library with very many."""


@dataclass(frozen=True)
class SizedMemory:
    """A memory, the number of its notes so far, and the words in them."""

    memory: Memory
    notes: int
    words: int


def show_library(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """List documents with their memories, and the disk space of the library."""
    held, damaged, size, others = run_until_stopped(_held(folder, every=as_json))
    if as_json:
        listed = [_listed(document, memories) for document, memories in held]
        print_json([*listed, *({"id": identity, "damaged": True} for identity in damaged)])
        return
    if not held and not damaged:
        Console().print("The library is empty. Read something: readgraph read FILE")
        return
    lines = list[str]()  # printed at once: Rich takes half a millisecond per line
    for document, memories in held:
        lines.append(typer.style(f"{document.id}  {one_line(document.title)}", bold=True))
        origin = f" from {one_line(document.source)}" if "://" in document.source else ""
        lines.append(f"    {counted(document.words, 'word')}, added {day(document.added)}{origin}")
        lines += [f"    {one_line(_memory_line(document, sized))}" for sized in memories]
        if not memories:
            lines.append(typer.style("    not read yet", dim=True))
    for identity in damaged:
        lines.append(typer.style(one_line(identity), bold=True))
        lines.append("    its record is damaged: 'readgraph forget' deletes what is left of it")
    total = f"{counted(len(held) + len(damaged) + others, 'document')}, {filesize.decimal(size)} on disk"
    more = f"; the newest {len(held)} are shown, --json lists all" if others else ""
    lines.append(typer.style(total + more, dim=True))
    typer.echo("\n".join(lines))


def show_document(options: ShowOptions) -> None:
    """Show the pages of a document's newest memory, or of a method's or purpose's, with their notes and headers."""
    document, memory, others, pages, notes, places = run_until_stopped(_read(options))
    called = note_of(memory)
    if options.as_json:
        listed = [asdict(page) | _noted(notes.get(page.number), called) for page in pages]
        print_json(asdict(document) | {"memory": _described(memory), "pages": listed})
        return
    console = Console()
    size = size_of(document, (place.label for place in places))
    console.print(Text(f"{document.title}  {document.id}  {size}", style="bold"))
    sized = SizedMemory(memory, len(notes), sum(note.words for note in notes.values()))
    console.print(Text(_memory_line(document, sized), style="dim"))
    if also := _also_read(memory, others):
        console.print(Text(also, style="dim"))
    for page in pages:
        at = ", ".join(filter(None, [f"part {page.number}", place_at(places, page.start)]))
        note = notes.get(page.number)
        corrected = f", {called} corrected by hand" if note and note.replaced is not None else ""
        size = f"{page.words} words, characters {page.start}-{page.end}{corrected}"
        console.print(Text(f"\n{at}  {size}", style="dim"))
        if note and note.header:
            console.print(Text(note.header, style="italic"))
        console.print(Text(note.text if note else f"(no {called} yet)"))


def report_document(options: ShowOptions, file: Path) -> None:
    """Write the report of a document's newest memory, or of a method's or purpose's."""
    if not options.document:
        raise BadInput("There is nothing to report: name a document.")
    check_report(file)
    write_report(file, run_until_stopped(_report(options, file)), quiet=False, in_browser=options.opened)


async def _report(options: ShowOptions, file: Path) -> bytes:
    async with open_library(options.library, only_shows=True) as library:
        document = await find_document(library.pages, options.document)
        memory, *_ = await memories_to_show(library.pages, document, typed_or_none(options.method), options.made_for)
        links = await source_links(library.pages, document, file)
        return render(await report_of_document(library.pages, document, memory, note_of(memory), links))


def _noted(note: Note | None, called: str) -> dict[str, Any]:
    header = {"header": note.header} if note and note.header else {}
    corrected = {"corrected": True, "replaced": note.replaced} if note and note.replaced is not None else {}
    return {**header, called: note.text if note else None, **corrected}


async def _held(
    folder: LibraryPlace | None, *, every: bool
) -> tuple[list[tuple[Document, list[SizedMemory]]], list[str], int, int]:
    """Documents with their memories, ids of damaged ones, bytes on disk, and how many documents more there are."""
    async with open_library(folder, only_shows=True) as library:
        catalogue, others = None if every else await catalogue_of(library.pages), 0
        if catalogue:
            newest, damaged = await catalogue.newest(0, MOST_SHOWN, joined=True), await catalogue.damaged()
            documents, others = await records(library.pages, newest.ids), newest.total - len(newest.ids)
            found = await asyncio.gather(*(library.pages.memories(document.id) for document in documents))
            memories = {document.id: made for document, made in zip(documents, found, strict=True)}
        else:
            documents, damaged = await library.pages.listed()
            memories = await library.pages.all_memories()
        sizes = await library.pages.note_sizes(memory for made in memories.values() for memory in made)
        held = [
            (document, [SizedMemory(memory, *sizes[memory.id]) for memory in memories.get(document.id, ())])
            for document in documents
        ]
    return held, damaged, library.shared.size(), others


async def _read(
    options: ShowOptions,
) -> tuple[Document, Memory, list[Memory], list[Page], dict[int, Note], list[Place]]:
    """Document, memory, its other memories, pages, notes by page, and places of the source."""
    async with open_library(options.library, only_shows=True) as library:
        document = await find_document(library.pages, options.document)
        memory, *_ = await memories_to_show(library.pages, document, typed_or_none(options.method), options.made_for)
        others = [other for other in await library.pages.memories(document.id) if other.id != memory.id]
        pages = await library.pages.pages(memory.id, range(memory.pages))
        notes = await library.pages.notes(memory.id, range(memory.pages))
        places = [Place(*place) for place in await all_places(library.pages, document)]
        return document, memory, others, pages, {note.page: note for note in notes}, places


def _also_read(memory: Memory, others: list[Memory]) -> str:
    """With which other methods a document was read, and for which other purposes; "" for none."""
    methods = sorted({method_of(other) for other in others} - {method_of(memory)})
    same = {other.recipe.purpose for other in others if method_of(other) == method_of(memory)}
    purposes = sorted(same - {memory.recipe.purpose, ""})
    lines = [f"also read with {', '.join(methods)}: --method shows it"] if methods else []
    lines += [f"also read for {'; '.join(purposes)}: --purpose shows it"] if purposes else []
    lines += ["also read without a purpose: --purpose '' shows it"] if "" in same and memory.recipe.purpose else []
    return "\n".join(lines)


def _memory_line(document: Document, sized: SizedMemory) -> str:
    """A memory in one line: method, model, pages done, date."""
    memory = sized.memory
    done = f"{_pages_done(document, sized)} done, {counted(sized.words, 'word')} of notes"
    made = f"{made_for(memory)}, {memory.recipe.model or 'no model'}"
    return f"{made}: {done if memory.pages else 'nothing done yet'}, {day(memory.started)}"


def _pages_done(document: Document, sized: SizedMemory) -> str:
    memory, done = sized.memory, sized.notes
    if memory.complete:
        return counted(done, "part")
    if memory.paged:
        return f"{done:,} of {counted(memory.pages, 'part')}"
    return f"{done:,} of about {counted(round(memory.pages * document.characters / max(memory.read_to, 1)), 'part')}"


def _listed(document: Document, memories: list[SizedMemory]) -> dict[str, Any]:
    described = [_described(sized.memory) | {"notes": sized.notes, "note_words": sized.words} for sized in memories]
    return asdict(document) | {"memories": described}


def _described(memory: Memory) -> dict[str, Any]:
    return asdict(memory) | {"fingerprint": memory.recipe.fingerprint, "purpose": memory.recipe.purpose}


def day(time: str) -> str:
    """A recorded time in the local time zone: "2024-03-12 17:05"."""
    return f"{at_local_time(datetime.fromisoformat(time)):%Y-%m-%d %H:%M}"

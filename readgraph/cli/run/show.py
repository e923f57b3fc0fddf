"""`show`: what the library holds, a document's parts and notes, the text at a place."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple

import typer
from rich import filesize

from readgraph.api.memories import describe_memory, memories_to_show, method_of, note_of, parts_numbered
from readgraph.cli.options.documents import ShowOptions, WantedPlace
from readgraph.cli.options.output import check_alone, check_open
from readgraph.cli.run.documents import find_document, report_notice
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.run.reports import check_report, report_form, source_links, write_report
from readgraph.cli.settings import find_typed_method
from readgraph.cli.terminal.rendering import print_json, size_of
from readgraph.cli.terminal.safe_text import Console, SafeText, one_line
from readgraph.cli.terminal.screen import mark_text, print_paged
from readgraph.language.calendars import at_local_time
from readgraph.library.address import LibraryPlace
from readgraph.library.collections import joint_by_document
from readgraph.library.notices import document_notices
from readgraph.library.opening import Library
from readgraph.library.page_store import PageStore
from readgraph.library.search.catalogue import catalogue_of, records
from readgraph.library.store import SharedStore
from readgraph.library.versions import replaced_by
from readgraph.nodes.answering.citations import find_quote
from readgraph.sources.places import NamedSpan, Place, all_places, place_at, place_in_words, places_named, source_page
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, Memory, Note
from readgraph.state.words import format_count

MOST_SHOWN = 100
MOST_LISTED = 3  # notices of a document in a list
LONGEST_TITLE = 200  # characters of the title of documents that were read together, which earlier versions made longer


@dataclass(frozen=True)
class SizedMemory:
    """A memory, the number of its notes so far, and the words in them."""

    memory: Memory
    notes: int
    words: int


def show_by_options(run: typer.Context, options: ShowOptions) -> None:
    """Show the library, a document, a place in one, or write a report."""
    check_open(options.report, opened=options.opened)
    if options.report:
        check_alone(run, "writes a file and prints nothing", "--report", "--library", "--method", "--purpose", "--open")
        report_document(options, options.report)
    elif options.place != WantedPlace():
        if options.made_for is not None:
            raise BadInput("--purpose chooses whose notes are shown, and a place shows the text: leave --purpose out.")
        show_place(options)
    elif options.document:
        show_document(options)
    elif options.method or options.made_for is not None:
        raise BadInput("--method and --purpose choose among the notes on a document: name one.")
    else:
        show_library(options.library, as_json=options.as_json)


def show_library(library: LibraryPlace | None, *, as_json: bool) -> None:
    """List documents with their memories, and the disk space of the library."""
    shown = run_in_library(library, _load_documents, as_json, only_shows=True)
    held, damaged = shown.held, shown.damaged
    if as_json:
        listed = [_document_value(document, memories, shown) for document, memories in held]
        print_json([*listed, *({"id": identity, "damaged": True} for identity in damaged)])
        return
    if not held and not damaged:
        Console().print("The library is empty. Read something: readgraph read FILE")
        return
    lines = list[str]()  # printed at once: Rich takes half a millisecond per line
    for document, memories in held:
        lines.append(typer.style(f"{document.id}  {one_line(document.title)}", bold=True))
        origin = f" from {one_line(document.source)}" if "://" in document.source else ""
        dated = f" of {document.date}" if document.date else ""
        lines.append(f"    {format_count(document.words, 'word')}{dated}, added {day(document.added)}{origin}")
        if newer := shown.replaced.get(document.id):
            lines.append(f"    an earlier version: {newer.id} stands in its place")
        lines += [typer.style(f"    {one_line(notice)}", fg="yellow") for notice in document.notices[:MOST_LISTED]]
        if unlisted := document.notices[MOST_LISTED:]:
            lines.append(typer.style(f"    and {format_count(len(unlisted), 'more notice')}", fg="yellow"))
        lines += [f"    {one_line(_memory_line(document, sized))}" for sized in memories]
        together = [f"read together as {each.id}" for each in shown.joint.get(document.id, ())[:MOST_LISTED]]
        lines += [typer.style(f"    {line}", dim=True) for line in together or ([] if memories else ["not read yet"])]
    for document, memories in shown.together:
        lines.append(f"{document.id}  {format_count(len(document.parts), 'document')} read together")
        lines.append(f"    {one_line(shorten(document.title, LONGEST_TITLE, placeholder=' …'))}")
        lines += [f"    {one_line(_memory_line(document, sized))}" for sized in memories]
    for identity in damaged:
        lines.append(typer.style(one_line(identity), bold=True))
        lines.append("    its record is damaged: 'readgraph forget' deletes what is left of it")
    total = format_count(len(held) + len(damaged) + shown.others, "document")
    total += f", {filesize.decimal(shown.store.size())} on disk"
    more = f"; the newest {len(held)} are shown, --json lists all" if shown.others else ""
    lines.append(typer.style(total + more, dim=True))
    typer.echo("\n".join(lines))


def show_document(options: ShowOptions) -> None:
    """Show the pages of a document's newest memory, or of a method's or purpose's, with their notes and headers."""
    run_in_library(options.library, _show_document, options, only_shows=True)


async def _show_document(library: Library, options: ShowOptions) -> None:
    store, method = library.pages, find_typed_method(options.method)
    document = await find_document(store, options.document)
    memory, *_ = await memories_to_show(store, document, method, options.made_for)
    others = [other for other in await store.memories(document.id) if other.id != memory.id]
    pages = await store.pages(memory.id, range(memory.pages))
    notes = {note.page: note for note in await store.notes(memory.id, range(memory.pages))}
    places = [Place(*place) for place in await all_places(store, document)]
    called = note_of(memory)
    notices = await document_notices(store, document)
    if options.as_json:
        listed = [asdict(page) | _note_fields(notes.get(page.number), called) for page in pages]
        print_json(asdict(document) | {"notices": notices, "memory": _memory_value(memory), "pages": listed})
        return
    console = Console()
    size = size_of(document, (place.label for place in places))
    console.print(SafeText(f"{document.title}  {document.id}  {size}", style="bold"))
    sized = SizedMemory(memory, len(notes), sum(note.words for note in notes.values()))
    console.print(SafeText(_memory_line(document, sized), style="dim"))
    for notice in notices:
        console.print(SafeText(notice, style="yellow"))
    methods = sorted({method_of(other) for other in others} - {method_of(memory)})
    same = {other.recipe.purpose for other in others if method_of(other) == method_of(memory)}
    purposes = sorted(same - {memory.recipe.purpose, ""})
    lines = [f"also read with {', '.join(methods)}: --method shows it"] if methods else []
    lines += [f"also read for {'; '.join(purposes)}: --purpose shows it"] if purposes else []
    lines += ["also read without a purpose: --purpose '' shows it"] if "" in same and memory.recipe.purpose else []
    if lines:
        console.print(SafeText("\n".join(lines), style="dim"))
    for page in pages:
        at = ", ".join(filter(None, [f"part {page.number}", place_in_words(place_at(places, page.start) or "")]))
        note = notes.get(page.number)
        corrected = f", {called} corrected by hand" if note and note.replaced is not None else ""
        size = f"{page.words} words, characters {page.start}-{page.end}{corrected}"
        console.print(SafeText(f"\n{at}  {size}", style="dim"))
        if note and note.header:
            console.print(SafeText(note.header, style="italic"))
        console.print(note.text if note else f"(no {called} yet)")


def report_document(options: ShowOptions, file: Path) -> None:
    """Write the report of a document's newest memory, or of a method's or purpose's."""
    if not options.document:
        raise BadInput("There is nothing to report: name a document.")
    check_report(file)

    async def make_page(library: Library) -> bytes:
        pages, method = library.pages, find_typed_method(options.method)
        document = await find_document(pages, options.document)
        memory, *_ = await memories_to_show(pages, document, method, options.made_for)
        links = await source_links(pages, document, file)
        form = report_form(file)
        return await form.write(form.of_document, pages, document, memory, note_of(memory), links)

    page = run_in_library(options.library, make_page, only_shows=True)
    write_report(file, page, quiet=False, in_browser=options.opened)


def _note_fields(note: Note | None, called: str) -> dict[str, Any]:
    header = {"header": note.header} if note and note.header else {}
    corrected = {"corrected": True, "replaced": note.replaced} if note and note.replaced is not None else {}
    return {**header, called: note.text if note else None, **corrected}


class _Shown(NamedTuple):
    """Documents with their memories, and so those that were read together; ids of damaged documents."""

    held: list[tuple[Document, list[SizedMemory]]]
    together: list[tuple[Document, list[SizedMemory]]]
    joint: Mapping[str, list[Document]]  # which of `together` each document is in
    replaced: Mapping[str, Document]  # earlier versions, and what stands in their place
    damaged: list[str]
    store: SharedStore
    others: int  # documents that are not shown


async def _load_documents(library: Library, every: bool) -> _Shown:
    catalogue, others = None if every else await catalogue_of(library.pages), 0
    joint = await joint_by_document(library.pages)
    if catalogue:
        newest, damaged = await catalogue.newest(0, MOST_SHOWN), await catalogue.list_damaged()
        documents, others = await records(library.pages, newest.ids), newest.total - len(newest.ids)
        documents += [*{each.id: each for listed in joint.values() for each in listed}.values()][:MOST_SHOWN]
        found = await asyncio.gather(*(library.pages.memories(document.id) for document in documents))
        memories = {document.id: made for document, made in zip(documents, found, strict=True)}
    else:
        documents, damaged = await library.pages.documents_and_damaged()
        memories = await library.pages.all_memories()
    sizes = await library.pages.note_sizes(memory for made in memories.values() for memory in made)
    held = [
        (document, [SizedMemory(memory, *sizes[memory.id]) for memory in memories.get(document.id, ())])
        for document in documents
    ]
    alone = [each for each in held if not each[0].parts]
    read_together = [each for each in held if each[0].parts]
    replaced = await replaced_by(library.pages, [each for each, _ in alone])
    return _Shown(alone, read_together, joint, replaced, damaged, library.whole_store, others)


def _memory_line(document: Document, sized: SizedMemory) -> str:
    memory = sized.memory
    if memory.complete:
        parts = format_count(sized.notes, "part")
    elif memory.paged:
        parts = f"{sized.notes:,} of {format_count(memory.pages, 'part')}"
    else:
        expected = round(memory.pages * document.characters / max(memory.read_to, 1))
        parts = f"{sized.notes:,} of about {format_count(expected, 'part')}"
    done = f"{parts} done, {format_count(sized.words, 'word')} of notes"
    made = f"{describe_memory(memory)}, {memory.recipe.model or 'without a model'}"
    return f"{made}: {done if memory.pages else 'nothing done yet'}, {day(memory.started)}"


def _document_value(document: Document, memories: list[SizedMemory], shown: _Shown) -> dict[str, Any]:
    described = [_memory_value(sized.memory) | {"notes": sized.notes, "note_words": sized.words} for sized in memories]
    together = [{"id": each.id, "title": each.title} for each in shown.joint.get(document.id, ())]
    more: dict[str, Any] = {"read_together": together} if together else {}
    if newer := shown.replaced.get(document.id):
        more["replaced_by"] = newer.id
    return asdict(document) | {"memories": described} | more


def _memory_value(memory: Memory) -> dict[str, Any]:
    return asdict(memory) | {"fingerprint": memory.recipe.fingerprint, "purpose": memory.recipe.purpose}


def day(time: str) -> str:
    """A recorded time in the local time zone: "2024-03-12 17:05"."""
    return f"{at_local_time(datetime.fromisoformat(time)):%Y-%m-%d %H:%M}"


LONGEST_NUMBER = 9  # digits


@dataclass(frozen=True)
class Stretch:
    """A stretch `[start, end)`: a page and the method that cut it, or a place of the source; a quote is marked."""

    page: int | None
    method: str | None
    place: str | None
    start: int
    end: int
    mark: tuple[int, int] | None = None


def show_place(options: ShowOptions) -> None:
    """Show a page, a part, the places of a name, or the part with the quote; the quote is marked."""
    if not options.document:
        raise BadInput("There is nothing to show a place of: name a document.")
    options.place.check(options.method)
    document, stretches, texts, notices = run_in_library(options.library, _load_stretches, options, only_shows=True)
    if options.as_json:
        listed = [vars(each) | {"text": text} for each, text in zip(stretches, texts, strict=True)]
        about = {"id": document.id, "title": document.title, "source": document.source, "notices": notices}
        print_json({**about, "stretches": listed})
        return
    for notice in notices:
        report_notice(notice)
    styled = Console().is_terminal
    pieces = list[SafeText]()
    for stretch, text in zip(stretches, texts, strict=True):
        part = f"part {stretch.page} of {stretch.method}" if options.part is not None or not stretch.place else ""
        pieces.append(
            SafeText(", ".join(filter(None, [document.title, place_in_words(stretch.place or ""), part])), style="bold")
        )
        marks = [(stretch.mark[0] - stretch.start, stretch.mark[1] - stretch.start)] if stretch.mark else []
        pieces.append(mark_text(f"{text.rstrip()}\n", marks, styled=styled))
    print_paged(pieces)


async def _load_stretches(
    library: Library, options: ShowOptions
) -> tuple[Document, list[Stretch], list[str], list[str]]:
    """A document, the stretches that are wanted with their texts, and what the document lacks."""
    store, document = library.pages, await find_document(library.pages, options.document)
    stretches = await _stretches(store, document, options.place, options.method)
    longest = 2 * len(options.quote or "")  # a quote may go on after the end of its page
    spans = [(each.start, min(each.end + longest, document.characters)) for each in stretches]
    texts = await store.spans(document, spans)
    if options.quote is not None:
        for place, (stretch, text) in enumerate(zip(stretches, texts, strict=True)):
            quoted = _words_in(text, options.quote)
            if quoted and quoted[0] < stretch.end - stretch.start:  # it begins there
                mark = (stretch.start + quoted[0], stretch.start + quoted[1])
                stretches[place] = replace(stretch, mark=mark, end=max(stretch.end, mark[1]))
        if not any(each.mark for each in stretches):
            raise BadInput(
                f"The quote is not there: 'readgraph show \"{document.title}\" --quote …' looks for it everywhere."
            )
    cut = [text[: each.end - each.start] for each, text in zip(stretches, texts, strict=True)]
    return document, stretches, cut, await document_notices(store, document)


async def place_spans(store: PageStore, document: Document, wanted: WantedPlace) -> list[NamedSpan] | int | None:
    """The spans of a place or page of the source, or the number of a part; None where only a quote is wanted."""
    if wanted.at is not None:
        return await places_named(store, document, wanted.at)
    if wanted.page is not None:
        if pages := await source_page(store, document, wanted.page):
            return pages
        if not wanted.page.strip().isdecimal() or len(wanted.page) > LONGEST_NUMBER:
            raise BadInput(f"The source of '{document.title}' has no pages: give the number of a part with --part.")
        return int(wanted.page)
    return wanted.part


async def _stretches(store: PageStore, document: Document, wanted: WantedPlace, method: str | None) -> list[Stretch]:
    number = await place_spans(store, document, wanted)
    if isinstance(number, list):
        if method:
            raise BadInput("--page shows a page of the source, which needs no memory: leave --method out.")
        return [Stretch(None, None, *span) for span in number]
    memories = await memories_to_show(store, document, find_typed_method(method))
    if number is not None:
        # The part with this number; of several memories, whose parts differ, the first one that has the quote in it.
        parts = await parts_numbered(store, document, memories, number)
        texts = await store.spans(document, [(part.start, part.end) if part else (0, 0) for part in parts])
        fits = (place for place, text in enumerate(texts) if text and wanted.quote and _words_in(text, wanted.quote))
        cut = next(fits, next((place for place, part in enumerate(parts) if part), 0))
        part = parts[cut]
        assert part, "one of the memories has it"
        (place,) = await store.place_names(document, [part.start])
        return [Stretch(part.number, method_of(memories[cut]), place, part.start, part.end)]
    newest, text = memories[0], await store.text(document)
    if not (span := _words_in(text[: newest.read_to], wanted.quote or "")):
        raise BadInput(f"The quote is not in '{document.title}': quote whole words, as they stand there.")
    before = [each for each in await store.pages(newest.id, range(newest.pages)) if each.start <= span[0]]
    page = max(before, key=lambda each: each.start)
    (place,) = await store.place_names(document, [span[0]])
    return [Stretch(page.number, method_of(newest), place, page.start, page.end)]


def _words_in(text: str, quote: str) -> tuple[int, int] | None:
    """The span of these words, found as a citation is; words too few for a citation count too."""
    if span := find_quote(quote.strip(), text, 0, len(text)):
        return span
    words = r"[\W_]+".join(map(re.escape, re.findall(r"[^\W_]+", quote)))
    whole = rf"(?<!\w){words}(?!\w)" if words.isascii() else words  # scripts without spaces have no such bounds
    match = re.search(whole, text, re.IGNORECASE) if words else None
    return match.span() if match else None

"""`correct`, `collection` and `forget`: what a person changes in the library."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer

from readgraph.api.documents import find_damaged_document
from readgraph.api.memories import memories_to_show, method_of, note_of
from readgraph.cli.options.documents import CorrectOptions, WantedPlace
from readgraph.cli.run.documents import find_document, find_documents
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.run.show import place_spans
from readgraph.cli.settings import find_typed_method
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, SafeText, one_line
from readgraph.cli.terminal.screen import ask_yes_or_no
from readgraph.library.address import LibraryPlace
from readgraph.library.collections import NamedCollection
from readgraph.library.corrections import Corrected, correct, restore
from readgraph.library.documents import unreadable
from readgraph.library.forgetting import forget_document
from readgraph.library.opening import Library
from readgraph.library.page_store import PageStore
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, Memory
from readgraph.state.words import format_count


def correct_note(options: CorrectOptions) -> None:
    """Correct or restore the note of a part, and print what was done; without a text, an editor opens."""
    options.place.check(None)
    if options.place == WantedPlace():
        raise BadInput("Say which note: give --part N, as 'readgraph show DOCUMENT' numbers them, --page or --at.")
    if options.restore and options.text is not None:
        raise BadInput("--restore puts the method's own note back, --text replaces it: leave one of them out.")
    document, memory, number, now = run_in_library(options.library, _part, options, only_shows=True)
    text = options.text
    if not options.restore and text is None:
        text = _edit_note(now)  # no lock is held while the user writes
    done = run_in_library(options.library, _change_note, memory, number, None if options.restore else text)
    _print(document, memory, done, restoring=options.restore, as_json=options.as_json)


async def _part(library: Library, options: CorrectOptions) -> tuple[Document, Memory, int, str]:
    """Document, memory, number of the part, and its note as it is."""
    document = await find_document(library.pages, options.document)
    memory, *_ = await memories_to_show(library.pages, document, find_typed_method(options.method))
    number = await _number(library.pages, document, memory, options.place)
    notes = await library.pages.notes(memory.id, [number] if number < memory.pages else [])
    return document, memory, number, notes[0].text if notes else ""


async def _number(store: PageStore, document: Document, memory: Memory, wanted: WantedPlace) -> int:
    """The number of the part that is wanted; raises `BadInput` where a place of the source is in several."""
    spans = await place_spans(store, document, wanted)
    if not isinstance(spans, list):
        return spans or 0
    parts = await store.pages(memory.id, range(memory.pages))
    at = [part.number for part in parts if any(part.start < end and start < part.end for _, start, end in spans)]
    if len(at) != 1:
        if not at:
            raise BadInput("That place has not been read yet: continue the reading, then correct its note.")
        raise BadInput(f"The place is in parts {', '.join(map(str, at))}: say with --part which note to correct.")
    return at[0]


async def _change_note(library: Library, memory: Memory, number: int, text: str | None) -> Corrected:
    if text is None:
        return await restore(library.pages, memory, number)
    return await correct(library.pages, memory, number, text)


def _edit_note(note: str) -> str:
    """The note as the user left it in an editor; raises `BadInput` where there is none, or nothing was changed."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise BadInput("There is no editor: set EDITOR, or give the note with --text.")
    with TemporaryDirectory(prefix="readgraph-") as folder:
        file = Path(folder) / "note.txt"
        file.write_text(note + "\n", encoding="utf-8")
        try:
            command = [editor] if shutil.which(editor) else shlex.split(editor)  # a Windows path has backslashes
            subprocess.run([*command, str(file)], check=True)
            written = file.read_text(encoding="utf-8-sig").strip()
        except (OSError, ValueError, subprocess.CalledProcessError):
            raise BadInput(f"The editor '{editor}' failed: set EDITOR, or give the note with --text.") from None
    if written == note.strip():
        raise BadInput("Nothing was changed: the note stays as it is.")
    return written


def _print(document: Document, memory: Memory, done: Corrected, *, restoring: bool, as_json: bool) -> None:
    number, called = done.note.page, note_of(memory)
    if as_json:
        about = {"document": document.id, "method": method_of(memory), "part": number, called: done.note.text}
        print_json({**about, "replaced": done.note.replaced, "renewed": done.renewed})
        return
    did = "Restored" if restoring else "Corrected"
    console = Console()
    console.print(SafeText(f"{did} the {called} of part {number} of '{document.title}'.", style="bold"))
    if done.renewed:
        above = format_count(len(done.renewed), "summary")
        console.print(SafeText(f"The next reading makes {above} above it again.", style="dim"))


def add_documents(name: str, documents: Sequence[str], library: LibraryPlace | None, *, as_json: bool) -> None:
    """Add documents to a collection, and print what it holds."""
    collection = run_in_library(library, _add, name, documents)
    if as_json:
        print_json(_value(collection))
        return
    Console().print(SafeText(f"'{collection.name}' holds {format_count(len(collection.documents), 'document')}."))


def remove_documents(
    name: str, documents: Sequence[str] | None, library: LibraryPlace | None, *, as_json: bool
) -> None:
    """Take documents out of a collection, or all, and print which."""
    collection, gone = run_in_library(library, _remove, name, documents or [])
    if as_json:
        print_json({"name": collection.name, "removed": _value(gone)["documents"]})
        return
    left = len(collection.documents) - len(gone.documents)
    if left:
        titles = ", ".join(f"'{document.title}'" for document in gone.documents)
        said = f"Took {titles} out of '{collection.name}', which holds {format_count(left, 'document')} now."
    else:
        count = format_count(len(gone.documents), "document")
        said = f"Removed the collection '{collection.name}'; the library keeps its {count}."
    Console().print(SafeText(said))


def list_collections(library: LibraryPlace | None, *, as_json: bool) -> None:
    """List the collections with their documents."""
    collections = run_in_library(library, lambda opened: opened.collections.list_collections(), only_shows=True)
    if as_json:
        print_json([_value(collection) for collection in collections])
        return
    console = Console()
    if not collections:
        console.print(SafeText("There are no collections. Make one: readgraph collection add NAME DOCUMENT"))
    for collection in collections:
        console.print(SafeText(collection.name, style="bold"))
        for document in collection.documents:
            console.print(SafeText(f"    {document.id}  {document.title}"))


def _value(collection: NamedCollection) -> dict[str, Any]:
    documents = [{"id": document.id, "title": document.title} for document in collection.documents]
    return {"name": collection.name, "documents": documents}


async def _add(library: Library, name: str, named: Sequence[str]) -> NamedCollection:
    return await library.collections.add(name, await find_documents(library.pages, named))


async def _remove(library: Library, name: str, named: Sequence[str]) -> tuple[NamedCollection, NamedCollection]:
    """What the collection was, and what was taken out of it."""
    await library.collections.get_collection(name)  # an unknown collection is reported before an unknown document
    documents = [await find_document(library.pages, each) for each in named]
    collection = await library.collections.remove(name, documents or None)
    gone = {document.id for document in documents or collection.documents}
    removed = tuple(document for document in collection.documents if document.id in gone)
    return collection, NamedCollection(collection.name, removed)


SINGULAR = {"memories": "memory", "replies": "reply", "threads": "thread"}
"""Singular names of what is counted."""


def forget(document: str, library: LibraryPlace | None, *, yes: bool, as_json: bool) -> None:
    """Forget a document, after asking for confirmation unless `yes` was said."""
    found = run_in_library(library, _document, document)
    if not yes:
        confirm_forgetting(found.title, "everything that was read of it")
    counts = run_in_library(library, forget_document, found, lambda: _print_waiting(found))
    if as_json:
        print_json({"document": found.id, "title": found.title, **counts})
        return
    deleted = ", ".join(format_count(count, SINGULAR[kind]) for kind, count in counts.items())
    Console().print(SafeText(f"Forgot '{found.title}': {deleted}."))


async def _document(library: Library, name: str) -> Document:
    damaged = await find_damaged_document(library.pages, name)
    return unreadable(damaged) if damaged else await find_document(library.pages, name, by_part=False)


def _print_waiting(document: Document) -> None:
    typer.echo(
        f"Waiting for the process that reads '{one_line(document.title)}' to stop. Press Ctrl-C to cancel.", err=True
    )


def confirm_forgetting(name: str, also: str) -> None:
    """Raise `BadInput` unless the user confirms that this, and what goes with it, may be forgotten.

    Don't call it in an event loop: there, the first Ctrl-C would have no effect.
    """
    if not ask_yes_or_no(f"Forget '{name}' and {also}? [y/N] "):
        raise BadInput(f"'{name}' was kept: give --yes to forget it without being asked.")

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
from readgraph.cli.run.in_library import in_library, run_in_library
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

    async def change_note(library: Library) -> Corrected:
        if text is None:
            return await restore(library.pages, memory, number)
        return await correct(library.pages, memory, number, text)

    done, called = run_in_library(options.library, change_note), note_of(memory)
    if options.as_json:
        about = {"document": document.id, "method": method_of(memory), "part": number, called: done.note.text}
        print_json({**about, "replaced": done.note.replaced, "renewed": done.renewed})
        return
    did = "Restored" if options.restore else "Corrected"
    console = Console()
    console.print(SafeText(f"{did} the {called} of part {number} of '{document.title}'.", style="bold"))
    if done.renewed:
        above = format_count(len(done.renewed), "summary")
        console.print(SafeText(f"The next reading makes {above} above it again.", style="dim"))


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


@in_library()
async def add_documents(library: Library, *, name: str, documents: Sequence[str], as_json: bool) -> None:
    """Add documents to a collection, and print what it holds."""
    collection = await library.collections.add(name, await find_documents(library.pages, documents))
    if as_json:
        print_json(_value(collection))
        return
    Console().print(f"'{collection.name}' holds {format_count(len(collection.documents), 'document')}.")


@in_library()
async def remove_documents(library: Library, *, name: str, documents: Sequence[str] | None, as_json: bool) -> None:
    """Take documents out of a collection, or all, and print which."""
    await library.collections.get_collection(name)  # an unknown collection is reported before an unknown document
    named = [await find_document(library.pages, each) for each in documents or []]
    collection = await library.collections.remove(name, named or None)
    ids = {document.id for document in named or collection.documents}
    gone = [document for document in collection.documents if document.id in ids]
    if as_json:
        print_json({"name": collection.name, "removed": _names_of(gone)})
        return
    left = len(collection.documents) - len(gone)
    if left:
        titles = ", ".join(f"'{document.title}'" for document in gone)
        said = f"Took {titles} out of '{collection.name}', which holds {format_count(left, 'document')} now."
    else:
        count = format_count(len(gone), "document")
        said = f"Removed the collection '{collection.name}'; the library keeps its {count}."
    Console().print(said)


@in_library(only_shows=True)
async def list_collections(library: Library, *, as_json: bool) -> None:
    """List the collections with their documents."""
    collections = await library.collections.list_collections()
    if as_json:
        print_json([_value(collection) for collection in collections])
        return
    console = Console()
    if not collections:
        console.print("There are no collections. Make one: readgraph collection add NAME DOCUMENT")
    for collection in collections:
        console.print(SafeText(collection.name, style="bold"))
        for document in collection.documents:
            console.print(f"    {document.id}  {document.title}")


def _value(collection: NamedCollection) -> dict[str, Any]:
    return {"name": collection.name, "documents": _names_of(collection.documents)}


def _names_of(documents: Sequence[Document]) -> list[dict[str, str]]:
    return [{"id": document.id, "title": document.title} for document in documents]


SINGULAR = {"memories": "memory", "replies": "reply", "threads": "thread"}


def forget(document: str, library: LibraryPlace | None, *, yes: bool, as_json: bool) -> None:
    """Forget a document, after asking for confirmation unless `yes` was said."""

    async def find(opened: Library) -> Document:
        damaged = await find_damaged_document(opened.pages, document)
        return unreadable(damaged) if damaged else await find_document(opened.pages, document, by_part=False)

    found = run_in_library(library, find)
    if not yes:
        confirm_forgetting(found.title, "everything that was read of it")
    waiting = f"Waiting for the process that reads '{one_line(found.title)}' to stop. Press Ctrl-C to cancel."
    counts = run_in_library(library, forget_document, found, lambda: typer.echo(waiting, err=True))
    if as_json:
        print_json({"document": found.id, "title": found.title, **counts})
        return
    deleted = ", ".join(format_count(count, SINGULAR[kind]) for kind, count in counts.items())
    Console().print(f"Forgot '{found.title}': {deleted}.")


def confirm_forgetting(name: str, also: str) -> None:
    """Raise `BadInput` unless the user agrees; not for an event loop: there, Ctrl-C would have no effect."""
    if not ask_yes_or_no(f"Forget '{name}' and {also}? [y/N] "):
        raise BadInput(f"'{name}' was kept: give --yes to forget it without being asked.")

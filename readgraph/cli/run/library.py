"""`correct`, `collection`, `forget`, `library`, `replies`: what a person changes in a library, and its upkeep."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer
from rich.filesize import decimal

from readgraph.api.documents import find_damaged_document
from readgraph.api.memories import memories_to_show, method_of, note_of
from readgraph.cli.options.documents import CorrectOptions, WantedPlace
from readgraph.cli.run.documents import find_document, find_documents
from readgraph.cli.run.in_library import check_new, in_library, read_export, run_in_library, write_output
from readgraph.cli.run.show import place_spans
from readgraph.cli.settings import find_typed_method
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, SafeText, one_line, tell
from readgraph.cli.terminal.screen import WRONG, OutputOptions, ask_yes_or_no, run_until_stopped
from readgraph.library.address import LibraryPlace, default_place
from readgraph.library.collections import NamedCollection
from readgraph.library.corrections import Corrected, correct, restore
from readgraph.library.documents import unreadable
from readgraph.library.opening import Library
from readgraph.library.search.catalogue import count_documents
from readgraph.library.upkeep.archives import add_archived_replies, archive_lines
from readgraph.library.upkeep.checking import Fault, check, repair
from readgraph.library.upkeep.compacting import compact
from readgraph.library.upkeep.copying import copy_library as copy
from readgraph.library.upkeep.folder_copies import back_up
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.library.upkeep.joint_readings import JointReading, list_joint, tell_joint
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
    console.print(SafeText(f"{did} the note on part {number} of '{document.title}'.", style="bold"))
    if done.renewed:
        above = format_count(len(done.renewed), "summary")
        console.print(SafeText(f"The next reading makes {above} above it again.", style="dim"))


async def _part(library: Library, options: CorrectOptions) -> tuple[Document, Memory, int, str]:
    document = await find_document(library.pages, options.document)
    memory, *_ = await memories_to_show(library.pages, document, find_typed_method(options.method))
    spans = await place_spans(library.pages, document, options.place)
    if isinstance(spans, list):  # of a place of the source, which may be in several parts
        parts = await library.pages.pages(memory.id, range(memory.pages))
        at = [part.number for part in parts if any(part.start < end and start < part.end for _, start, end in spans)]
        if not at:
            raise BadInput("That place has not been read yet: continue the reading, then correct its note.")
        if len(at) > 1:
            raise BadInput(f"The place is in parts {', '.join(map(str, at))}: say with --part which note to correct.")
        number = at[0]
    else:
        number = spans or 0
    notes = await library.pages.notes(memory.id, [number] if number < memory.pages else [])
    return document, memory, number, notes[0].text if notes else ""


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
    screen = OutputOptions(as_json=as_json)
    collection = await library.collections.add(name, await find_documents(library.pages, documents, screen))
    if as_json:
        print_json(_collection_value(collection), screen)
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
        print_json([_collection_value(collection) for collection in collections])
        return
    console = Console()
    if not collections:
        console.print("There are no collections. Make one: readgraph collection add NAME DOCUMENT")
    for collection in collections:
        console.print(SafeText(collection.name, style="bold"))
        for document in collection.documents:
            console.print(f"    {document.id}  {document.title}")


def _collection_value(collection: NamedCollection) -> dict[str, Any]:
    return {"name": collection.name, "documents": _names_of(collection.documents)}


def _names_of(documents: Sequence[Document]) -> list[dict[str, str]]:
    return [{"id": document.id, "title": document.title} for document in documents]


def forget(document: str, library: LibraryPlace | None, *, yes: bool, as_json: bool) -> None:
    """Forget a document, after asking for confirmation unless `yes` was said."""

    async def find(opened: Library) -> tuple[Document, list[JointReading]]:
        if damaged := await find_damaged_document(opened.pages, document):
            return unreadable(damaged), []
        known = await find_document(opened.pages, document, by_part=False)
        return known, await list_joint(opened, known)

    found, joint = run_in_library(library, find)
    if not yes:
        confirm_forgetting(found.title, "all notes and questions about it, from the library", tell_joint(joint))
    waiting = f"Waiting for the process that reads '{one_line(found.title)}' to stop. Press Ctrl-C to cancel."
    counts = run_in_library(library, forget_document, found, lambda: tell(waiting))
    if as_json:
        print_json(
            {
                "document": found.id,
                "title": found.title,
                **counts,
                "joint": [asdict(joint_reading) for joint_reading in joint],
            }
        )
        return
    Console().print(f"Deleted '{found.title}' from the library, with all notes and questions.{tell_joint(joint)}")


def confirm_forgetting(name: str, also: str, more: str = "") -> None:
    """Raise `BadInput` unless the user agrees; not for an event loop: there, Ctrl-C would have no effect."""
    if not ask_yes_or_no(f"Delete '{name}' and {also}?{more} [y/N] "):
        raise BadInput(f"'{name}' was kept: give --yes to delete it without being asked.{more}")


@in_library(only_shows=True, finishes=False)
async def check_library(library: Library, *, as_json: bool) -> None:
    """Check a library, and print what is wrong."""
    faults = await check(library)
    if as_json:
        print_json({"faults": [asdict(fault) for fault in faults]})
    else:
        _print_faults(faults)
        if any(fault.repairs for fault in faults):
            _print("'readgraph library repair' mends what can be mended.")
        if not faults:
            _print(f"The library is whole: {await _holds(library)}.")
    if faults:
        raise typer.Exit(WRONG)


@in_library(finishes=False)
async def repair_library(library: Library, *, as_json: bool) -> None:
    """Repair a library, and print what was mended and what is left."""
    mended = await repair(library, await check(library))
    left = await check(library)
    if as_json:
        print_json({"mended": [asdict(fault) for fault in mended], "left": [asdict(fault) for fault in left]})
    else:
        holds = "" if mended or left else await _holds(library)
        _print(f"Mended: {format_count(len(mended), 'fault')}." if mended else f"There was nothing to mend in {holds}.")
        _print_faults(mended)
        if left:
            _print("Left, since it can't be made again from the rest:")
            _print_faults(left)
    if left:
        raise typer.Exit(WRONG)


def back_up_library(folder: Path, library: LibraryPlace | None, *, as_json: bool) -> None:
    """Copy a library, and print how large the copy is."""
    place, to = library or default_place(), folder.expanduser()
    if isinstance(place, Path):
        size = run_in_library(place, back_up, to, only_shows=True)
    else:
        run_until_stopped(copy(place, to))
        size = sum(file.stat().st_size for file in to.rglob("*") if file.is_file())
    if as_json:
        print_json({"folder": str(folder), "bytes": size})
    else:
        _print(f"Copied the library into {folder} ({decimal(size)}).")


def copy_library(source: LibraryPlace, target: LibraryPlace, *, as_json: bool) -> None:
    """Copy a library from place to place, and print what the copy holds."""
    copied = run_until_stopped(copy(source, target))
    if as_json:
        print_json({"to": str(target), **copied._asdict()})
        return
    held = [format_count(copied.items, "item"), format_count(copied.checkpoints, "checkpoint")]
    held += [format_count(copied.originals, "original file")] if copied.originals else []
    _print(f"Copied {source} into {target}: {', '.join(held)}; both have the digest {copied.digest}.")


async def _holds(library: Library) -> str:
    memories = sum(map(len, (await library.pages.all_memories()).values()))
    return f"{format_count(await count_documents(library.pages), 'document')}, {format_count(memories, 'reading')}"


def _print_faults(faults: Sequence[Fault]) -> None:
    for fault in faults:
        _print(f"  {fault.kind} {fault.name}: {fault.problem}")


def _print(line: str) -> None:
    Console(whole_lines=True).print(line)


@in_library()
async def compact_library(library: Library, *, as_json: bool) -> None:
    """Compact a library, and print how large its files were and are."""
    done = await compact(library)
    if as_json:
        print_json({"bytes_before": done.before, "bytes_after": done.after, "checkpoints": done.checkpoints})
        return
    deleted = f"; {format_count(done.checkpoints, 'step')} of old questions deleted" if done.checkpoints else ""
    Console().print(f"The library took {decimal(done.before)} and takes {decimal(done.after)}{deleted}.")


def export_replies(file: Path, document: str, library: LibraryPlace | None) -> None:
    """Write the recorded replies to a new file."""
    check_new(file)

    async def list_lines(opened: Library) -> list[str]:
        identity = (await find_document(opened.pages, document)).id if document else None
        return [line async for line in archive_lines(opened.pages, identity)]

    lines = run_in_library(library, list_lines, only_shows=True)
    write_output(file, "".join(f"{line}\n" for line in lines).encode())
    Console().print(f"Exported {len(lines) - 1:,} replies to {file}.")


def import_replies(file: Path, library: LibraryPlace | None) -> None:
    """Add the replies of a file to the library."""
    text = read_export(file, "an archive of replies")
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")  # a reply may contain other line ends
    new, known = run_in_library(library, lambda opened: add_archived_replies(opened.pages, lines))
    Console().print(f"Imported {new:,} replies; {known:,} were in the library already.")

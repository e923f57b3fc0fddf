"""`correct`: replace a part's note by the user's, or put the method's own back."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from readgraph.cli.options.places import CorrectOptions, WantedPlace
from readgraph.cli.run.documents import find_document
from readgraph.cli.run.library.show_place import place_spans
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.settings import typed_or_none
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.corrections import Corrected, correct, restore
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory
from readgraph.state.words import counted
from readgraph.tools.memories import memories_to_show, method_of, note_of


def correct_note(options: CorrectOptions) -> None:
    """Correct or restore the note of a part, and print what was done; without a text, an editor opens."""
    options.place.check(None)
    if options.place == WantedPlace():
        raise BadInput("Say which note: give --part N, as 'readgraph show DOCUMENT' numbers them, --page or --at.")
    if options.restore and options.text is not None:
        raise BadInput("--restore puts the method's own note back, --text replaces it: leave one of them out.")
    document, memory, number, now = run_until_stopped(_part(options))
    text = options.text
    if not options.restore and text is None:
        text = _edited(now)  # no lock is held while the user writes
    done = run_until_stopped(_changed(options.library, document, memory, number, None if options.restore else text))
    _print(document, memory, done, restoring=options.restore, as_json=options.as_json)


async def _part(options: CorrectOptions) -> tuple[Document, Memory, int, str]:
    """Document, memory, number of the part, and its note as it is."""
    async with open_library(options.library, only_shows=True) as library:
        document = await find_document(library.pages, options.document)
        memory, *_ = await memories_to_show(library.pages, document, typed_or_none(options.method))
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


async def _changed(
    folder: LibraryPlace | None, document: Document, memory: Memory, number: int, text: str | None
) -> Corrected:
    async with open_library(folder) as library:
        if text is None:
            return await restore(library.pages, memory, number)
        return await correct(library.pages, memory, number, text)


def _edited(note: str) -> str:
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
    console.print(Text(f"{did} the {called} of part {number} of '{document.title}'.", style="bold"))
    if done.renewed:
        above = counted(len(done.renewed), "summary")
        console.print(Text(f"The next reading makes {above} above it again.", style="dim"))

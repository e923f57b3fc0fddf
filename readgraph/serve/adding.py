"""Texts, files and addresses become documents of the library."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from readgraph.serve.documents import shown_document
from readgraph.serve.room import Room
from readgraph.serve.run import Run
from readgraph.sources.addresses import Address, file_or_address
from readgraph.sources.converting import beside_the_loop, conversion_shown
from readgraph.sources.loading import SourceFile, file_of_bytes, read_file
from readgraph.state.errors import BadInput
from readgraph.state.kept.converted_files import document_of_file
from readgraph.state.originals import keep_original
from readgraph.state.records import Document
from readgraph.tools.documents import store_source

KEPT = (".pdf",)
"""Kinds of which the file itself is kept, so that its pages can be shown."""


def add_text(room: Room, text: str, title: str) -> Run:
    """Begin to add a text."""

    async def work(run: Run) -> Document:
        return await room.pages.add_document(text, title=" ".join(title.split()) or text.strip()[:60])

    return _begun(room, title or "a text", work)


def add_address(room: Room, address: str) -> Run:
    """Begin to add what stands at an address of the web; raises `BadInput` where it is none."""
    there = file_or_address(address.strip())
    if not isinstance(there, Address):
        raise BadInput("An address of the web begins with https:// or http://.")

    async def work(run: Run) -> Document:
        return await _converted(room, run, await asyncio.to_thread(read_file, there))

    return _begun(room, address, work)


def add_file(room: Room, name: str, data: bytes) -> Run:
    """Begin to add a file that came as bytes; raises `BadInput` for a kind that can't be read."""
    name = Path(name.replace("\\", "/")).name
    file = file_of_bytes(name, data)

    async def work(run: Run) -> Document:
        document = await _converted(room, run, file)
        ending = Path(name).suffix.lower()
        if ending in KEPT:
            await asyncio.to_thread(keep_original, room.library, document, data, ending)
        return document

    return _begun(room, name, work)


def _begun(room: Room, title: str, work: Callable[[Run], Any]) -> Run:
    run = Run("add", asyncio.get_running_loop(), title=title)

    async def added() -> None:
        document = await work(run)
        run.tell({"type": "document", "document": (await shown_document(room, document)).model_dump()})
        run.change(state="done", documents=[document.id], title=document.title)

    return room.begin(run, added)


async def _converted(room: Room, run: Run, file: SourceFile) -> Document:
    """The document of a file, which is converted only if that was not done before."""
    if file.digest and (known := await document_of_file(room.pages, file.digest)):
        return known

    def show(name: str, done: int, of: int) -> None:
        run.tell({"type": "converting", "name": name, "done": done, "of": of})

    with conversion_shown(show):
        source = await beside_the_loop(file.convert)
    for problem in source.problems:
        run.tell({"type": "left_out", "problem": str(problem)})
    return await store_source(room.pages, source)

"""`replies export` and `replies import`: move recorded replies between libraries."""

import asyncio
from pathlib import Path

from readgraph.cli.run.documents import find_document
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.sources.given_files import read_bytes
from readgraph.sources.loading import shown
from readgraph.state.archives.replies import exported, imported
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.files.whole_files import written_whole
from readgraph.state.library import open_library


def export_replies(file: Path, document_name: str, folder: LibraryPlace | None) -> None:
    """Write the recorded replies to a new file."""
    if file.exists():
        raise BadInput(f"{file} exists already: name another file.")
    count = run_until_stopped(_export(file, document_name, folder))
    Console().print(Text(f"Exported {count:,} replies to {file}."))


def import_replies(file: Path, folder: LibraryPlace | None) -> None:
    """Add the replies of a file to the library."""
    try:
        text = read_bytes(file, shown(file)).decode("utf-8")
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")  # a reply may contain other line ends
    except UnicodeDecodeError:
        raise BadInput(f"{file} can't be read as an archive of replies.") from None
    new, known = run_until_stopped(_import(lines, folder))
    Console().print(Text(f"Imported {new:,} replies; {known:,} were in the library already."))


async def _export(file: Path, document_name: str, folder: LibraryPlace | None) -> int:
    async with open_library(folder, only_shows=True) as library:
        document = (await find_document(library.pages, document_name)).id if document_name else None
        lines = [line async for line in exported(library.pages, document)]
    try:
        await asyncio.to_thread(_write, file, lines)
    except OSError as problem:
        raise BadInput(f"{file} can't be written: {problem.strerror}.") from None
    return len(lines) - 1


def _write(file: Path, lines: list[str]) -> None:
    with written_whole(file) as opened:
        opened.writelines(f"{line}\n" for line in lines)


async def _import(lines: list[str], folder: LibraryPlace | None) -> tuple[int, int]:
    async with open_library(folder) as library:
        return await imported(library.pages, lines)

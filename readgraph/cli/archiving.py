"""`replies export` and `replies import`: move recorded replies between libraries."""

import asyncio
from pathlib import Path

from rich.console import Console

from readgraph.cli.documents import find_document
from readgraph.cli.safe_text import Text
from readgraph.state.errors import BadInput
from readgraph.state.library import open_library
from readgraph.state.reply_archive import exported, imported


def export_replies(file: Path, named: str, folder: Path | None) -> None:
    """Write the recorded replies to a file that is not there yet."""
    if file.exists():
        raise BadInput(f"{file} is there already: name another file.")
    count = asyncio.run(_export(file, named, folder))
    Console(highlight=False).print(Text(f"Exported {count:,} replies to {file}."))


def import_replies(file: Path, folder: Path | None) -> None:
    """Take the replies of a file in."""
    try:
        lines = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")  # a reply may hold other line ends
    except FileNotFoundError:
        raise BadInput(f"There is no file {file}.") from None
    except (OSError, UnicodeDecodeError):
        raise BadInput(f"{file} can't be read as an archive of replies.") from None
    new, known = asyncio.run(_import(lines, folder))
    Console(highlight=False).print(Text(f"Imported {new:,} replies; {known:,} were there already."))


async def _export(file: Path, named: str, folder: Path | None) -> int:
    async with open_library(folder) as library:
        document = (await find_document(library.pages, named)).id if named else None
        lines = [line async for line in exported(library.pages, document)]
    try:
        await asyncio.to_thread(file.write_text, "\n".join(lines) + "\n", encoding="utf-8")
    except OSError as problem:
        raise BadInput(f"{file} can't be written: {problem.strerror}.") from None
    return len(lines) - 1


async def _import(lines: list[str], folder: Path | None) -> tuple[int, int]:
    async with open_library(folder) as library:
        return await imported(library.pages, lines)

"""`library` and `replies`: look after the library's files, batches under way, and recorded replies."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer
from rich.filesize import decimal

from readgraph.cli.run.documents import find_document
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import run_until_stopped
from readgraph.library.address import LibraryPlace
from readgraph.library.archives import add_archived_replies, archive_lines
from readgraph.library.backups import back_up
from readgraph.library.copying import copy_library as copy
from readgraph.library.folder import default_place
from readgraph.library.opening import Library, open_library
from readgraph.library.page_store import SentBatch
from readgraph.library.upkeep import CompactionSizes, Fault, check, compact, repair
from readgraph.models.client import model_client
from readgraph.sources.inputs import read_bytes
from readgraph.sources.loading import printable_path
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.files import replace_file
from readgraph.state.words import format_count

WRONG = 1
"""Exit code where something is wrong."""


def check_library(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Check a library, and print what is wrong."""
    faults, holds = run_until_stopped(_find_faults(folder))
    if as_json:
        print_json({"faults": [asdict(fault) for fault in faults]})
    else:
        _print_faults(faults)
        if any(fault.repairs for fault in faults):
            _print("'readgraph library repair' mends what can be mended.")
        if not faults:
            _print(f"The library is whole: {holds}.")
    if faults:
        raise typer.Exit(WRONG)


def repair_library(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Repair a library, and print what was mended and what is left."""
    mended, left, holds = run_until_stopped(_mend_faults(folder))
    if as_json:
        print_json({"mended": [asdict(fault) for fault in mended], "left": [asdict(fault) for fault in left]})
    else:
        _print(f"Mended: {format_count(len(mended), 'fault')}." if mended else f"There was nothing to mend in {holds}.")
        _print_faults(mended)
        if left:
            _print("Left, since it can't be made again from the rest:")
            _print_faults(left)
    if left:
        raise typer.Exit(WRONG)


def back_up_library(to: Path, folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Copy a library, and print how large the copy is."""
    size = run_until_stopped(_write_backup(folder, to.expanduser()))
    if as_json:
        print_json({"folder": str(to), "bytes": size})
    else:
        _print(f"Copied the library into {to} ({decimal(size)}).")


def copy_library(source: LibraryPlace, target: LibraryPlace, *, as_json: bool) -> None:
    """Copy a library from place to place, and print what the copy holds."""
    copied = run_until_stopped(copy(source, target))
    if as_json:
        print_json({"to": str(target), **copied._asdict()})
        return
    held = [format_count(copied.items, "item"), format_count(copied.checkpoints, "checkpoint")]
    held += [format_count(copied.originals, "original file")] if copied.originals else []
    _print(f"Copied {source} into {target}: {', '.join(held)}; both have the digest {copied.digest}.")


async def _find_faults(folder: LibraryPlace | None) -> tuple[list[Fault], str]:
    async with open_library(folder, only_shows=True, finishes=False) as library:
        faults = await check(library)
        return faults, "" if faults else await _holds(library)


async def _mend_faults(folder: LibraryPlace | None) -> tuple[list[Fault], list[Fault], str]:
    async with open_library(folder, finishes=False) as library:
        mended = await repair(library, await check(library))
        left = await check(library)
        return mended, left, "" if left else await _holds(library)


async def _holds(library: Library) -> str:
    """What a library that is whole holds, in words."""
    memories = sum(map(len, (await library.pages.all_memories()).values()))
    return f"{format_count(len(await library.pages.documents()), 'document')}, {format_count(memories, 'memory')}"


async def _write_backup(folder: LibraryPlace | None, to: Path) -> int:
    if not isinstance(place := folder or default_place(), Path):
        await copy(place, to)
        return sum(file.stat().st_size for file in to.rglob("*") if file.is_file())
    async with open_library(folder, only_shows=True) as library:
        return await back_up(library, to)


def _print_faults(faults: Sequence[Fault]) -> None:
    for fault in faults:
        _print(f"  {fault.kind} {fault.name}: {fault.problem}")


def _print(line: str) -> None:
    Console(soft_wrap=True).print(SafeText(line))


def compact_library(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Compact a library, and print how large its files were and are."""
    done = run_until_stopped(_compact(folder))
    if as_json:
        print_json({"bytes_before": done.before, "bytes_after": done.after, "checkpoints": done.checkpoints})
        return
    deleted = f"; {format_count(done.checkpoints, 'checkpoint')} deleted" if done.checkpoints else ""
    Console().print(SafeText(f"The library took {decimal(done.before)} and takes {decimal(done.after)}{deleted}."))


async def _compact(folder: LibraryPlace | None) -> CompactionSizes:
    async with open_library(folder) as library:
        return await compact(library)


def list_batches(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Print the batches that were sent and whose replies are not recorded yet, the oldest first."""
    found = [_batch_value(record) for record in run_until_stopped(_load_batches(folder))]
    _print_batches(found, f"No batch is under way in {folder or default_place()}.", as_json=as_json)


def cancel_batches(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Cancel all these batches, and print how many replies each has brought; raises `BadInput` for other servers."""
    found = run_until_stopped(_cancel_all_batches(folder))
    _print_batches(found, f"Nothing to cancel: no batch is under way in {folder or default_place()}.", as_json=as_json)


async def _load_batches(folder: LibraryPlace | None) -> list[SentBatch]:
    async with open_library(folder) as library:
        return await library.pages.batch_records().all()


async def _cancel_all_batches(folder: LibraryPlace | None) -> list[dict[str, Any]]:
    async with open_library(folder) as library:
        sent = await library.pages.batch_records().all()
        replies = await asyncio.gather(*(_cancel(library, record) for record in sent))
        return [_batch_value(record) | {"replies": count} for record, count in zip(sent, replies, strict=True)]


async def _cancel(library: Library, record: SentBatch) -> int:
    """Cancel one batch; returns how many replies it has brought."""
    client = await model_client(ReaderContext(model=record.model, batch=True))
    if client.server != record.server or not client.batches:
        raise BadInput(
            f"The batch of '{record.model}' is at {record.server}, and the model now at {client.server}: "
            "set the address as it was."
        )
    return await client.batches.cancel(library.pages, record)


def _batch_value(record: SentBatch) -> dict[str, Any]:
    return {
        "batch": record.batch,
        "model": record.model,
        "server": record.server,
        "requests": len(record.lines),
        "sent": datetime.fromtimestamp(record.sent, UTC).isoformat(timespec="seconds"),
    }


def _print_batches(batches: list[dict[str, Any]], without: str, *, as_json: bool) -> None:
    if as_json:
        print_json(batches)
        return
    for each in batches:
        line = f"{each['batch'] or 'not confirmed'}: {format_count(each['requests'], 'request')} to {each['model']}"
        line += f" at {each['server']}, sent at {each['sent']}"
        if "replies" in each:
            line += f"; cancelled, {format_count(each['replies'], 'reply')} recorded"
        Console().print(SafeText(line))
    if not batches:
        Console().print(SafeText(without))


def export_replies(file: Path, document_name: str, folder: LibraryPlace | None) -> None:
    """Write the recorded replies to a new file."""
    if file.exists():
        raise BadInput(f"{file} exists already: name another file.")
    count = run_until_stopped(_export(file, document_name, folder))
    Console().print(SafeText(f"Exported {count:,} replies to {file}."))


def import_replies(file: Path, folder: LibraryPlace | None) -> None:
    """Add the replies of a file to the library."""
    try:
        text = read_bytes(file, printable_path(file)).decode("utf-8")
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")  # a reply may contain other line ends
    except UnicodeDecodeError:
        raise BadInput(f"{file} can't be read as an archive of replies.") from None
    new, known = run_until_stopped(_import(lines, folder))
    Console().print(SafeText(f"Imported {new:,} replies; {known:,} were in the library already."))


async def _export(file: Path, document_name: str, folder: LibraryPlace | None) -> int:
    async with open_library(folder, only_shows=True) as library:
        document = (await find_document(library.pages, document_name)).id if document_name else None
        lines = [line async for line in archive_lines(library.pages, document)]
    try:
        await asyncio.to_thread(_write, file, lines)
    except OSError as problem:
        raise BadInput(f"{file} can't be written: {problem.strerror}.") from None
    return len(lines) - 1


def _write(file: Path, lines: list[str]) -> None:
    with replace_file(file) as opened:
        opened.writelines(f"{line}\n" for line in lines)


async def _import(lines: list[str], folder: LibraryPlace | None) -> tuple[int, int]:
    async with open_library(folder) as library:
        return await add_archived_replies(library.pages, lines)

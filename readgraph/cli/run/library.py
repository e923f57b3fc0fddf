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
from readgraph.cli.run.in_library import check_new, in_library, read_export, run_in_library, write_output
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console
from readgraph.cli.terminal.screen import run_until_stopped
from readgraph.library.address import LibraryPlace
from readgraph.library.archives import add_archived_replies, archive_lines
from readgraph.library.backups import back_up
from readgraph.library.copying import copy_library as copy
from readgraph.library.folder import default_place
from readgraph.library.opening import Library
from readgraph.library.page_store import SentBatch
from readgraph.library.upkeep import Fault, check, compact, repair
from readgraph.models.client import model_client
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.words import format_count

WRONG = 1
"""Exit code where something is wrong."""


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
    """What a library that is whole holds, in words."""
    memories = sum(map(len, (await library.pages.all_memories()).values()))
    return f"{format_count(len(await library.pages.documents()), 'document')}, {format_count(memories, 'memory')}"


def _print_faults(faults: Sequence[Fault]) -> None:
    for fault in faults:
        _print(f"  {fault.kind} {fault.name}: {fault.problem}")


def _print(line: str) -> None:
    Console(soft_wrap=True).print(line)


@in_library()
async def compact_library(library: Library, *, as_json: bool) -> None:
    """Compact a library, and print how large its files were and are."""
    done = await compact(library)
    if as_json:
        print_json({"bytes_before": done.before, "bytes_after": done.after, "checkpoints": done.checkpoints})
        return
    deleted = f"; {format_count(done.checkpoints, 'checkpoint')} deleted" if done.checkpoints else ""
    Console().print(f"The library took {decimal(done.before)} and takes {decimal(done.after)}{deleted}.")


def show_batches(library: LibraryPlace | None, *, cancel: bool, as_json: bool) -> None:
    """Print the batches whose replies are not recorded yet, or cancel them and print what they gave."""

    async def load_or_cancel(opened: Library) -> list[dict[str, Any]]:
        sent = await opened.pages.batch_records().all()
        batches: list[dict[str, Any]] = [
            {
                "batch": record.batch,
                "model": record.model,
                "server": record.server,
                "requests": len(record.lines),
                "sent": datetime.fromtimestamp(record.sent, UTC).isoformat(timespec="seconds"),
            }
            for record in sent
        ]
        if not cancel:
            return batches
        replies = await asyncio.gather(*(_cancel(opened, record) for record in sent))
        return [batch | {"replies": count} for batch, count in zip(batches, replies, strict=True)]

    batches = run_in_library(library, load_or_cancel)
    if as_json:
        print_json(batches)
        return
    for each in batches:
        line = f"{each['batch'] or 'not confirmed'}: {format_count(each['requests'], 'request')} to {each['model']}"
        line += f" at {each['server']}, sent at {each['sent']}"
        if "replies" in each:
            line += f"; cancelled, {format_count(each['replies'], 'reply')} recorded"
        Console().print(line)
    if not batches:
        nothing = "Nothing to cancel: no" if cancel else "No"
        Console().print(f"{nothing} batch is under way in {library or default_place()}.")


async def _cancel(library: Library, record: SentBatch) -> int:
    """Cancel one batch; returns how many replies it has brought."""
    client = await model_client(ReaderContext(model=record.model, batch=True))
    if client.server != record.server or not client.batches:
        raise BadInput(
            f"The batch of '{record.model}' is at {record.server}, and the model now at {client.server}: "
            "set the address as it was."
        )
    return await client.batches.cancel(library.pages, record)


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

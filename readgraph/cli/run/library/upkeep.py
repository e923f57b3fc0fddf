"""`library check`, `repair` and `backup`: whether the library is whole, mended, copied."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import typer
from rich.filesize import decimal

from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import Library, default_place, open_library
from readgraph.state.upkeep.backing_up import back_up
from readgraph.state.upkeep.checking import Fault, check
from readgraph.state.upkeep.copying import copy_library as copy
from readgraph.state.upkeep.repairing import repair
from readgraph.state.words import counted

WRONG = 1
"""Exit code where something is wrong."""


def check_library(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Check a library, and print what is wrong."""
    faults, holds = run_until_stopped(_checked(folder))
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
    mended, left, holds = run_until_stopped(_repaired(folder))
    if as_json:
        print_json({"mended": [asdict(fault) for fault in mended], "left": [asdict(fault) for fault in left]})
    else:
        _print(f"Mended: {counted(len(mended), 'fault')}." if mended else f"There was nothing to mend in {holds}.")
        _print_faults(mended)
        if left:
            _print("Left, since it can't be made again from the rest:")
            _print_faults(left)
    if left:
        raise typer.Exit(WRONG)


def back_up_library(to: Path, folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Copy a library, and print how large the copy is."""
    size = run_until_stopped(_backed_up(folder, to.expanduser()))
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
    held = [counted(copied.items, "item"), counted(copied.checkpoints, "checkpoint")]
    held += [counted(copied.originals, "original file")] if copied.originals else []
    _print(f"Copied {source} into {target}: {', '.join(held)}; both have the digest {copied.digest}.")


async def _checked(folder: LibraryPlace | None) -> tuple[list[Fault], str]:
    async with open_library(folder, only_shows=True, finishes=False) as library:
        faults = await check(library)
        return faults, "" if faults else await _holds(library)


async def _repaired(folder: LibraryPlace | None) -> tuple[list[Fault], list[Fault], str]:
    async with open_library(folder, finishes=False) as library:
        mended = await repair(library, await check(library))
        left = await check(library)
        return mended, left, "" if left else await _holds(library)


async def _holds(library: Library) -> str:
    """What a library that is whole holds, in words."""
    memories = sum(map(len, (await library.pages.all_memories()).values()))
    return f"{counted(len(await library.pages.documents()), 'document')}, {counted(memories, 'memory')}"


async def _backed_up(folder: LibraryPlace | None, to: Path) -> int:
    if not isinstance(place := folder or default_place(), Path):
        await copy(place, to)
        return sum(file.stat().st_size for file in to.rglob("*") if file.is_file())
    async with open_library(folder, only_shows=True) as library:
        return await back_up(library, to)


def _print_faults(faults: Sequence[Fault]) -> None:
    for fault in faults:
        _print(f"  {fault.kind} {fault.name}: {fault.problem}")


def _print(line: str) -> None:
    Console(soft_wrap=True).print(Text(line))

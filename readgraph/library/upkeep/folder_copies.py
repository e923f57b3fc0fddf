"""Copies of a library's folder: to keep, and before it is brought to today's format."""

import asyncio
import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from filelock import FileLock

from readgraph.library.address import MARKER, files_of, format_of, is_index, put_format
from readgraph.library.file_store import ORIGINALS
from readgraph.library.library import Library
from readgraph.library.sqlite_files import connect_to_read, explain_refusals, library_unusable_error, run_check
from readgraph.state.errors import BadInput, LibraryError


async def back_up(library: Library, folder: Path) -> int:
    """Copy a library into a new folder; returns its bytes. Search indexes are left out: they are made again.

    Raises `BadInput` where the folder holds something already, and `LibraryError` where it can't be written.
    """
    return await asyncio.to_thread(copy_folder, library.folder, folder)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """The name of a folder to fill, which becomes `folder` when the `with` ends well. Raises as `back_up` does."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} is there already: name a new folder for the copy.")
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        yield unfinished
        if folder.exists():
            folder.rmdir()
        unfinished.rename(folder)
    except OSError as problem:
        raise library_unusable_error(folder, problem) from problem
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def copy_folder(library: Path, folder: Path) -> int:
    """Copy the folder of a library, whole or not at all; returns the copy's bytes. Raises as `back_up` does."""
    with new_folder(folder) as unfinished:
        unfinished.mkdir(parents=True)
        for file in files_of(library):
            if file.exists() and not is_index(library, file):
                _copy_database(file, unfinished / file.name)
        if (originals := library / ORIGINALS).is_dir():
            # Links were never made here: in a stranger's library one may lead to a file of this machine.
            shutil.copytree(
                originals,
                unfinished / ORIGINALS,
                ignore=lambda folder, names: [name for name in names if Path(folder, name).is_symlink()],
            )
        shutil.copyfile(library / MARKER, unfinished / MARKER)
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _copy_database(file: Path, to: Path) -> None:
    with explain_refusals(file), closing(connect_to_read(file)) as source, closing(sqlite3.connect(to)) as copy:
        source.backup(copy)
        said = run_check(copy, "quick_check")
    if said != "ok":
        raise LibraryError(f"{file} is damaged, so the copy would be: 'readgraph library check' says more.")


STEPS: dict[int, Callable[[Path], None]] = {}
"""What brings a library's folder from this format to the next. A step that was killed is run again from its start."""

_log = logging.getLogger(__name__)


def migrate(folder: Path, to: int) -> None:
    """Bring a library to a format; whoever opens it meanwhile waits. Raises `LibraryError` if it can't be written."""
    with explain_refusals(folder):
        (folder / "locks").mkdir(exist_ok=True)
        with FileLock(folder / "locks" / "migration.lock"):
            if (older := format_of(folder)) >= to:  # another process did it meanwhile
                return
            copy = folder.with_name(f"{folder.name}-format-{older}")
            if not copy.exists():  # else a killed migration made it, before it changed anything
                copy_folder(folder, copy)
            for version in range(older, to):
                STEPS[version](folder)
                put_format(folder, version + 1)
    _log.warning("%s was brought from format %d to %d; the older library is kept in %s.", folder, older, to, copy)

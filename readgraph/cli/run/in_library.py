"""What commands have in common: work in an open library until stopped, and files that they write and read."""

import os
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from readgraph.cli.terminal.safe_text import tell
from readgraph.cli.terminal.screen import run_until_stopped
from readgraph.library.address import LibraryPlace
from readgraph.library.library import ONLY_READ
from readgraph.library.opening import Library, open_library
from readgraph.sources.inputs import read_bytes
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput
from readgraph.state.files import replace_file

T = TypeVar("T")
Given = TypeVarTuple("Given")


def run_in_library(
    folder: LibraryPlace | None,
    work: Callable[[Library, *Given], Coroutine[Any, Any, T]],
    *given: *Given,
    only_shows: bool = False,
    answers: bool = False,
    finishes: bool = True,
) -> T:
    """What the work gives that is done in an opened library (see `open_library`); Ctrl-C stops it."""

    async def run() -> T:
        async with open_library(folder, only_shows=only_shows, answers=answers, finishes=finishes) as library:
            if library.is_copy:
                tell(f"{ONLY_READ}: what is read and answered now is not kept.")
            return await work(library, *given)

    return run_until_stopped(run())


def in_library(
    *, only_shows: bool = False, finishes: bool = True
) -> Callable[[Callable[..., Coroutine[Any, Any, None]]], Callable[..., None]]:
    """Make a command of work whose first argument, `library`, is open: the command is given the library's place."""

    def as_command(work: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
        @wraps(work)
        def command(library: LibraryPlace | None, **given: Any) -> None:
            async def run(opened: Library) -> None:
                await work(opened, **given)

            run_in_library(library, run, only_shows=only_shows, finishes=finishes)

        return command

    return as_command


def check_new(file: Path, what: str = "export") -> None:
    """Raise `BadInput` where a file can't be made or exists, which no export overwrites, or is standard output."""
    if str(file) == "-":
        raise BadInput("'-' is no file that can be written: name one.")
    if file.exists():
        raise BadInput(f"{file} exists already: name another file.")
    check_output(file, what, lambda _: True, "")


def read_export(file: Path, what: str) -> str:
    """The text of a file that was exported; raises `BadInput` where it is not text, and so not `what` it should be."""
    try:
        return read_bytes(file, printable_path(file)).decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{file} can't be read as {what}.") from None


def check_output(file: Path, what: str, is_ours: Callable[[Path], bool], foreign: str) -> None:
    """Raise `BadInput` where this can't be written to a file; one that exists is only replaced if it `is_ours`."""
    if file.is_dir():
        raise BadInput(f"{file} is a folder: name a file for the {what}.")
    if not file.parent.is_dir():
        raise BadInput(f"There is no folder {file.parent}: create it, or name another file for the {what}.")
    try:
        if not os.access(file if file.exists() else file.parent, os.W_OK):
            raise BadInput(f"The {what} {file} can't be written: permission is missing.")
        if file.is_file() and not is_ours(file):
            raise BadInput(f"{file} exists already and {foreign}.")
    except OSError as problem:
        raise BadInput(f"The {what} {file} can't be written: {problem.strerror or problem}.") from None


def begins_with(file: Path, beginning: bytes) -> bool:
    """Whether a file begins so, or is empty."""
    with file.open("rb") as opened:
        return opened.read(len(beginning)) in (b"", beginning)


def write_output(file: Path, data: bytes, what: str = "") -> None:
    """Write a file whole; raises `BadInput` where it can't be written, with `what` it is."""
    try:
        with replace_file(file, "wb") as opened:
            opened.write(data)
    except OSError as problem:
        called = f"The {what} {file}" if what else file
        raise BadInput(f"{called} can't be written: {problem.strerror or problem}.") from None

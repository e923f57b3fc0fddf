"""Files that a command writes: which are refused before the work, and what is said where writing fails."""

import os
from collections.abc import Callable
from pathlib import Path

from readgraph.state.errors import BadInput
from readgraph.state.files import replace_file


def check_output(file: Path, what: str, is_ours: Callable[[Path], bool], foreign: str) -> None:
    """Raise `BadInput` where this can't be written to a file, such as a "report"; `foreign` says what isn't replaced.

    A file that exists is only replaced if it `is_ours`.
    """
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

"""Files that somebody names, opened with care: no pipe that waits for ever, no device, nothing beyond the memory."""

import os
import stat
import sys
from pathlib import Path

from readgraph.state.errors import BadInput

MOST_MB = 200
"""Megabytes of one file that are read where READGRAPH_MAX_FILE_MB says nothing else."""

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


def most_bytes() -> int:
    """Bytes of one file, of standard input, or of an archive's members together, that are read at most."""
    given = os.environ.get("READGRAPH_MAX_FILE_MB") or MOST_MB
    try:
        most = int(given)
    except ValueError:
        most = 0
    if most < 1:
        raise BadInput(f"READGRAPH_MAX_FILE_MB can't be '{given}': it is a number of megabytes, such as {MOST_MB}.")
    return most * 1_000_000


def check_regular(path: Path, name: str) -> int:
    """The size in bytes of a regular file, or of what a link leads to; raises `BadInput` for everything else.

    `name` is what messages call it.
    """
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last of a null character in the path
        raise BadInput(f"There is no file {name}.") from None
    except OSError as problem:
        raise BadInput(f"{name} can't be read: {problem.strerror}.") from None
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "no regular file")
        raise BadInput(f"{name} can't be read, it is {kind}: name a file.")
    return found.st_size


def read_bytes(path: Path, name: str) -> bytes:
    """A regular file's bytes, if they are no more than may be read; `name` is what messages call it.

    Raises `BadInput`.
    """
    most = most_bytes()
    if check_regular(path, name) > most:
        raise too_large(name)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)  # a file may grow, and some of the system's say that they have no size
    except OSError as problem:
        raise BadInput(f"{name} can't be read: {problem.strerror}.") from None
    if len(data) > most:
        raise too_large(name)
    return data


def read_standard_input() -> bytes:
    """The bytes of standard input; raises `BadInput` where it is closed, or has more than may be read."""
    most = most_bytes()
    try:
        data = sys.stdin.buffer.read(most + 1)
    except (AttributeError, OSError):  # closed (then there is no sys.stdin), or a folder
        raise BadInput("Standard input can't be read: give it a text, or name a file.") from None
    if len(data) > most:
        raise too_large("Standard input")
    return data


def too_large(name: str) -> BadInput:
    """The error for what has more bytes than may be read."""
    most = most_bytes() // 1_000_000
    return BadInput(f"{name} has more than {most} MB: split it, or let READGRAPH_MAX_FILE_MB be larger.")

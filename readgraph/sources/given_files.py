"""Safe reading of files that users name: no pipes that wait for ever, no devices, nothing larger than the memory."""

import sys
from pathlib import Path

from readgraph.state.errors import BadInput
from readgraph.state.files.regular_files import check_regular
from readgraph.state.set_limits import limit_set

MOST_MB = 200
"""The most megabytes of a file, unless READGRAPH_MAX_FILE_MB is set."""


def most_bytes() -> int:
    """The most bytes that are read of a file, of standard input, or of all members of an archive together."""
    return limit_set("READGRAPH_MAX_FILE_MB", MOST_MB, "megabytes") * 1_000_000


def read_bytes(path: Path, name: str) -> bytes:
    """The bytes of a regular file; `name` is its name in messages.

    Raises `BadInput` if it can't be read or is too large.
    """
    most = most_bytes()
    if check_regular(path, name) > most:
        raise too_large(name)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)  # a file may grow, and some system files report size 0
    except OSError as problem:
        raise BadInput(f"{name} can't be read: {problem.strerror}.") from None
    if len(data) > most:
        raise too_large(name)
    return data


def read_standard_input() -> bytes:
    """The bytes of standard input; raises `BadInput` if it is closed or too large."""
    most = most_bytes()
    try:
        data = sys.stdin.buffer.read(most + 1)
    except (AttributeError, OSError):  # closed (sys.stdin is None), or a folder
        raise BadInput("Standard input can't be read: pipe a text into it, or name a file.") from None
    if len(data) > most:
        raise too_large("Standard input")
    return data


def too_large(name: str) -> BadInput:
    """The error for a file that is larger than `most_bytes`."""
    most = most_bytes() // 1_000_000
    return BadInput(f"{name} has more than {most} MB: split it, or set READGRAPH_MAX_FILE_MB to a larger number.")

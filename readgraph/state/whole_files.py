"""Files that appear whole or not at all, so that what failed half-way leaves nothing that stands in the way."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal
from uuid import uuid4


@contextmanager
def written_whole(path: Path, mode: Literal["w", "wb"] = "w", errors: str | None = None) -> Iterator[IO[Any]]:
    """A file to write to, text in UTF-8, which takes the place of `path` when the `with` ends well.

    Until then it stands beside it under a hidden name, and where the `with` fails it is deleted. What can't be
    exchanged (a device, a pipe, a file in a folder that takes no new ones) is written in its place. Raises `OSError`.
    """
    how: dict[str, Any] = {"encoding": "utf-8", "errors": errors} if mode == "w" else {}
    if path.exists() and not (path.is_file() and os.access(path.resolve().parent, os.W_OK)):
        there = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_NONBLOCK)  # a pipe that nobody reads is an error at once
        with open(there, mode, **how) as file:
            os.set_blocking(file.fileno(), True)
            yield file
        return
    place = path.resolve()  # a link stays one
    beside = place.with_name(f".{uuid4().hex}.new")
    try:
        with beside.open(mode, **how) as file:
            yield file
        if place.exists():
            shutil.copymode(place, beside)
        beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise

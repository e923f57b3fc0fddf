"""Files on this disk: written whole or not at all, refused where they are not regular or from a newer version."""

import os
import shutil
import stat
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, Literal
from uuid import uuid4

from readgraph.state.errors import BadInput, ReadgraphError


def open_without_waiting(path: Path, flags: int, mode: int = 0o666) -> int:
    """The descriptor of a file to write to, by `os.open`; it fails at once for a pipe that nobody reads."""
    at_once: int = getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags | at_once | getattr(os, "O_BINARY", 0), mode)
    if at_once:
        os.set_blocking(descriptor, True)
    return descriptor


@contextmanager
def replace_file(path: Path, mode: Literal["w", "wb"] = "w", errors: str | None = None) -> Iterator[IO[Any]]:
    """A file to write to, which replaces `path` when the `with` ends; what can't be replaced is written in place."""
    encoding: dict[str, Any] = {"encoding": "utf-8", "errors": errors, "newline": "\n"} if mode == "w" else {}
    if path.exists() and not (path.is_file() and os.access(path.resolve().parent, os.W_OK)):
        with open(open_without_waiting(path, os.O_WRONLY | os.O_TRUNC), mode, **encoding) as file:
            yield file
        return
    target = path.resolve()  # a symbolic link stays a link
    new = target.with_name(f".{uuid4().hex}.new")
    try:
        with new.open(mode, **encoding) as file:
            yield file
        if target.exists():
            shutil.copymode(target, new)
        new.replace(target)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


_KINDS = {
    **{stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"},
    **dict.fromkeys((stat.S_IFCHR, stat.S_IFBLK), "a device"),
}


def check_regular(path: Path, name: str) -> int:
    """The size in bytes of a regular file, or of a link's target; raises `BadInput`, with its name, for others."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a null character in the path
        raise BadInput(f"There is no file {name}.") from None
    except OSError as problem:
        raise BadInput(f"{name} can't be read: {problem.strerror}.") from None
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "not a regular file")
        raise BadInput(f"{name} can't be read, it is {kind}: name a file.")
    return status.st_size


NOT_UTF8 = "it is not in UTF-8; save it as UTF-8"


def read_toml(path: Path, name: str, most: int) -> dict[str, Any]:
    """What stands in the first bytes of a file of TOML; raises `BadInput`, with its name, if it can't be read."""
    try:
        with path.open("rb") as file:
            return tomllib.loads(file.read(most).decode("utf-8-sig"))
    except OSError as problem:
        raise BadInput(f"{name} can't be read: {problem.strerror}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{name} can't be read: {NOT_UTF8}.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise BadInput(f"{name} can't be read: {problem}.") from None


def read_package_toml(package: str, name: str) -> dict[str, Any]:
    """What stands in a file of TOML that comes with a package."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


def check_format(what: object, format: object, known: int, error: type[ReadgraphError] = BadInput) -> None:
    """Raise an error if a newer version wrote this, whose format's number is not known yet."""
    if type(format) is int and format > known:
        raise error(f"{what} was made by a newer version (format {format}): upgrade readgraph.")


def unpack(packed: bytes, most: int) -> bytes:
    """What zlib compressed; raises `ValueError` where it is torn or has more bytes than `most`, and zlib's error."""
    unpacking = zlib.decompressobj()
    data = unpacking.decompress(packed, most)
    if not unpacking.eof:
        raise ValueError("The compressed value is torn or too long.")
    return data

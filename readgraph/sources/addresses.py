"""Addresses of web pages, where otherwise files are named."""

import sys
from os import PathLike
from pathlib import Path

if sys.platform == "win32":
    from pathlib import WindowsPath as _SystemPath
else:
    from pathlib import PosixPath as _SystemPath

_SCHEMES = ("https://", "http://")


class Address(_SystemPath):
    """An address such as "https://example.org/report/": a path, so that it can stand among the paths of files.

    Its string is the address as it was written; a plain path would lose one of two slashes, and one at the end.
    """

    _address = ""

    def __new__(cls, address: str) -> "Address":
        """The address as it is written."""
        made = super().__new__(cls, address)
        made._address = address
        return made

    def __str__(self) -> str:
        return self._address or super().__str__()

    def with_segments(self, *segments: str | PathLike[str]) -> Path:
        """A path derived from this one: a plain one."""
        return Path(*segments)


def file_or_address(name: str) -> Path:
    """What a name stands for: an `Address` if it begins with https:// or http://, or else a file's path."""
    return Address(name) if name.lower().startswith(_SCHEMES) else Path(name)

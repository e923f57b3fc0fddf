"""The address of a library on a PostgreSQL server, and the place of any library: a folder or such an address."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from readgraph.state.errors import LibraryError

_BEGINS = re.compile(r"postgres(?:ql)?://")
_OF_OTHERS = re.compile(r"\s*[a-z][a-z0-9+.-]*://|.*\bpassword\s*=", re.IGNORECASE)
"""Addresses of another kind, and libpq's other form: a folder of that name would show the password in it."""

_PASSWORD = re.compile(r"^(postgres(?:ql)?://[^:@/?#]*):.*@", re.DOTALL)
"""From the colon to the last @, so that nothing of a password is left that holds a slash or an @ itself."""

_SHOWN = ("host", "hostaddr", "port", "dbname", "user")
"""The parameters of an address that messages may name."""


@dataclass(frozen=True)
class LibraryAddress:
    """An address as libpq takes it (`postgresql://user@host/database`); as a text it is without its password."""

    full: str = field(repr=False)
    shown: str = field(init=False, repr=True, compare=False)

    def __post_init__(self) -> None:
        before, _, parameters = _PASSWORD.sub(r"\1@", self.full).partition("?")
        kept = [(name, value) for name, value in parse_qsl(parameters) if name in _SHOWN]
        object.__setattr__(self, "shown", before + (f"?{urlencode(kept, safe='/')}" if kept else ""))

    def __str__(self) -> str:
        return self.shown

    @property
    def names_password(self) -> bool:
        """Whether a password stands before the server's name, or among the parameters."""
        return _PASSWORD.match(self.full) is not None or "password=" in self.full.partition("?")[2]


LibraryPlace = Path | LibraryAddress
"""Where a library is."""


def library_place(named: "str | os.PathLike[str] | LibraryAddress") -> LibraryPlace:
    """The place that a user names: an address begins with `postgresql://`, all else is a folder.

    Raises `LibraryError` for an address of another kind.
    """
    if isinstance(named, LibraryAddress):
        return named
    text = os.fspath(named)
    if _BEGINS.match(text):
        return LibraryAddress(text)
    if _OF_OTHERS.match(text):
        raise LibraryError("A library is a folder, or on a PostgreSQL server: write postgresql://USER@HOST/DATABASE.")
    return Path(text).expanduser()

"""The place of a library: a folder, or an address of a kind that plugs in; what a folder holds, by name.

A folder is read without opening the library, so that shells complete names at once.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from readgraph.plugins import leave_out, plugged_in
from readgraph.state.errors import LibraryError

__all__ = ["StoreKind"]

_ADDRESS = re.compile(r"\s*[a-z][a-z0-9+.-]*://|.*\bpassword\s*=", re.IGNORECASE)
"""Addresses of any kind, and libpq's other form: a folder of that name would show the password in it."""

_PASSWORD = re.compile(r"^([a-z][a-z0-9+.-]*://[^:@/?#]*):.*@", re.DOTALL)
"""From the colon to the last @, so that nothing of a password is left that holds a slash or an @ itself."""

_SHOWN = ("host", "hostaddr", "port", "dbname", "user")  # the parameters of an address that messages may name


@dataclass(frozen=True)
class LibraryAddress:
    """Where a library is that is in no folder (`scheme://user@host/name`); as a text it is without its password."""

    full: str = field(repr=False)
    shown: str = field(init=False, repr=True, compare=False)

    def __post_init__(self) -> None:
        before, _, parameters = _PASSWORD.sub(r"\1@", self.full).partition("?")
        kept = [(name, value) for name, value in parse_qsl(parameters) if name in _SHOWN]
        object.__setattr__(self, "shown", before + (f"?{urlencode(kept, safe='/')}" if kept else ""))

    def __str__(self) -> str:
        return self.shown

    @property
    def scheme(self) -> str:
        """What stands before `://`."""
        return self.full.partition("://")[0]

    @property
    def names_password(self) -> bool:
        """Whether a password stands before the server's name, or among the parameters."""
        return _PASSWORD.match(self.full) is not None or "password=" in self.full.partition("?")[2]


LibraryPlace = Path | LibraryAddress  # where a library is


@dataclass(frozen=True, kw_only=True)
class StoreKind:
    """Places besides folders where libraries can be kept, as they plug in (`readgraph.plugins`).

    Attributes:
        schemes: What their addresses begin with, before `://`.
        place: What messages call such a place, with an address of it.
        opener: Where the function stands that opens the store: "package.module:function". It takes a `LibraryAddress`,
            and `to_read`, with which nothing is changed; it gives a `readgraph.library.store.SharedStore`. It blocks.
        needs: What to install where the packages that it imports are missing.
    """

    schemes: tuple[str, ...]
    place: str
    opener: str
    needs: str


def store_kinds() -> list[StoreKind]:
    """The kinds of places besides folders that are plugged in; none has the addresses of another."""
    kinds = dict[str, StoreKind]()
    for package, kind in plugged_in("stores", StoreKind):
        if taken := [scheme for scheme in kind.schemes if scheme in kinds]:
            leave_out(package, f"there are other libraries at '{taken[0]}://'")
        else:
            kinds |= dict.fromkeys(kind.schemes, kind)
    return [*dict.fromkeys(kinds.values())]


def library_place(named: "str | os.PathLike[str] | LibraryAddress") -> LibraryPlace:
    """The place that a user names; raises `LibraryError` for an address at which nothing keeps libraries."""
    if isinstance(named, LibraryAddress):
        return named
    text = os.fspath(named)
    if not _ADDRESS.match(text):
        return Path(text).expanduser()
    address, kinds = LibraryAddress(text), store_kinds()
    if any(address.scheme in kind.schemes for kind in kinds):
        return address
    places = ", or ".join(["folder", *(kind.place for kind in kinds)])
    more = "" if kinds else ": nothing that is installed keeps one at an address"
    raise LibraryError(f"A library is a {places}{more}.")


STORE = "library.sqlite"
CHECKPOINTS = "checkpoints.sqlite"  # the file of threads; that of a namespace begins with its key
MARKER = "readgraph.json"  # the file that says that a folder is a library, and in which format
SEARCH = "search"  # the folder of the search indexes
NAMESPACE = "readgraph"  # what the namespaces of all records begin with
MOST_LISTED = 500  # the most records of a kind that are listed


def default_place() -> LibraryPlace:
    """The library's place: READGRAPH_LIBRARY, or the user's data folder if that is not set."""
    from platformdirs import user_data_path  # here, since most commands start without a library

    named = os.environ.get("READGRAPH_LIBRARY")
    return library_place(named) if named else user_data_path("readgraph", appauthor=False)


def format_of(folder: Path) -> int:
    """The number of a library's format; raises `ValueError`, `KeyError` or `TypeError` if its marker is damaged."""
    version = json.loads((folder / MARKER).read_text(encoding="utf-8"))["format"]
    if type(version) is not int or version < 1:
        raise ValueError("This is not a format number.")
    return version


def put_format(folder: Path, version: int) -> None:
    """Write the number of a library's format into its marker, which is there."""
    with (folder / MARKER).open("r+", encoding="utf-8") as file:  # "r+" doesn't empty it: others may be reading
        file.write(json.dumps({"format": version}) + "\n")


def files_of(folder: Path) -> list[Path]:
    """The SQLite files of a library: its checkpoints, its store, its search indexes; of one on a server only these."""
    return [*own_files(folder), *sorted((folder / SEARCH).rglob("*.sqlite"))]


def own_files(folder: Path) -> list[Path]:
    """The SQLite files of a library that can't be made again from others; none of one on a server."""
    return [*sorted(folder.glob(f"*{CHECKPOINTS}")), *folder.glob(STORE)]


def is_index(folder: Path, file: Path) -> bool:
    """Whether a file of a library can be made again from the others."""
    return file.is_relative_to(folder / SEARCH)


def list_records(kind: str, folder: LibraryPlace | None = None, typed: str = "") -> Iterator[dict[str, Any]]:
    """The library's newest records of a kind ("documents", "memories", "agents"); none where it can't be read.

    Of documents only those whose id or title may begin with what was `typed`. None of a library on a server: who
    completes a word does not wait for a network.
    """
    try:
        place = library_place(folder) if folder else default_place()
    except LibraryError:
        return
    if isinstance(place, LibraryAddress):
        return
    import sqlite3  # here, since most commands start without a library

    file = place / STORE
    try:
        if not file.is_file():
            return
        unused = not file.with_name(f"{STORE}-wal").exists()  # then nothing is written next to it
        address = f"{file.absolute().as_uri()}?mode=ro{'&immutable=1' if unused else ''}"
        with closing(sqlite3.connect(address, uri=True, timeout=0.1)) as connection:
            first = f"{NAMESPACE}.{kind}"
            where, given = "prefix = ?", [first]  # rows are numbered as they were written: no sorting
            if kind == "memories":  # their records stand below the ids of their documents
                where, given = "prefix BETWEEN ? AND ?", [first, f"{first}.~"]
            if kind == "documents" and typed:
                where += " AND (key LIKE ? OR CAST(value AS TEXT) LIKE ?)"
                given += [f"{_pattern(typed)}%", f'%"title":"{_pattern(typed)}%']
            query = f"SELECT value FROM store WHERE {where} ORDER BY rowid DESC LIMIT ?"
            rows = connection.execute(query, (*given, MOST_LISTED)).fetchall()
    except (sqlite3.Error, OSError):
        return
    for (value,) in rows:
        try:
            record = json.loads(value)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _pattern(typed: str) -> str:
    """A pattern for texts that begin with this: in either case, with other signs between its words."""
    return "%".join(re.sub(r"[^\x00-\x7f]", "_", word) for word in re.findall(r"[^\W_]+", typed))

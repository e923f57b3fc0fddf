"""What the tables of a library hold, in a folder or on a server, as another program sees it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from readgraph.library.address import CHECKPOINTS, STORE, LibraryAddress, library_place

ON_SERVER = {"writes": "checkpoint_writes"}
"""The names on a server of tables that have others there."""


def counted_at(where: Path | str, table: str) -> int:
    """How many rows of documents a table has: without the mark that a library's sources are noted."""
    of_documents = " WHERE key <> 'noted'" if table == "store" else ""
    return int(asked_at(where, f"SELECT count(*) FROM {table}{of_documents}")[0][0])


def asked_at(where: Path | str, statement: str) -> list[tuple[Any, ...]]:
    """The rows that a statement about one table gives."""
    place = library_place(where)
    if not isinstance(place, LibraryAddress):
        with closing(sqlite3.connect(place / (STORE if " store" in statement else CHECKPOINTS))) as file, file:
            return file.execute(statement).fetchall()
    import psycopg

    for name, there in ON_SERVER.items():
        statement = statement.replace(f" {name}", f" {there}")
    with psycopg.connect(place.full, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []

"""Where the library is, and what it holds by name: read without opening it, so that shells complete names at once."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

STORE = "library.sqlite"

NAMESPACE = "readgraph"
"""What the namespaces of all records begin with."""

MOST_LISTED = 5_000
"""The most records of a kind that are listed."""


def default_folder() -> Path:
    """The library's folder: READGRAPH_LIBRARY, or the user's data folder if that is not set."""
    named = os.environ.get("READGRAPH_LIBRARY")
    return Path(named).expanduser() if named else user_data_path("readgraph", appauthor=False)


def listed_records(kind: str, folder: Path | None = None) -> Iterator[dict[str, Any]]:
    """The library's records of a kind ("documents", "memories", "agents"); none where it can't be read."""
    file = (folder.expanduser() if folder else default_folder()) / STORE
    try:
        if not file.is_file():
            return
        unused = not file.with_name(f"{STORE}-wal").exists()  # then nothing is written next to it
        address = f"{file.absolute().as_uri()}?mode=ro{'&immutable=1' if unused else ''}"
        with closing(sqlite3.connect(address, uri=True, timeout=0.1)) as connection:
            query = "SELECT value FROM store WHERE prefix BETWEEN ? AND ? ORDER BY updated_at DESC LIMIT ?"
            first = f"{NAMESPACE}.{kind}"  # the records of memories stand below the ids of their documents
            rows = connection.execute(query, (first, f"{first}.~", MOST_LISTED)).fetchall()
    except (sqlite3.Error, OSError):
        return
    for (value,) in rows:
        try:
            record = json.loads(value)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record

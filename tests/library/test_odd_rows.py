"""A row of the store that SQLite or LangGraph can't parse is set right, and no other row is touched."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from readgraph.library.opening import open_library

DEEP = "[" * 2000 + "]" * 2000
"""Deeper than SQLite parses."""

OF_THE_AGENT = "prefix = 'readgraph.agents'"
ODD = {
    "cut off": "value = CAST('{\"id\":' AS BLOB)",
    "cut off, as text": "value = '{\"id\":'",
    "too deep": f"value = '{{\"id\":{DEEP}}}'",
    "no UTF-8": "value = x'ff'",
    "a time": "created_at = 'yesterday'",
}


def rows(library: Path) -> set[tuple[object, ...]]:
    """What is stored, but for the odd row."""
    with closing(sqlite3.connect(library / "library.sqlite")) as store:
        return {*store.execute(f"SELECT * FROM store WHERE NOT {OF_THE_AGENT}")}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
async def test_the_other_rows_stay_as_they_are(tmp_path: Path, odd: str) -> None:
    async with open_library(tmp_path / "library") as library:
        await library.pages.add_document("The goat took the log book.", title="goat")
        await library.store.aput(("readgraph", "agents"), "ada", {"id": "ada", "name": "ada"})
    before = rows(tmp_path / "library")
    with closing(sqlite3.connect(tmp_path / "library" / "library.sqlite", isolation_level=None)) as store:
        assert store.execute(f"UPDATE store SET {odd} WHERE {OF_THE_AGENT}").rowcount == 1
    async with open_library(tmp_path / "library") as library:
        found = await library.store.asearch(("readgraph",), filter={"name": "ada"})
        assert all(item.key == "ada" for item in found)
    assert rows(tmp_path / "library") == before and len(before) > 1

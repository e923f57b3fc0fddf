"""Ways to damage a library: its rows, the values in them, its files."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Any

import ormsgpack

ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    1.5,
    2**31,
    2**53,
    2**63,
    10**30,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\x00",
    "../../x",
    "2026-02-31T25:00:00",
    "0001-01-01T00:00:00+23:59",
    [],
    {},
    [[]],
    [None],
    {"a": {}},
]

PAGE = 4096
"""Bytes of a page of an SQLite file."""

INDEX_PAGES = (2, 10)
"""What the first byte of a page says if it belongs to an index."""

Damage = Callable[[Path, Random], str]
"""Damages the library in a folder, and says how."""


def odd_value(folder: Path, random: Random) -> str:
    """Replace a value of a record, or the whole record."""
    with closing(sqlite3.connect(folder / "library.sqlite", isolation_level=None)) as store:
        row, prefix, value = _a_record(store, random)
        changed, where = _changed(json.loads(value), random)
        store.execute("UPDATE store SET value = ? WHERE rowid = ?", (json.dumps(changed), row))
    return f"{prefix}: {where}"


def odd_row(folder: Path, random: Random) -> str:
    """Put a value of another type in a column of a row."""
    column = random.choice(["value", "value", "key", "prefix", "created_at", "updated_at"])
    odd = random.choice([b"\xff\xfe", b"{}", "{", "[]", "7", "é\x00", "2026-02-31 25:00:00", 7, 1.5])
    with closing(sqlite3.connect(folder / "library.sqlite", isolation_level=None)) as store:
        row, prefix, _ = _a_record(store, random)
        store.execute(f"UPDATE store SET {column} = ? WHERE rowid = ?", (odd, row))
        if column == "value" and random.random() < 0.3:
            store.execute("UPDATE store SET value = CAST(? AS TEXT) WHERE rowid = ?", (b'{"a": "\xff"}', row))
    return f"{prefix}: {column} = {odd!r}"


def missing_rows(folder: Path, random: Random) -> str:
    """Delete some rows of one kind."""
    with closing(sqlite3.connect(folder / "library.sqlite", isolation_level=None)) as store:
        row, prefix, _ = _a_record(store, random)
        only = random.choice(["rowid = ?", "prefix = (SELECT prefix FROM store WHERE rowid = ?)"])
        store.execute(f"DELETE FROM store WHERE {only}", (row,))
    return f"{prefix}: gone ({only})"


def odd_checkpoint(folder: Path, random: Random) -> str:
    """Replace a checkpoint, or what a step wrote."""
    with closing(sqlite3.connect(folder / "checkpoints.sqlite", isolation_level=None)) as kept:
        table, column = random.choice([("checkpoints", "checkpoint"), ("writes", "value")])
        newest = f"SELECT rowid, {column} FROM {table} WHERE type = 'msgpack' ORDER BY rowid DESC LIMIT 12"
        row, blob = random.choice(kept.execute(newest).fetchall())
        value = ormsgpack.unpackb(blob, ext_hook=lambda code, data: None, option=ormsgpack.OPT_NON_STR_KEYS)
        changed, where = _changed(value, random, most=2**63 - 1)
        written = ormsgpack.packb(changed, option=ormsgpack.OPT_NON_STR_KEYS)
        kept.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (written, row))
    return f"{table}: {where}"


def odd_checkpoint_row(folder: Path, random: Random) -> str:
    """Put a value of another type in a column of a checkpoint, or delete the row."""
    table = random.choice(["checkpoints", "writes"])
    columns = {"checkpoints": ["type", "checkpoint", "metadata", "parent_checkpoint_id", "checkpoint_id"]}
    column = random.choice(columns.get(table, ["type", "value", "channel", "task_id"]))
    odd = random.choice([b"\xff\xfe", b"{}", "{", "[]", "7", "é\x00", 7, b""])
    with closing(sqlite3.connect(folder / "checkpoints.sqlite", isolation_level=None)) as kept:
        (row,) = random.choice(kept.execute(f"SELECT rowid FROM {table} ORDER BY rowid DESC LIMIT 12").fetchall())
        if random.random() < 0.2:
            kept.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
            return f"{table}: a row is gone"
        kept.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (odd, row))
    return f"{table}: {column} = {odd!r}"


def odd_file(folder: Path, random: Random) -> str:
    """Truncate, empty, partly overwrite or replace a file."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    file, other = random.choice(files), random.choice(files)
    data = file.read_bytes()
    way = random.choice(["cut", "empty", "flipped", "noise", "other", "gone", "folder"])
    if way == "cut":
        data = data[: random.randrange(len(data) + 1)]
    elif way in ("flipped", "noise") and data:
        damaged = bytearray(data)
        for _ in range(random.choice([1, 8, 200])):
            at = random.randrange(len(data))
            damaged[at] = damaged[at] ^ 1 << random.randrange(8) if way == "flipped" else random.randrange(256)
        data = bytes(damaged)
    elif way == "other":
        data = other.read_bytes()
    elif way == "empty":
        data = b""
    file.unlink() if way in ("gone", "folder") else file.write_bytes(data)
    if way == "folder":
        file.mkdir()
    return f"{file.relative_to(folder)}: {way}"


def odd_marker(folder: Path, random: Random) -> str:
    """Change the library's marker."""
    said = random.choice([b"", b"null", b"[]", b"{}", b'{"format": "1"}', b'{"format": 1e999}', b'{"format": NaN}'])
    said = random.choice([said, b'{"format": null}', b'{"format": true}', b"9" * 5000, b"[" * 100_000, b"\xff"])
    (folder / "readgraph.json").write_bytes(said)
    return f"readgraph.json: {said[:20]!r}"


def lose_index_entry(file: Path, entry: str) -> None:
    """Change the end of an entry in an index of an SQLite file, so that its row is no longer found by its key."""
    data, changed = bytearray(file.read_bytes()), 0
    for page in range(0, len(data), PAGE):
        at = data.find(entry.encode(), page, page + PAGE)
        if data[page] in INDEX_PAGES and at >= 0:
            data[at + len(entry.encode()) - 1], changed = ord("~"), changed + 1
    assert changed == 1
    file.write_bytes(data)


def odd_folder(folder: Path, random: Random) -> str:
    """Delete a folder of the library, or replace it by a file."""
    inside = random.choice([path for path in (folder / "locks", folder / "search") if path.exists()])
    rmtree(inside)
    if random.random() < 0.5:
        inside.touch()
        return f"{inside.name}: a file"
    return f"{inside.name}: gone"


WAYS: list[Damage] = [
    odd_value,
    odd_row,
    missing_rows,
    odd_checkpoint,
    odd_checkpoint_row,
    odd_file,
    odd_marker,
    odd_folder,
]


def _a_record(store: sqlite3.Connection, random: Random) -> tuple[int, str, str]:
    """A row of the store; each kind of record is equally likely."""
    rows = store.execute("SELECT rowid, prefix, value FROM store").fetchall()
    kind = random.choice(sorted({prefix.split(".")[1] for _, prefix, _ in rows}))
    row: tuple[int, str, str] = random.choice([row for row in rows if row[1].split(".")[1] == kind])
    return row


def _changed(value: Any, random: Random, most: int = 10**40) -> tuple[Any, str]:
    """The value with one part, at any depth, deleted or replaced; and where that part is."""
    odd = random.choice([each for each in ODD if type(each) is not int or each <= most])
    if not isinstance(value, dict | list) or not value or random.random() < 0.1:
        return odd, f"= {odd!r}"
    key = random.choice([*value] if isinstance(value, dict) else [*range(len(value))])
    copied = dict(value) if isinstance(value, dict) else list(value)
    if random.random() < 0.15:
        del copied[key]
        return copied, f"{key} gone"
    copied[key], where = _changed(value[key], random, most) if random.random() < 0.7 else (odd, f"= {odd!r}")
    return copied, f"{key} {where}"

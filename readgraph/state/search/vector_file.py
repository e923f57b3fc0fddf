"""Vectors on disk: one file a memory and embedding model, which only grows.

A line of JSON names format, model and dimension; then come records of one size. To append is one write, a restart
reads the file through, and a process sees what another appended by reading on. FAISS's own files can't be appended
to: writing 100,000 x 384 vectors again for each new one takes longer than to read them all. All calls here block.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from readgraph.state.search.entries import PARTS

FORMAT = 1
REMOVED = -1
"""Stands in place of the part where all earlier vectors of a page are taken out."""

Records = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a file; `made` tells a file from the one that stood there before."""

    model: str
    dimension: int
    made: str

    @classmethod
    def new(cls, model: str, dimension: int) -> "Header":
        """The header of a file that is made now."""
        return cls(model, dimension, uuid4().hex)

    def line(self) -> bytes:
        """The line as it stands in the file."""
        value = {"readgraph": "vectors", "format": FORMAT, "model": self.model}
        return json.dumps({**value, "dimension": self.dimension, "made": self.made}).encode() + b"\n"

    @property
    def record(self) -> np.dtype[np.void]:
        """Page, part, and the vector in half precision: it halves file and memory, and finds the same pages."""
        return np.dtype([("page", "<i4"), ("part", "<i4"), ("vector", "<f2", (self.dimension,))])


def create(path: Path, header: Header, records: Records | None = None) -> None:
    """Make a file, in one step in place of what was there."""
    written = path.with_suffix(".new")
    with written.open("wb") as file:
        file.write(header.line())
        if records is not None:
            file.write(records.tobytes())
    os.replace(written, path)


def append(path: Path, header: Header, records: Records) -> None:
    """Append records behind the last whole one; only for who holds the file's lock."""
    with path.open("r+b") as file:
        start, size = len(header.line()), header.record.itemsize
        whole = (file.seek(0, os.SEEK_END) - start) // size
        file.seek(start + whole * size)  # a process that was killed may have left a part of one
        file.write(records.tobytes())


def read(path: Path, known: Header | None, first: int) -> tuple[Header, Records] | None:
    """The header, and the records from number `first` on, or all where the header is not the known one.

    A last record that is not whole yet is left for later. Gives nothing where there is no file of this format.
    """
    try:
        with path.open("rb") as file:
            header = _parsed(file.readline(10_000))
            skipped = first if header == known else 0
            file.seek(len(header.line()) + skipped * header.record.itemsize)
            return header, np.fromfile(file, header.record)
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _parsed(line: bytes) -> Header:
    value: dict[str, Any] = json.loads(line)
    if (value["readgraph"], value["format"]) != ("vectors", FORMAT):
        raise ValueError("This is a file of another format.")
    return Header(str(value["model"]), int(value["dimension"]), str(value["made"]))


def is_sound(records: Records) -> bool:
    """Whether these can be records that were written here: no block of a broken disk looks like vectors of length 1."""
    kept = records[records["part"] != REMOVED]
    if (records["page"] < 0).any() or not np.isin(kept["part"], range(len(PARTS))).all():
        return False
    lengths = np.linalg.norm(kept["vector"].astype(np.float32), axis=1)
    return bool((np.abs(lengths - 1) < 0.01).all())

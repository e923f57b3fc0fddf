"""Vectors on disk: one file for each memory and embedding model, which only grows.

A line of JSON names format, model and dimension; records of one size follow. An append is one write, a restart reads
the whole file, and a process sees what another appended by reading further. FAISS's own files would be rewritten as a
whole: 77 MB for each page that is added to 100,000 x 384. All calls here block.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from readgraph.library.search.hits import PARTS

FORMAT = 1
REMOVED = -1
"""Stands in place of the part where all earlier vectors of a page are taken out."""

SALT = np.uint32(0x5EA1)
"""In each check sum, so that a block of zeros is no record."""

MOST_NUMBERS = 1 << 16
"""Of one vector; embedding models give some thousands."""

Records = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class VectorFileHeader:
    """The first line of a file; `made` distinguishes a file from an earlier one with the same name."""

    model: str
    dimension: int
    made: str

    @classmethod
    def new(cls, model: str, dimension: int) -> "VectorFileHeader":
        """The header of a file that is made now."""
        return cls(model, dimension, uuid4().hex)

    def line(self) -> bytes:
        """The line as it stands in the file."""
        value = {"readgraph": "vectors", "format": FORMAT, "model": self.model}
        return json.dumps({**value, "dimension": self.dimension, "made": self.made}).encode() + b"\n"

    @property
    def record(self) -> np.dtype[np.void]:
        """Page, part, and the vector in half precision: it halves file and memory, and finds the same pages."""
        return np.dtype([("sum", "<u4"), ("page", "<i4"), ("part", "<i4"), ("vector", "<f2", (self.dimension,))])


def create(path: Path, header: VectorFileHeader, records: Records) -> None:
    """Make a file, in one step in place of what was there; only for who holds the file's lock."""
    _seal(records)
    written = path.with_suffix(".new")
    written.unlink(missing_ok=True)
    with written.open("xb") as file:  # not through a link that a stranger put there
        file.write(header.line())
        file.write(records.tobytes())
    os.replace(written, path)


def append(path: Path, header: VectorFileHeader, records: Records) -> None:
    """Append records after the last whole one; only for who holds the file's lock."""
    _seal(records)
    with path.open("r+b") as file:
        start, size = len(header.line()), header.record.itemsize
        whole = (file.seek(0, os.SEEK_END) - start) // size
        file.seek(start + whole * size)  # a process that was killed may have left a part of one
        file.write(records.tobytes())


def read(path: Path, known: VectorFileHeader | None, first: int) -> tuple[VectorFileHeader, Records] | None:
    """The header, and the records from number `first` on, or all where the header is not the known one.

    A last record that is not whole yet is left for later. Gives nothing if there is no file of this format.
    """
    if path.is_symlink() or not path.is_file():  # a pipe would be waited for
        return None
    try:
        with path.open("rb") as file:
            header = _parse_header(file.readline(10_000))
            skipped = first if header == known else 0
            file.seek(len(header.line()) + skipped * header.record.itemsize)
            return header, np.fromfile(file, header.record)
    except (FileNotFoundError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _parse_header(line: bytes) -> VectorFileHeader:
    value: dict[str, Any] = json.loads(line)
    if (value["readgraph"], value["format"]) != ("vectors", FORMAT):
        raise ValueError("This is a file of another format.")
    if not 0 < value["dimension"] <= MOST_NUMBERS:
        raise ValueError("This is no embedding's dimension.")
    return VectorFileHeader(str(value["model"]), int(value["dimension"]), str(value["made"]))


def is_sound(records: Records) -> bool:
    """Whether the records are as they were written, and name pages and parts."""
    named = (records["page"] >= 0) & (records["part"] >= REMOVED) & (records["part"] < len(PARTS))
    return bool((named & (records["sum"] == _sums(records))).all())


def _seal(records: Records) -> None:
    records["sum"] = _sums(records)


def _sums(records: Records) -> NDArray[np.uint32]:
    in_vectors: NDArray[np.uint32] = records["vector"].view("<u2").sum(axis=1, dtype=np.uint32)
    return in_vectors + 31 * records["page"].astype(np.uint32) + records["part"].astype(np.uint32) + SALT

"""The vector index: the nearest pages of each memory by embedding, for any event loop and several processes.

The vectors of a memory are in FAISS, kept in step with a file, one for each memory and embedding model, which only
grows. A line of JSON names format, model and dimension; records of one size follow. An append is one write, and a
process sees what another appended by reading further. FAISS's own files would be rewritten as a whole: 77 MB for each
page that is added to 100,000 x 384.
"""

import asyncio
import json
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import uuid4
from weakref import finalize

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from readgraph.library.search.hits import DEPTH, PARTS, Extent, PageHit, Part, VectorKey
from readgraph.library.sqlite_files import explain
from readgraph.state.errors import BadInput, LibraryError
from readgraph.state.records import digest

FORMAT = 1
REMOVED = -1  # stands in place of the part where all earlier vectors of a page are taken out
FOLLOWS = 4  # is added to the part of a page that goes on from the one before
BESIDE = 0.2  # how much the nearness of each page beside it counts for a page, where the text goes on
SALT = np.uint32(0x5EA1)  # in each check sum, so that a block of zeros is no record
MOST_NUMBERS = 1 << 16  # of one vector; embedding models give some thousands
Records = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class VectorFileHeader:
    """The first line of a file; `made` distinguishes a file from an earlier one with the same name."""

    model: str
    dimension: int
    made: str = field(default_factory=lambda: uuid4().hex)

    def line(self) -> bytes:
        """The line as it stands in the file."""
        value = {"readgraph": "vectors", "format": FORMAT, "model": self.model}
        return json.dumps({**value, "dimension": self.dimension, "made": self.made}).encode() + b"\n"

    @property
    def record(self) -> np.dtype[np.void]:
        """Page, part, and the vector in half precision: it halves file and memory, and finds the same pages."""
        return np.dtype([("sum", "<u4"), ("page", "<i4"), ("part", "<i4"), ("vector", "<f2", (self.dimension,))])


def create_file(path: Path, header: VectorFileHeader, records: Records) -> None:
    """Make a file, in one step in place of what was there; only for who holds the file's lock."""
    records["sum"] = _sums(records)
    written = path.with_suffix(".new")
    written.unlink(missing_ok=True)
    with written.open("xb") as file:  # not through a link that a stranger put there
        file.write(header.line())
        file.write(records.tobytes())
    os.replace(written, path)


def read_file(path: Path, known: VectorFileHeader | None, first: int) -> tuple[VectorFileHeader, Records] | None:
    """The header, and the records from number `first` on, or all where the header is not the known one.

    A last record that is not whole is left for later. Gives nothing if there is no file of this format.
    """
    if path.is_symlink() or not path.is_file():  # a pipe would be waited for
        return None
    try:
        with path.open("rb") as file:
            value: dict[str, Any] = json.loads(file.readline(10_000))
            ours = (value["readgraph"], value["format"]) == ("vectors", FORMAT)
            if not ours or not 0 < value["dimension"] <= MOST_NUMBERS:
                return None
            header = VectorFileHeader(str(value["model"]), int(value["dimension"]), str(value["made"]))
            skipped = first if header == known else 0
            file.seek(len(header.line()) + skipped * header.record.itemsize)
            return header, np.fromfile(file, header.record)
    except (FileNotFoundError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def is_sound(records: Records) -> bool:
    """Whether the records are as they were written, and name pages and parts."""
    parts = np.where(records["part"] == REMOVED, 0, records["part"])
    named = (records["page"] >= 0) & (parts >= 0) & (parts < 2 * FOLLOWS) & (parts % FOLLOWS < len(PARTS))
    return bool((named & (records["sum"] == _sums(records))).all())


def _sums(records: Records) -> NDArray[np.uint32]:
    in_vectors: NDArray[np.uint32] = records["vector"].view("<u2").sum(axis=1, dtype=np.uint32)
    return in_vectors + 31 * records["page"].astype(np.uint32) + records["part"].astype(np.uint32) + SALT


Matrix = NDArray[np.float32]


class Vectors:
    """Exhaustive inner-product search over half-precision vectors, with the page and part of each vector."""

    def __init__(self, folder: Path, memory: str, model: str) -> None:
        self._path = folder / f"{digest(memory)}-{digest(model)}.vectors"
        self._files, self._model = f"{digest(memory)}-*.vectors", model
        self._lock = Lock()  # FAISS must not search while it grows
        self._file_lock = FileLock(folder / "vectors.lock")
        self._clear(None)

    def add(self, keys: Sequence[VectorKey], vectors: Matrix) -> None:
        """Add unit vectors in place of those of the same pages; raises `BadInput` for another dimension."""
        if len(keys) != len(vectors):
            raise ValueError(f"{len(keys)} keys for {len(vectors)} vectors.")
        if not keys:
            return
        if not np.allclose(np.einsum("ij,ij->i", vectors, vectors), 1, atol=0.01):
            raise ValueError("Only vectors of length 1 can be indexed.")
        with self._lock, self._file_lock:
            self._catch_up()
            if vectors.shape[1] > MOST_NUMBERS:
                raise BadInput(
                    f"'{self._model}' gave an embedding of {vectors.shape[1]:,} numbers: name another model."
                )
            header = self._header or VectorFileHeader(self._model, vectors.shape[1])
            self._check(header, vectors.shape[1])
            known = self._pages_with_vectors({key.page for key in keys})
            records = np.zeros(len(known) + len(keys), header.record)
            records["page"] = [*known, *(key.page for key in keys)]
            parts = [PARTS.index(key.part) + FOLLOWS * key.follows for key in keys]
            records["part"] = [*[REMOVED] * len(known), *parts]
            records["vector"][len(known) :] = vectors
            self._write(header, records)

    def remove(self, pages: Iterable[int]) -> None:
        """Remove all vectors of these pages."""
        with self._lock, self._file_lock:
            self._catch_up()
            known = self._pages_with_vectors(pages)
            if self._header and known:
                records = np.zeros(len(known), self._header.record)
                records["page"], records["part"] = known, REMOVED
                self._write(self._header, records)

    def forget(self) -> None:
        """Delete the memory's files, of every model."""
        with self._lock, self._file_lock:
            for path in self._path.parent.glob(self._files):
                path.unlink(missing_ok=True)

    def search(self, vector: Matrix, limit: int = 10, parts: Sequence[Part] = PARTS) -> list[PageHit]:
        """The pages with the nearest vectors of these parts by cosine similarity, best first; ties in page order.

        The nearness of the pages beside one counts a little, where the text goes on from one to the other.
        """
        with self._lock:
            self._catch_up()
            count = len(self._pages)
            if self._header is None or not count or limit < 1:
                return []
            self._check(self._header, len(vector))
            following = {*self._pages[self._parts >= FOLLOWS].tolist()}
            depth = max(limit, DEPTH) if following else limit
            wanted = min(4 * depth, count)
            while True:
                scores, rows = self._faiss.search(vector[None, :], wanted)
                hits: dict[int, PageHit] = {}
                for score, row in zip(scores[0].tolist(), rows[0].tolist(), strict=True):  # best first
                    page, part = int(self._pages[row]), PARTS[self._parts[row] % FOLLOWS]
                    if part in parts:
                        hits.setdefault(page, PageHit(page, score, part))
                if len(hits) >= depth or wanted == count:
                    nearest = _with_beside(hits, following) if following else [*hits.values()]
                    return sorted(nearest, key=lambda hit: (-hit.score, hit.page))[:limit]
                wanted = min(4 * wanted, count)

    def extent(self) -> Extent:
        """How many pages have vectors, and the last of them; if the page store holds more, the index is out of date."""
        with self._lock:
            self._catch_up()
            pages = np.unique(self._pages)
            return Extent(len(pages), int(pages[-1]) if len(pages) else -1)

    def dimension(self) -> int:
        """How many numbers each vector has; 0 where there is none yet."""
        with self._lock:
            self._catch_up()
            return self._header.dimension if self._header else 0

    def find_missing(self, pages: int) -> list[int]:
        """Which of the first `pages` pages have no vector."""
        with self._lock:
            self._catch_up()
            return [int(page) for page in np.setdiff1d(np.arange(pages), self._pages)]

    def _pages_with_vectors(self, pages: Iterable[int]) -> list[int]:
        return [int(page) for page in np.unique(self._pages[np.isin(self._pages, [*pages])])]

    def _check(self, header: VectorFileHeader, dimension: int) -> None:
        if dimension != header.dimension:
            raise other_dimension(self._model, dimension, header.dimension)

    def _write(self, header: VectorFileHeader, records: Records) -> None:
        """Append records to the file; only for who holds its lock."""
        if self._header is None:
            create_file(self._path, header, records)
        else:
            records["sum"] = _sums(records)
            with self._path.open("r+b") as file:
                start, size = len(header.line()), header.record.itemsize
                whole = (file.seek(0, os.SEEK_END) - start) // size
                file.seek(start + whole * size)  # a process that was killed may have left a part of one
                file.write(records.tobytes())
        self._catch_up()
        if self._read > 1000 and self._read > 3 * len(self._pages):  # most records were removed since
            kept = np.zeros(len(self._pages), header.record)
            kept["page"], kept["part"] = self._pages, self._parts
            kept["vector"] = self._faiss.reconstruct_n(0, len(kept)) if len(kept) else 0
            create_file(self._path, VectorFileHeader(header.model, header.dimension), kept)
            self._catch_up()

    def _clear(self, header: VectorFileHeader | None) -> None:
        self._header = header
        self._read = 0
        self._pages = np.zeros(0, np.int32)
        self._parts = np.zeros(0, np.int32)
        self._faiss: Any = None
        if header is not None:
            import faiss  # here, since keyword search does not need to wait for this import

            half_precision, nearness = faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
            self._faiss = faiss.IndexScalarQuantizer(header.dimension, half_precision, nearness)

    def _catch_up(self) -> None:
        """Read the records that any process has appended to the file; a replaced file is read from its start.

        A file that is damaged, or was made by another model, counts as empty, and is replaced later.
        """
        file = read_file(self._path, self._header, self._read)
        if file is None or file[0].model != self._model or not is_sound(file[1]):
            self._clear(None)
            return
        header, records = file
        if header != self._header:
            self._clear(header)
        self._read += len(records)
        removed = {int(records["page"][row]): row for row in np.flatnonzero(records["part"] == REMOVED)}
        if removed:
            import faiss

            gone = np.isin(self._pages, list(removed))
            if gone.any():
                self._faiss.remove_ids(faiss.IDSelectorBatch(np.flatnonzero(gone)))
                self._pages, self._parts = self._pages[~gone], self._parts[~gone]
            since = np.array([removed.get(page, -1) for page in records["page"].tolist()])
            records = records[(records["part"] != REMOVED) & (np.arange(len(records)) > since)]
        if len(records):
            codes = np.ascontiguousarray(records["vector"]).view(np.uint8)  # FAISS stores the same half-precision bytes
            self._faiss.add_sa_codes(codes)
            self._pages = np.concatenate([self._pages, records["page"]])
            self._parts = np.concatenate([self._parts, records["part"]])


def other_dimension(model: str, given: int, indexed: int) -> BadInput:
    """The error for vectors that can't be compared with those of an index."""
    return BadInput(
        f"'{model}' gave embeddings of {given} numbers, but {indexed} when the index was "
        "made: is it another model under the same name? Forget the document, or use the earlier model."
    )


def _with_beside(hits: Mapping[int, PageHit], following: Set[int]) -> list[PageHit]:
    """The hits with a share of the scores of the pages beside them; one that is not among them counts as the last."""
    lowest = min((hit.score for hit in hits.values()), default=0.0)

    def score(page: int, own: float, *, goes_on: bool) -> float:
        if not goes_on:
            return own
        return hits[page].score if page in hits else lowest

    return [
        replace(
            hit,
            score=(
                hit.score
                + BESIDE * score(page - 1, hit.score, goes_on=page in following)
                + BESIDE * score(page + 1, hit.score, goes_on=page + 1 in following)
            )
            / (1 + 2 * BESIDE),
        )
        for page, hit in hits.items()
    ]


KEPT_OPEN = 8  # the most memories whose vectors stay in RAM; 100,000 vectors of 384 numbers take 80 MB
_Given = ParamSpec("_Given")
_T = TypeVar("_T")


def _of_memory(
    operation: Callable[Concatenate[Vectors, _Given], _T],
) -> Callable[Concatenate["VectorIndex", str, _Given], Coroutine[Any, Any, _T]]:
    """The method of an index that does this in a thread with the vectors of a memory, which is named first."""

    @wraps(operation)
    async def run(index: "VectorIndex", memory: str, /, *given: _Given.args, **named: _Given.kwargs) -> _T:
        try:
            return await asyncio.to_thread(lambda: operation(index.vectors_of(memory), *given, **named))
        except OSError as problem:
            raise LibraryError(f"The vectors in {index.folder} can't be used: {explain(problem)}.") from problem

    return run


class VectorIndex:
    """Finds pages by the embeddings of one model; the nearest vector of a page counts.

    `folder` is where the files are; None makes a temporary folder. `model` names the embedding model and its server,
    and each has its own files. Every method raises `LibraryError` if a file can't be used. A damaged file counts as
    empty, and is filled again from the page store.
    """

    def __init__(self, folder: Path | None, model: str) -> None:
        self.folder, self._model = folder, model
        self._temporary: finalize[[Path, int], Any] | None = None
        self._open: OrderedDict[str, Vectors] = OrderedDict()
        self._opening = Lock()

    def close(self) -> None:
        """Free the vectors in RAM, and delete a temporary folder."""
        self._open.clear()
        if self._temporary:
            self._temporary()

    add = _of_memory(Vectors.add)
    remove = _of_memory(Vectors.remove)
    search = _of_memory(Vectors.search)
    extent = _of_memory(Vectors.extent)
    dimension = _of_memory(Vectors.dimension)
    find_missing = _of_memory(Vectors.find_missing)
    forget = _of_memory(Vectors.forget)

    def vectors_of(self, memory: str) -> Vectors:
        """The vectors of a memory, read when it is used first."""
        with self._opening:
            if self.folder is None:
                self.folder = Path(tempfile.mkdtemp(prefix="readgraph-"))
                self._temporary = finalize(self, _remove, self.folder, os.getpid())
            if memory not in self._open:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._open[memory] = Vectors(self.folder, memory, self._model)
                if len(self._open) > KEPT_OPEN:
                    self._open.popitem(last=False)
            self._open.move_to_end(memory)
            return self._open[memory]


def _remove(folder: Path, process: int) -> None:
    """Delete a temporary folder; a forked child does not delete its parent's."""
    if process == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)

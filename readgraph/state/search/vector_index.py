"""The vector index: the nearest pages of each memory by embedding, for any event loop and several processes."""

import asyncio
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar
from weakref import finalize

from readgraph.state.errors import LibraryError
from readgraph.state.files.sqlite_files import explain
from readgraph.state.search.entries import PARTS, Extent, Hit, Part, VectorKey
from readgraph.state.search.vectors import Matrix, Vectors

KEPT_OPEN = 8
"""The most memories whose vectors stay in RAM; 100,000 vectors of 384 numbers take 80 MB."""

_T = TypeVar("_T")


class VectorIndex:
    """Finds pages by the embeddings of one model; the nearest vector of a page counts.

    `folder` is where the files are (created if it is missing); None makes a temporary folder. `model` names the
    embedding model and its server. Each model has its own files, so vectors of different models are never mixed. Every
    method raises `LibraryError` if a file can't be used. A damaged file counts as empty, and is filled again from the
    page store.
    """

    def __init__(self, folder: Path | None, model: str) -> None:
        self._folder, self._model = folder, model
        self._temporary: finalize[[Path, int], Any] | None = None
        self._open: OrderedDict[str, Vectors] = OrderedDict()
        self._opening = Lock()

    def close(self) -> None:
        """Free the vectors in RAM, and delete a temporary folder."""
        self._open.clear()
        if self._temporary:
            self._temporary()

    async def add(self, memory: str, keys: Sequence[VectorKey], vectors: Matrix) -> None:
        """Add vectors of length 1, shape (keys, dimension); earlier vectors of the same pages are removed.

        Raises `BadInput` if the memory's vectors have another dimension.
        """
        await self._run(memory, partial(Vectors.add, keys=keys, vectors=vectors))

    async def remove(self, memory: str, pages: Iterable[int]) -> None:
        """Remove all vectors of these pages."""
        await self._run(memory, partial(Vectors.remove, pages=list(pages)))

    async def search(self, memory: str, vector: Matrix, limit: int = 10, parts: Sequence[Part] = PARTS) -> list[Hit]:
        """Find at most `limit` pages by these parts, the nearest first; `score` is the cosine similarity."""
        return await self._run(memory, partial(Vectors.search, vector=vector, limit=limit, parts=parts))

    async def extent(self, memory: str) -> Extent:
        """How many pages have vectors, and the last of them; if the page store holds more, the index is out of date."""
        return await self._run(memory, Vectors.extent)

    async def missing(self, memory: str, pages: int) -> list[int]:
        """Which of the first `pages` pages have no vector yet."""
        return await self._run(memory, partial(Vectors.missing, pages=pages))

    async def forget(self, memory: str) -> None:
        """Delete the vectors of a memory, of every model."""
        await self._run(memory, Vectors.forget)

    async def _run(self, memory: str, operation: Callable[[Vectors], _T]) -> _T:
        return await asyncio.to_thread(self._run_here, memory, operation)

    def _run_here(self, memory: str, operation: Callable[[Vectors], _T]) -> _T:
        try:
            return operation(self._vectors(memory))
        except OSError as problem:
            raise LibraryError(f"The vectors in {self._folder} can't be used: {explain(problem)}.") from problem

    def _vectors(self, memory: str) -> Vectors:
        with self._opening:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="readgraph-"))
                self._temporary = finalize(self, _remove, self._folder, os.getpid())
            if memory not in self._open:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._open[memory] = Vectors(self._folder, memory, self._model)
                if len(self._open) > KEPT_OPEN:
                    self._open.popitem(last=False)
            self._open.move_to_end(memory)
            return self._open[memory]


def _remove(folder: Path, process: int) -> None:
    """Delete a temporary folder; a forked child does not delete its parent's."""
    if process == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)

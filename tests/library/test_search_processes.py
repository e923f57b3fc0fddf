"""Several processes append to the same indexes, from the moment that the files are made."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from readgraph.library.search.hits import Extent, IndexEntry, VectorKey
from readgraph.library.search.indexes import KeywordIndex
from readgraph.library.search.vector_index import VectorIndex
from tests.support.forking import ended, forked_call

PAGES = 40


def add_pages(folder: Path, first: int) -> None:
    async def add() -> None:
        words, vectors = KeywordIndex(folder / "words.sqlite"), VectorIndex(folder / "vectors", "model")
        for page in range(first, PAGES, 2):
            await words.add("m", [IndexEntry(page, f"lamp number{page}")])
            await vectors.add("m", [VectorKey(page, "page")], np.eye(PAGES, dtype=np.float32)[page : page + 1])
        words.close()

    asyncio.run(add())


@pytest.mark.slow
async def test_two_processes_append_at_once(tmp_path: Path) -> None:
    processes = [forked_call(add_pages, tmp_path, first) for first in (0, 1)]
    assert [await asyncio.to_thread(ended, process) for process in processes] == [0, 0]
    words, vectors = KeywordIndex(tmp_path / "words.sqlite"), VectorIndex(tmp_path / "vectors", "model")
    assert await words.extent("m") == await vectors.extent("m") == Extent(PAGES, PAGES - 1)
    for page, vector in enumerate(np.eye(PAGES, dtype=np.float32)):
        assert [hit.page for hit in await words.search("m", f"number{page}")] == [page]
        assert [hit.page for hit in await vectors.search("m", vector, 1)] == [page]
    words.close()

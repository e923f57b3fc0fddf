"""Several processes append to the same indexes, from the moment that the files are made."""

import asyncio
import multiprocessing
from pathlib import Path

import numpy as np

from readgraph.state.search.entries import Entry, Extent, VectorKey
from readgraph.state.search.keyword_index import KeywordIndex
from readgraph.state.search.vector_index import VectorIndex

PAGES = 40


def add_pages(folder: Path, first: int) -> None:
    async def add() -> None:
        words, vectors = KeywordIndex(folder / "words.sqlite"), VectorIndex(folder / "vectors", "model")
        for page in range(first, PAGES, 2):
            await words.add("m", [Entry(page, f"lamp number{page}")])
            await vectors.add("m", [VectorKey(page, "page")], np.eye(PAGES, dtype=np.float32)[page : page + 1])
        words.close()

    asyncio.run(add())


async def test_two_processes_append_at_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=add_pages, args=(tmp_path, first)) for first in (0, 1)]
    for process in processes:
        process.start()
    for process in processes:
        await asyncio.to_thread(process.join)
    words, vectors = KeywordIndex(tmp_path / "words.sqlite"), VectorIndex(tmp_path / "vectors", "model")
    assert await words.extent("m") == await vectors.extent("m") == Extent(PAGES, PAGES - 1)
    for page, vector in enumerate(np.eye(PAGES, dtype=np.float32)):
        assert [hit.page for hit in await words.search("m", f"number{page}")] == [page]
        assert [hit.page for hit in await vectors.search("m", vector, 1)] == [page]
    words.close()

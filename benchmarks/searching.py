"""How fast the indexes are: keyword search over generated pages of 400 words, vector search over generated vectors.

    python -m benchmarks.searching [--pages 100000] [--data ../shared/data]

The pages' words follow Zipf's law: the words of LoCoMo's conversations, most frequent first, then generated ones up to
100,000. The queries are LoCoMo's questions, or without that data, words of the vocabulary. Prints each figure with its
target, which is for 100,000 pages on 2 cores.
"""

import argparse
import asyncio
import json
import resource
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from readgraph.library.search.hits import IndexEntry, VectorKey
from readgraph.library.search.indexes import KeywordIndex
from readgraph.library.search.vector_index import VectorIndex

PAGE_WORDS = 400
VOCABULARY = 100_000
DIMENSION = 384
AT_ONCE = 1000
REPEATS = 100

Vectors = NDArray[np.float32]
_T = TypeVar("_T")


class Milliseconds(NamedTuple):
    """Milliseconds of one call: by the clock, and of processor time, which a busy machine hardly changes."""

    wall: float
    cpu: float


def language(data: Path) -> tuple[list[str], list[str]]:
    """The vocabulary, most frequent words first, and queries."""
    counted, queries = Counter[str](), list[str]()
    if data.exists():
        for document in map(json.loads, data.read_text(encoding="utf-8").splitlines()):
            counted.update(
                word.strip(".,!?'\"").lower()
                for session in document["sessions"]
                for turn in session["turns"]
                for word in turn["text"].split()
            )
            queries += [question["question"] for question in document["questions"]]
    known = [word for word, _ in counted.most_common()]
    vocabulary = known + [f"word{number}" for number in range(VOCABULARY - len(known))]
    return vocabulary, queries or [" ".join(vocabulary[first : 3000 : 300 + first]) for first in range(10, 110)]


def made_pages(count: int, vocabulary: list[str], seed: int) -> list[str]:
    """Pages with words distributed by Zipf's law."""
    cumulative = np.cumsum(1 / (np.arange(len(vocabulary)) + 2.7))
    drawn = np.random.default_rng(seed).random((count, PAGE_WORDS)) * cumulative[-1]
    return [" ".join(vocabulary[rank] for rank in page) for page in np.searchsorted(cumulative, drawn)]


def made_vectors(count: int, seed: int) -> Vectors:
    """Vectors of length 1 in random directions."""
    drawn = np.random.default_rng(seed).standard_normal((count, DIMENSION), dtype=np.float32)
    normal: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return normal


async def times(call: Callable[[_T], Awaitable[object]], arguments: Iterable[_T]) -> list[Milliseconds]:
    """Run the call with each argument, one after the other; returns the time of each."""
    measured = []
    for argument in arguments:
        start, processor_start = time.perf_counter(), time.process_time()
        await call(argument)
        wall, cpu = time.perf_counter() - start, time.process_time() - processor_start
        measured.append(Milliseconds(1000 * wall, 1000 * cpu))
    return measured


def print_figure(name: str, figure: float, unit: str, target: str, more: str = "") -> None:
    print(f"  {name:22} {figure:8.2f} {unit:3} (target {target}){more}")


def print_times(name: str, measured: list[Milliseconds], target: str) -> None:
    wall, cpu = (statistics.median(column) for column in zip(*measured, strict=True))
    worst = max(milliseconds.wall for milliseconds in measured)
    print_figure(name, wall, "ms", target, f", {cpu:.2f} of it processor time; worst of {len(measured)}: {worst:.1f}")


async def fill(path: Path, pages: int, vocabulary: list[str]) -> None:
    """Make a keyword index of generated pages."""
    index = KeywordIndex(path)
    start = time.perf_counter()
    for first in range(0, pages, AT_ONCE):
        texts = made_pages(min(AT_ONCE, pages - first), vocabulary, first)
        await index.add("memory", [IndexEntry(number, text) for number, text in enumerate(texts, first)])
    index.close()
    print(
        f"keyword: {pages:,} pages of {PAGE_WORDS} words, generated and indexed in {time.perf_counter() - start:.0f} s"
    )


async def keyword(folder: Path, pages: int, data: Path) -> None:
    """Measure the keyword index."""
    vocabulary, queries = language(data)
    path = folder / "keyword.sqlite"
    await fill(path, pages, vocabulary)
    index = KeywordIndex(path)
    (opening,) = await times(index.extent, ["memory"])
    print_figure("opening", opening.wall / 1000, "s", "1")
    print_times("query", await times(partial(index.search, "memory"), queries[:REPEATS]), "30")
    new = [[IndexEntry(number, text)] for number, text in enumerate(made_pages(REPEATS, vocabulary, pages), pages)]
    print_times("append", await times(partial(index.add, "memory"), new), "3")
    removed = [[number] for number in range(pages, pages + REPEATS)]
    print_times("delete a page", await times(partial(index.remove, "memory"), removed), "3")
    assert (await index.extent("memory")).count == pages
    print_figure("file", path.stat().st_size / 1e6, "MB", "500")
    (forgetting,) = await times(index.forget, ["memory"])
    assert not await index.search("memory", queries[0])
    index.close()
    print(f"  deleted as a whole in {forgetting.wall / 1000:.1f} s, {path.stat().st_size / 1e6:.1f} MB left")
    print_figure("peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB", "500")


async def vector(folder: Path, count: int) -> None:
    """Measure the vector index."""
    index, vectors = VectorIndex(folder, "made"), made_vectors(count, 1)
    for first in range(0, count, 10 * AT_ONCE):
        part = vectors[first : first + 10 * AT_ONCE]
        await index.add("memory", [VectorKey(first + row, "page") for row in range(len(part))], part)
    print(f"vector: {count:,} x {DIMENSION}")
    index = VectorIndex(folder, "made")
    (opening,) = await times(index.extent, ["memory"])
    print_figure("opening", opening.wall / 1000, "s", "2")
    queries = vectors[:REPEATS] + made_vectors(REPEATS, 2)  # half an indexed vector, half a new one
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    print_times("query", await times(partial(index.search, "memory"), queries), "20")
    exact = np.argsort(-(queries @ vectors.T), axis=1)[:, :10]
    found_pages = [{hit.page for hit in await index.search("memory", query)} for query in queries]
    recalls = [len(pages & {*best.tolist()}) / len(best) for pages, best in zip(found_pages, exact, strict=True)]
    print_figure("recall@10 of exact", statistics.mean(recalls), "", "0.98")
    new = enumerate(made_vectors(REPEATS, 3), count)
    print_times(
        "append", await times(lambda v: index.add("memory", [VectorKey(v[0], "page")], v[1][None, :]), new), "5"
    )
    removed = [[number] for number in range(count, count + REPEATS)]
    print_times("delete a page", await times(partial(index.remove, "memory"), removed), "5")
    assert (await index.extent("memory")).count == count
    print_figure("file", sum(path.stat().st_size for path in folder.glob("*.vectors")) / 1e6, "MB", "160")


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(keyword(Path(folder), options.pages, options.data / "locomo_mini.jsonl"))
        asyncio.run(vector(Path(folder), options.pages))


if __name__ == "__main__":
    main()

"""How quick the indexes are: keyword search over made pages of 400 words, vector search over made vectors.

    python -m benchmarks.searching [--pages 100000] [--data ../shared/data]

The pages' words are drawn by Zipf's law: first the words of LoCoMo's conversations, the frequent ones first, then made
ones up to 100,000; the queries are LoCoMo's questions, or made of the same words where the data is not there. Prints
each figure with its target, which is meant for 100,000 pages on 2 cores.
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

from readgraph.state.search.entries import Entry, VectorKey
from readgraph.state.search.keyword_index import KeywordIndex
from readgraph.state.search.vector_index import VectorIndex

PAGE_WORDS = 400
VOCABULARY = 100_000
DIMENSION = 384
AT_ONCE = 1000
REPEATS = 100

Vectors = NDArray[np.float32]
_T = TypeVar("_T")


class Taken(NamedTuple):
    """Milliseconds of one call: by the clock, and of this process's computing, which a busy machine leaves alike."""

    wall: float
    cpu: float


def language(data: Path) -> tuple[list[str], list[str]]:
    """The vocabulary, the most frequent words first, and queries."""
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
    return vocabulary, queries or [" ".join(vocabulary[at : 3000 : 300 + at]) for at in range(10, 110)]


def made_pages(count: int, vocabulary: list[str], seed: int) -> list[str]:
    """Pages whose words are drawn by Zipf's law."""
    reached = np.cumsum(1 / (np.arange(len(vocabulary)) + 2.7))
    drawn = np.random.default_rng(seed).random((count, PAGE_WORDS)) * reached[-1]
    return [" ".join(vocabulary[at] for at in page) for page in np.searchsorted(reached, drawn)]


def made_vectors(count: int, seed: int) -> Vectors:
    """Vectors of length 1 in random directions."""
    drawn = np.random.default_rng(seed).standard_normal((count, DIMENSION), dtype=np.float32)
    normal: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return normal


async def times(call: Callable[[_T], Awaitable[object]], given: Iterable[_T]) -> list[Taken]:
    """What each call takes, one after the other."""
    taken = []
    for each in given:
        began, used = time.perf_counter(), time.process_time()
        await call(each)
        taken.append(Taken((time.perf_counter() - began) * 1000, (time.process_time() - used) * 1000))
    return taken


def say(what: str, figure: float, unit: str, target: str, more: str = "") -> None:
    print(f"  {what:22} {figure:8.2f} {unit:3} (target {target}){more}")


def say_times(what: str, taken: list[Taken], target: str) -> None:
    wall, cpu = (statistics.median(each) for each in zip(*taken, strict=True))
    worst = max(each.wall for each in taken)
    say(what, wall, "ms", target, f", {cpu:.2f} of them computing; worst of {len(taken)}: {worst:.1f}")


async def fill(path: Path, pages: int, vocabulary: list[str]) -> None:
    """Make a keyword index of made pages."""
    index = KeywordIndex(path)
    began = time.perf_counter()
    for first in range(0, pages, AT_ONCE):
        texts = made_pages(min(AT_ONCE, pages - first), vocabulary, first)
        await index.add("memory", [Entry(first + at, text) for at, text in enumerate(texts)])
    index.close()
    print(f"keyword: {pages:,} pages of {PAGE_WORDS} words, made and filled in {time.perf_counter() - began:.0f} s")


async def keyword(folder: Path, pages: int, data: Path) -> None:
    """Measure the keyword index."""
    vocabulary, queries = language(data)
    path = folder / "keyword.sqlite"
    await fill(path, pages, vocabulary)
    index = KeywordIndex(path)
    (opening,) = await times(index.extent, ["memory"])
    say("opening", opening.wall / 1000, "s", "1")
    say_times("query", await times(partial(index.search, "memory"), queries[:REPEATS]), "30")
    new = [[Entry(pages + at, text)] for at, text in enumerate(made_pages(REPEATS, vocabulary, pages))]
    say_times("append", await times(partial(index.add, "memory"), new), "3")
    removed = [[pages + at] for at in range(REPEATS)]
    say_times("delete a page", await times(partial(index.remove, "memory"), removed), "3")
    assert (await index.extent("memory")).count == pages
    say("file", path.stat().st_size / 1e6, "MB", "500")
    (forgetting,) = await times(index.forget, ["memory"])
    assert not await index.search("memory", queries[0])
    index.close()
    print(f"  deleted as a whole in {forgetting.wall / 1000:.1f} s, {path.stat().st_size / 1e6:.1f} MB left")
    say("peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB", "500")


async def vector(folder: Path, count: int) -> None:
    """Measure the vector index."""
    index, vectors = VectorIndex(folder, "made"), made_vectors(count, 1)
    for first in range(0, count, 10 * AT_ONCE):
        part = vectors[first : first + 10 * AT_ONCE]
        await index.add("memory", [VectorKey(first + at, "page") for at in range(len(part))], part)
    print(f"vector: {count:,} x {DIMENSION}")
    index = VectorIndex(folder, "made")
    (opening,) = await times(index.extent, ["memory"])
    say("opening", opening.wall / 1000, "s", "2")
    asked = vectors[:REPEATS] + made_vectors(REPEATS, 2)  # half a known direction, half a new one
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    say_times("query", await times(partial(index.search, "memory"), asked), "20")
    exact = np.argsort(-(asked @ vectors.T), axis=1)[:, :10]
    found = [{hit.page for hit in await index.search("memory", query)} for query in asked]
    right = [len(pages & {*best.tolist()}) / len(best) for pages, best in zip(found, exact, strict=True)]
    say("recall@10 of exact", statistics.mean(right), "", "0.98")
    new = enumerate(made_vectors(REPEATS, 3), count)
    say_times("append", await times(lambda v: index.add("memory", [VectorKey(v[0], "page")], v[1][None, :]), new), "5")
    removed = [[count + at] for at in range(REPEATS)]
    say_times("delete a page", await times(partial(index.remove, "memory"), removed), "5")
    assert (await index.extent("memory")).count == count
    say("file", sum(path.stat().st_size for path in folder.glob("*.vectors")) / 1e6, "MB", "160")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(keyword(Path(folder), options.pages, options.data / "locomo_mini.jsonl"))
        asyncio.run(vector(Path(folder), options.pages))


if __name__ == "__main__":
    main()

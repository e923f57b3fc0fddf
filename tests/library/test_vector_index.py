"""The vector index finds the nearest pages, exactly, after whatever was appended and taken out."""

import asyncio
import gc
import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.library.search import vector_index
from readgraph.library.search.hits import PARTS, Extent, VectorKey
from readgraph.library.search.vector_index import Matrix, VectorIndex, Vectors
from readgraph.state.errors import BadInput, LibraryError
from tests.support.systems import needs_posix

pytestmark = pytest.mark.quick

DIMENSION = 16


def directions(count: int, seed: int = 0) -> Matrix:
    drawn = np.random.default_rng(seed).standard_normal((count, DIMENSION), dtype=np.float32)
    normal: Matrix = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return normal


def pages(*numbers: int) -> list[VectorKey]:
    return [VectorKey(number, "page") for number in numbers]


@pytest.fixture(params=["temporary", "folder"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorIndex]:
    opened = VectorIndex(tmp_path / "new" / "vectors" if request.param == "folder" else None, "model")
    yield opened
    opened.close()


def only_file(folder: Path) -> Path:
    (path,) = folder.glob("*.vectors")
    return path


async def found(index: VectorIndex, vector: Matrix, limit: int = 10) -> list[int]:
    return [hit.page for hit in await index.search("m", vector, limit)]


async def test_a_page_is_as_near_as_its_nearest_part(index: VectorIndex) -> None:
    near, far, other = np.eye(DIMENSION, dtype=np.float32)[:3]
    between = (near + far) / np.float32(2**0.5)
    places = [VectorKey(4, "page"), VectorKey(4, "memo"), VectorKey(4, "page"), VectorKey(9, "header")]
    await index.add("m", places, np.array([other, near, far, between]))
    hits = await index.search("m", near)
    assert [(hit.page, hit.part) for hit in hits] == [(4, "memo"), (9, "header")]
    assert [hit.score for hit in hits] == pytest.approx([1, 2**-0.5], abs=1e-3)
    assert await found(index, near, 1) == [4]
    assert await index.search("m", near, 0) == []


async def test_many_windows_of_one_page_hide_no_other_page(index: VectorIndex) -> None:
    near = np.tile(directions(1), (200, 1))
    await index.add("m", pages(*[0] * 200, 1, 2), np.concatenate([near, directions(2, seed=1)]))
    assert sorted(await found(index, near[0], 3)) == [0, 1, 2]


async def test_pages_are_replaced_and_removed(index: VectorIndex) -> None:
    vectors = directions(6)
    await index.add("m", pages(0, 0, 1, 2), vectors[:4])
    await index.add("m", pages(0, 3), vectors[4:])
    assert await index.extent("m") == Extent(4, 3)
    assert (await index.search("m", vectors[4]))[0].page == 0
    assert (await index.search("m", vectors[0]))[0].score < 0.99
    await index.remove("m", [1, 99])
    assert sorted(await found(index, vectors[2])) == [0, 2, 3]
    assert await index.find_missing("m", 5) == [1, 4]


async def test_memories_and_models_have_vectors_of_their_own(index: VectorIndex, tmp_path: Path) -> None:
    await index.add("m", pages(0), directions(1))
    await index.add("other", pages(1), directions(1))
    assert await found(index, directions(1)[0]) == [0]
    folder = tmp_path / "new" / "vectors"
    if folder.exists():
        elsewhere = VectorIndex(folder, "another model")
        assert await elsewhere.extent("m") == Extent(0, -1)
        await elsewhere.add("m", pages(7), np.eye(3, dtype=np.float32)[:1])
        await elsewhere.forget("m")
        assert await index.extent("m") == Extent(0, -1), "whichever model made them"
    await index.forget("m")
    assert await index.search("m", directions(1)[0]) == []
    assert await index.extent("other") == Extent(1, 1)


async def test_vectors_of_another_size_are_refused(index: VectorIndex) -> None:
    await index.add("m", pages(0), directions(1))
    other = np.eye(3, dtype=np.float32)
    with pytest.raises(BadInput, match="'model' gave embeddings of 3 numbers, but 16"):
        await index.add("m", pages(1), other[:1])
    with pytest.raises(BadInput, match="3 numbers"):
        await index.search("m", other[0])
    for unusable in (directions(1) * 2, directions(1) * np.nan):
        with pytest.raises(ValueError, match="length 1"):
            await index.add("m", pages(1), unusable)
    await index.add("m", [], np.zeros((0, 0), np.float32))
    assert await index.extent("m") == Extent(1, 0)


async def test_a_restart_finds_it_all(tmp_path: Path) -> None:
    vectors = directions(50)
    first = VectorIndex(tmp_path, "model")
    for page in range(50):
        await first.add("m", pages(page), vectors[page : page + 1])
    await first.remove("m", [3])
    again = VectorIndex(tmp_path, "model")
    assert await again.search("m", vectors[8]) == await first.search("m", vectors[8])
    assert await again.find_missing("m", 50) == [3]
    await again.add("m", pages(3), vectors[3:4])
    assert (await first.search("m", vectors[3]))[0].page == 3, "what another one appends is seen"


async def test_half_a_record_of_a_killed_process_does_no_harm(tmp_path: Path) -> None:
    vectors = directions(3)
    index = VectorIndex(tmp_path, "model")
    await index.add("m", pages(0, 1), vectors[:2])
    with only_file(tmp_path).open("ab") as file:
        file.write(b"\x07" * 11)
    for opened in (index, VectorIndex(tmp_path, "model")):
        assert sorted(await found(opened, vectors[0])) == [0, 1]
    await index.add("m", pages(2), vectors[2:])
    assert await VectorIndex(tmp_path, "model").extent("m") == Extent(3, 2)


@pytest.mark.parametrize(
    "damage",
    [
        *("header", "empty", "zeros", "record", "format", "dimension", "infinity", "nested", "part"),
        pytest.param("pipe", marks=needs_posix),
    ],
)
async def test_a_damaged_file_counts_as_empty(tmp_path: Path, damage: str) -> None:
    vectors = directions(4)
    await VectorIndex(tmp_path, "model").add("m", pages(0, 1, 2, 3), vectors)
    path = only_file(tmp_path)
    sound = path.read_bytes()
    line, _, records = sound.partition(b"\n")
    spoilt = {
        "header": b"[]\n" + records,
        "empty": b"",
        "zeros": line + b"\n" + records[:88] + bytes(len(records) - 88),
        "record": sound[:-3] + bytes([sound[-3] ^ 255]) + sound[-2:],
        "format": line.replace(b'"format": 1', b'"format": 2') + b"\n" + records,
        "dimension": re.sub(rb'"dimension": \d+', b'"dimension": 500000000', line) + b"\n" + records,
        "infinity": re.sub(rb'"dimension": \d+', b'"dimension": 1e400', line) + b"\n" + records,
        "nested": b"[" * 9999 + b"\n" + records,
        "part": sound,
        "pipe": b"",
    }[damage]
    path.write_bytes(spoilt)
    if damage == "pipe":
        path.unlink()
        os.mkfifo(path)
    if damage == "part" and (found := vector_index.read_file(path, None, 0)):
        found[1]["part"][2] = 99
        vector_index.create_file(path, *found)
    index = VectorIndex(tmp_path, "model")
    assert await index.search("m", vectors[0]) == []
    assert await index.find_missing("m", 4) == [0, 1, 2, 3]
    await index.add("m", pages(0, 1, 2, 3), vectors)
    assert await VectorIndex(tmp_path, "model").extent("m") == Extent(4, 3)


async def test_a_file_of_vectors_that_were_replaced_is_written_anew(tmp_path: Path) -> None:
    index, reader = VectorIndex(tmp_path, "model"), VectorIndex(tmp_path, "model")
    for seed in range(40):
        await index.add("m", pages(*range(20)), directions(20, seed))
        assert (await reader.search("m", directions(20, seed)[5]))[0].page == 5
    assert only_file(tmp_path).stat().st_size < 1100 * (12 + 2 * DIMENSION)
    assert await VectorIndex(tmp_path, "model").extent("m") == Extent(20, 19)


async def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LibraryError, match="file can't be used"):
        await VectorIndex(tmp_path / "file", "model").add("m", pages(0), directions(1))


async def test_searches_and_additions_at_once(index: VectorIndex) -> None:
    vectors = directions(60)
    await index.add("m", pages(0), vectors[:1])
    await asyncio.gather(
        *(index.add("m", pages(page), vectors[page : page + 1]) for page in range(1, 60)),
        *(index.search("m", vector) for vector in vectors),
    )
    assert [(await found(index, vector, 1))[0] for vector in vectors] == list(range(60))


place = st.builds(VectorKey, st.integers(0, 6), st.sampled_from(PARTS), st.booleans())
changes = st.lists(
    st.one_of(st.lists(place, min_size=1, max_size=4), st.frozensets(st.integers(0, 6), max_size=3)), max_size=8
)


@given(changes, st.integers(1, 5), st.booleans())
def test_the_index_is_as_a_search_by_hand(
    changes: list[list[VectorKey] | frozenset[int]], limit: int, reopened: bool
) -> None:
    """Against exact cosines over a plain list."""
    known: list[tuple[VectorKey, Matrix]] = []

    async def compare() -> None:
        nonlocal known
        index = VectorIndex(folder, "model")
        for number, change in enumerate(changes):
            if isinstance(change, frozenset):
                await index.remove("m", change)
                known = [(place, vector) for place, vector in known if place.page not in change]
            else:
                vectors = directions(len(change), seed=number)
                await index.add("m", change, vectors)
                known = [each for each in known if each[0].page not in {place.page for place in change}]
                known += zip(change, vectors, strict=True)
        if reopened:
            index = VectorIndex(folder, "model")
        query, own = directions(1, seed=99)[0], dict[int, float]()
        for place, vector in known:
            own[place.page] = max(own.get(place.page, -1.0), float(vector @ query))
        follows, last = {place.page for place, _ in known if place.follows}, min(own.values(), default=0.0)
        best = {
            page: (
                score
                + 0.2 * (own.get(page - 1, last) if page in follows else score)
                + 0.2 * (own.get(page + 1, last) if page + 1 in follows else score)
            )
            / 1.4
            for page, score in own.items()
        }
        hits = await index.search("m", query, limit)
        expected = sorted(best.items(), key=lambda scored: -scored[1])[:limit]
        assert [hit.page for hit in hits] == [page for page, _ in expected]
        assert [hit.score for hit in hits] == pytest.approx([score for _, score in expected], abs=2e-3)
        assert await index.extent("m") == Extent(len(best), max(best, default=-1))

    with TemporaryDirectory() as name:
        folder = Path(name)
        asyncio.run(compare())


@pytest.mark.slow
def test_vectors_are_kept_in_memory_for_the_last_memories_only(tmp_path: Path) -> None:
    def in_memory() -> int:
        return sum(isinstance(thing, Vectors) for thing in gc.get_objects())

    async def use() -> None:
        index, before = VectorIndex(tmp_path, "model"), in_memory()
        for number in range(20):
            await index.add(f"m{number}", pages(number), directions(1))
        assert [(await index.extent(f"m{number}")).last for number in range(20)] == list(range(20))
        assert in_memory() - before < 20

    asyncio.run(use())

"""Embeddings come in length 1, once for each text, and failures are one clear line."""

import asyncio
import socket
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.library.opening import Library
from readgraph.library.search.hits import IndexEntry, VectorKey
from readgraph.library.search.vector_index import Matrix, VectorIndex
from readgraph.models.embeddings import models as embedding
from readgraph.models.embeddings.models import WINDOW_WORDS, Embedder, windows
from readgraph.nodes.search import PaidVectors
from readgraph.state.errors import BadInput, ModelUnavailable, ReadgraphError
from readgraph.state.words import count_words
from tests.doubles.model_server import ModelServer

NAME = "openai:double"


class Kept:
    """A cache in memory."""

    def __init__(self) -> None:
        self.vectors: dict[str, Matrix] = {}

    async def get(self, keys: Sequence[str]) -> list[Matrix | None]:
        return [self.vectors.get(key) for key in keys]

    async def check_room(self, vectors: int) -> None:
        """There is always room."""

    async def put(self, vectors: Mapping[str, Matrix]) -> None:
        self.vectors |= vectors


async def test_texts_become_vectors_of_length_1(server: ModelServer) -> None:
    embedder = Embedder(NAME)
    vectors = await embedder.documents(["a lamp", "a goat", "a lamp", "odd \ud800 \0"])
    assert vectors.shape == (4, 64)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert (vectors[0] == vectors[2]).all()
    assert (await embedder.query("a lamp")).shape == (64,)
    assert len(await embedder.documents([])) == 0


async def test_calls_are_batched_and_bounded(server: ModelServer) -> None:
    vectors = await Embedder(NAME, concurrency=2, batch=10).documents([f"text {number}" for number in range(35)])
    assert (len(vectors), server.embedding_calls) == (35, 4)


async def test_what_was_paid_for_is_kept(server: ModelServer, library: Library) -> None:
    first = await Embedder(NAME, PaidVectors(library.pages)).documents(["a lamp", "a goat"])
    again = Embedder(NAME, PaidVectors(library.pages))
    assert (await again.documents(["a goat", "a lamp"]) == first[::-1]).all()
    assert server.embedding_calls == 1
    await again.documents(["a lamp", "a ship"])
    await Embedder("openai:other", PaidVectors(library.pages)).documents(["a lamp"])
    await again.query("a lamp")
    assert server.embedding_calls == 4, "another text, another model, and a query are other vectors"


class OwnClient:
    """The client of another package: it replies, or raises, these in turn, the last one again and again."""

    def __init__(self, *replies: Any) -> None:
        self.replies = [*replies]

    async def aembed_documents(self, texts: list[str]) -> Any:
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def aembed_query(self, text: str) -> Any:
        return await self.aembed_documents([text])


async def test_what_came_before_a_failure_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    client, kept = OwnClient([[1.0, 2.0]], [[1.0, 2.0]], ConnectionError("secret words")), Kept()
    monkeypatch.setattr(embedding, "embedding_model", lambda *_: client)
    with pytest.raises(ModelUnavailable, match="No server answers") as problem:
        await Embedder(NAME, kept, concurrency=1, batch=1).documents(["one", "two", "three", "four"])
    assert "secret" not in str(problem.value)
    assert len(kept.vectors) >= 2


@pytest.mark.parametrize("said", [[[0.0, 0.0]], [[float("nan"), 1.0]], [[1.0, 2.0], [1.0]], []])
async def test_unusable_vectors_are_refused(said: list[list[float]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "embedding_model", lambda *_: OwnClient(said))
    with pytest.raises(ModelUnavailable, match="no usable vectors"):
        await Embedder(NAME).documents(["a lamp"])


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("double", "is not the name of an embedding model"),
        ("openai:", "is not the name of an embedding model"),
        ("local:other", "local:all-MiniLM-L6-v2"),
        ("nobody:model", "not a known provider"),
        ("cohere:model", "need a package.*langchain-cohere"),
    ],
)
async def test_names_that_name_nothing(name: str, line: str) -> None:
    with pytest.raises(BadInput, match=line):
        await Embedder(name).query("a lamp")


async def test_no_key_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY"):
        await Embedder(NAME).query("a lamp")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # taken, but nobody listens
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://name:secret@127.0.0.1:{taken.getsockname()[1]}/v1")
        with pytest.raises(ModelUnavailable, match="No server answers") as problem:
            await Embedder(NAME).query("a lamp")
    assert "secret" not in str(problem.value)


@pytest.mark.parametrize(
    ("status", "line"), [(401, "refused the key"), (404, "does not know"), (429, "later"), (500, "500")]
)
async def test_refusals_are_one_line(status: int, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal: Any = Exception("secret")
    refusal.status_code = status
    monkeypatch.setattr(embedding, "embedding_model", lambda *_: OwnClient(refusal))
    with pytest.raises(ReadgraphError, match=line) as problem:
        await Embedder(NAME).query("a lamp")
    assert "secret" not in str(problem.value)


def test_one_embedder_serves_several_event_loops(server: ModelServer) -> None:
    embedder = Embedder(NAME)
    first, second = (asyncio.run(embedder.query("a lamp")) for _ in range(2))
    assert (first == second).all()
    assert embedder.identity == f"openai:double at {server.url}"


async def test_entries_are_found_by_each_of_their_windows(server: ModelServer) -> None:
    embedder, index = Embedder(NAME), VectorIndex(None, NAME)
    long = " ".join(f"word{number}" for number in range(3 * WINDOW_WORDS))
    places, vectors = await embedder.entries(
        [IndexEntry(0, long, "a header"), IndexEntry(1, "short", memo="a memo"), IndexEntry(2, " ")]
    )
    assert places == [VectorKey(0, "page")] * 3 + [VectorKey(0, "header"), VectorKey(1, "page"), VectorKey(1, "memo")]
    await index.add("m", places, vectors)
    last = " ".join(long.split()[2 * WINDOW_WORDS :])
    hits = [(await index.search("m", await embedder.query(said)))[0] for said in (last, "a header", "a memo")]
    assert [(hit.page, hit.part) for hit in hits] == [(0, "page"), (0, "header"), (1, "memo")]
    assert all(hit.score == pytest.approx(1, abs=1e-3) for hit in hits)
    index.close()


@given(st.lists(st.sampled_from(["lamp", "灯", "x" * 90, "\n\n", "."]), max_size=900).map(" ".join))
def test_windows_are_the_text_in_like_sizes(text: str) -> None:
    parts = list(windows(text))
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(0 < count_words(part) <= WINDOW_WORDS + 2 for part in parts)
    assert len(parts) == -(-count_words(text) // WINDOW_WORDS)

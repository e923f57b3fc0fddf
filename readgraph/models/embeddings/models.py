"""Embedding models by their names (`PROVIDER:NAME`), and the vectors of length 1 that they give, which are kept."""

import asyncio
import os
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from langchain_core.embeddings import Embeddings

from readgraph.library.search.hits import PARTS, IndexEntry, VectorKey
from readgraph.library.search.vector_index import Matrix, other_dimension
from readgraph.library.stored_items import replace_surrogates
from readgraph.models.chat_models import check_no_key, setup_error
from readgraph.models.client import environment
from readgraph.models.embeddings.calls import EmbeddingCalls, Kind
from readgraph.models.embeddings.vector_replies import DIFFER, NotEmbedded
from readgraph.models.metering import current_meter
from readgraph.models.names import find_embeddings_entry, get_loop_object, is_function, unknown_function
from readgraph.models.openai.address import environment_settings, read_address, without_secrets
from readgraph.models.reply import current_stand_in, replies_to_replay
from readgraph.state.errors import BadInput
from readgraph.state.loops import PerLoop, close_client
from readgraph.state.providers import find_provider, providers
from readgraph.state.records import digest
from readgraph.state.settings import Embeddings as Settings
from readgraph.state.words import count_words, end_after_words

__all__ = ["embedding_model"]


def _how_to_name() -> str:
    packaged = [provider.embedding_model for provider in providers().values() if provider.embedding_model]
    return f"write PROVIDER:NAME, for example {' or '.join(['openai:text-embedding-3-small', *packaged])}."


def full_name(name: str) -> str:
    """The name with its provider, or a registered one; that of a packaged model may be its provider's alone.

    Raises `BadInput` for what is no name.
    """
    if find_embeddings_entry(name):
        return name
    provider, _, model = name.strip().partition(":")
    if (packaged := providers().get(provider)) and packaged.embedding_model:
        if name.strip() in (provider, packaged.embedding_model):
            return packaged.embedding_model
        raise BadInput(f"'{name}' is not packaged: the embedding model of this machine is {packaged.embedding_model}.")
    check_no_key(name)
    if not provider or not model:
        raise BadInput(f"'{name}' is not the name of an embedding model: {_how_to_name()}")
    return f"{provider}:{model}"


def embedding_model(name: str, timeout: float) -> Embeddings:
    """The model of this name, for one event loop. This blocks: imports and certificates are read from disk."""
    if (packaged := find_provider(name)) and packaged.embeddings:
        return packaged.embeddings()
    if is_function(name):
        raise unknown_function(name)
    from langchain.embeddings import init_embeddings

    provider, settings = name.partition(":")[0], dict[str, Any]()
    if provider == "openai":
        from readgraph.models.openai.chat import openai_key
        from readgraph.models.openai.transport import make_http_client, unused_sync_client

        settings = {
            **environment_settings(),
            "api_key": openai_key(),
            "timeout": timeout,
            # Counting tokens would download tiktoken's files; our windows are far below the models' limits.
            "check_embedding_ctx_length": False,
            # LangChain would share one client between event loops, but a client works only in its first one.
            "http_async_client": make_http_client(timeout),
            "http_client": unused_sync_client(),
            "openai_proxy": None,  # ours goes through it already
        }
    try:
        model: Embeddings = init_embeddings(name, **settings)
        return model
    except ImportError as problem:
        package = str(problem).partition("pip install ")[2].strip("`. ") or f"langchain-{provider}"
        raise BadInput(f"Embeddings of '{provider}' need a package that is not installed: {package}.") from None
    except Exception as problem:  # each provider's package raises its own
        unknown = f"'{provider}' is not a known provider of embeddings: {_how_to_name()}"
        raise setup_error(problem, provider, unknown) from None


WINDOW_WORDS = 180  # words that one vector covers: small models read 256 tokens and ignore the rest


class VectorCache(Protocol):
    """Stores vectors by keys, each of which stands for a model, its server and a text."""

    async def get(self, keys: Sequence[str]) -> list[Matrix | None]:
        """The vectors of these keys, in this order; None if there is none."""

    async def check_room(self, vectors: int) -> None:
        """Raise `LibraryError` where so many vectors could not be stored: before they are paid for."""

    async def put(self, vectors: Mapping[str, Matrix]) -> None:
        """Store vectors; they are stored when this returns."""


DRAWN = 8  # the dimension of vectors by chance


def _draw_vectors(texts: Sequence[str], dimension: int) -> Matrix:
    """Vectors by chance, one and the same for a text: where a stand-in replies for models, none is asked."""
    seeds = (zlib.crc32(text.encode(errors="replace")) for text in texts)
    drawn = np.array([np.random.default_rng(seed).normal(size=dimension) for seed in seeds]).reshape(-1, dimension)
    unit: Matrix = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _has_only_replayed() -> bool:
    """Whether an answer is replayed, whose vectors are the only ones; servers have no part in their keys."""
    return (replayed := replies_to_replay()) is not None and replayed.vectors is not None and not replayed.kept_first


class Embedder:
    """One embedding model, by its full name, for any event loop; what is in the cache `kept` is not asked again.

    `batch` is how many texts a request has at most; where the server takes fewer, that is found out.
    """

    def __init__(
        self,
        name: str,
        kept: VectorCache | None = None,
        *,
        concurrency: int = 8,
        timeout: float = 60.0,
        retry_seconds: float = 300.0,
        batch: int = Settings.embedding_batch,
    ) -> None:
        self.name = name if _has_only_replayed() else full_name(name)
        address = os.environ.get("OPENAI_BASE_URL", "") if self.name.startswith("openai:") else ""
        self._server = without_secrets(read_address(address, "OPENAI_BASE_URL").url) if address else ""
        self._kept, self._timeout = kept, timeout
        self._is_packaged = find_provider(self.name) is not None
        own = self._is_packaged or find_embeddings_entry(self.name) is not None
        self._calls = EmbeddingCalls(self.name, self.identity, batch, timeout, retry_seconds, own)
        self._clients = PerLoop(
            lambda: _Client(asyncio.Lock(), asyncio.Semaphore(concurrency)), lambda client: close_client(client.model)
        )

    @property
    def identity(self) -> str:
        """Model and server: only vectors of the same identity can be compared, so it names the index."""
        return f"{self.name} at {self._server}" if self._server else self.name

    async def documents(self, texts: Sequence[str], dimension: int = 0) -> Matrix:
        """The vectors of texts, shape (texts, dimension), of length 1, or of zeros for a blank text.

        Raises:
            ModelUnavailable: For a server that does not give them; nothing of a refused reply is kept.
            BadInput: For a name that names no model, and for vectors of another `dimension` than the index has.
        """
        return await self._embed(texts, "document", dimension)

    async def find_kept(self, texts: Sequence[str]) -> list[Matrix | None]:
        """The vectors of those of these texts that are kept, in this order; the model is not asked."""
        return await self._kept.get([self._key("document", text) for text in texts]) if self._kept else []

    def _key(self, kind: Kind, text: str) -> str:
        key = digest([self.identity, kind, text], 32)
        if not (replayed := replies_to_replay()) or replayed.vectors is None:
            return key
        replayed.vectors[key] = digest([kind, text], 32)
        return key if replayed.kept_first else replayed.vectors[key]

    async def query(self, text: str, dimension: int = 0) -> Matrix:
        """The vector of a query, shape (dimension,); some models treat queries differently from documents."""
        vector: Matrix = (await self._embed([text], "query", dimension))[0]
        return vector

    async def entries(self, entries: Sequence[IndexEntry], dimension: int = 0) -> tuple[list[VectorKey], Matrix]:
        """The vectors of windows of pages, headers and memos, as `VectorIndex.add` takes them."""
        pieces = [
            (VectorKey(entry.page, part, entry.follows and count_words(entry.text) <= WINDOW_WORDS), window)
            for entry in entries
            for part, text in zip(PARTS, (entry.text, entry.header, entry.memo), strict=True)
            for window in windows(text)
        ]
        return [key for key, _ in pieces], await self.documents([window for _, window in pieces], dimension)

    async def _embed(self, texts: Sequence[str], kind: Kind, dimension: int) -> Matrix:
        if current_stand_in():
            return _draw_vectors(texts, dimension or DRAWN)
        keys = [self._key(kind, text) for text in texts]
        # Servers refuse a text without a character, and with it all others of its request.
        by_key = {key: replace_surrogates(text) for key, text in zip(keys, texts, strict=True) if text.strip()}
        size = _Dimension(self.name, dimension)
        vectors = await self._find_kept([*by_key], dimension)
        vectors |= await self._ask_all({key: by_key[key] for key in by_key if key not in vectors}, kind, size)
        size.known = size.known or dimension or max(map(len, vectors.values()), default=1)
        # What was kept of another model that had the same name is asked for again.
        others = {key: by_key[key] for key, vector in vectors.items() if len(vector) != size.known}
        vectors |= await self._ask_all(others, kind, size)
        blank = np.zeros(size.known, np.float32)
        return np.array([vectors.get(key, blank) for key in keys], np.float32)

    async def _find_kept(self, keys: list[str], dimension: int) -> dict[str, Matrix]:
        """What is kept of these and can be compared with each other, and with an index of this dimension."""
        found = await self._kept.get(keys) if self._kept else []
        kept = {key: vector for key, vector in zip(keys, found, strict=False) if vector is not None}
        dimensions = {len(vector) for vector in kept.values()}
        if dimension:
            return {key: vector for key, vector in kept.items() if len(vector) == dimension}
        return kept if len(dimensions) == 1 else {}

    async def _ask_all(self, by_key: Mapping[str, str], kind: Kind, size: "_Dimension") -> dict[str, Matrix]:
        waiting, most = [*by_key.items()], self._calls.most_texts
        batches = [dict(waiting[first : first + most]) for first in range(0, len(waiting), most)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._ask(texts, kind, size)) for texts in batches]
        except ExceptionGroup as problems:
            raise problems.exceptions[0] from None
        return {key: vector for task in tasks for key, vector in task.result().items()}

    async def _ask(self, by_key: Mapping[str, str], kind: Kind, size: "_Dimension") -> dict[str, Matrix]:
        if _has_only_replayed():
            raise NotEmbedded("The vector of a text is not there to be replayed.")
        async with self._client() as model:
            if self._kept:
                await self._kept.check_room(len(by_key))
            if not (self._is_packaged or is_function(self.name)):  # these get them on this machine
                current_meter().count_embedded(len(by_key))
            vectors = await self._calls.embed(model, [*by_key.values()], kind)
        size.check(vectors.shape[1])
        vector_of = dict(zip(by_key, vectors, strict=True))
        if self._kept:
            await self._kept.put(vector_of)
        return vector_of

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Embeddings]:
        """The running event loop's model, in one of its slots."""
        client = await self._clients.current_value()
        if named := find_embeddings_entry(self.name):
            model = await get_loop_object(self.name, named, Embeddings)
        else:
            async with client.opening:
                if client.model is None or client.environment != environment():
                    client.environment = environment()
                    client.model = await asyncio.to_thread(embedding_model, self.name, self._timeout)
            model = client.model
        async with client.slots:
            yield model


@dataclass
class _Dimension:
    """How many numbers the vectors of one index, or else of one question to a model, have; 0: not known yet."""

    model: str
    indexed: int
    known: int = 0

    def check(self, dimension: int) -> None:
        """Refuse vectors that can't be compared with the others, before they are kept."""
        if self.indexed and dimension != self.indexed:
            raise other_dimension(self.model, dimension, self.indexed)
        if self.known and dimension != self.known:
            raise NotEmbedded(f"The embedding model '{self.model}' gave no usable vectors: {DIFFER}.")
        self.known = dimension


@dataclass
class _Client:
    opening: asyncio.Lock
    slots: asyncio.Semaphore
    model: Embeddings | None = None
    environment: int = 0


def windows(text: str) -> Iterator[str]:
    """The text in windows of equal size, at most about `WINDOW_WORDS` words each; none if it has no words."""
    words = count_words(text)
    count = -(-words // WINDOW_WORDS)
    start = 0
    for number in range(count):
        size = words * (number + 1) // count - words * number // count
        end = len(text) if number == count - 1 else end_after_words(text, start, size)
        yield text[start:end].strip()
        start = end

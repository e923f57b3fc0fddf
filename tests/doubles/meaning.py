"""A stand-in for the embedding model on this machine: words that mean the same have the same place in its vectors."""

import re
import zlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from langchain_core.embeddings import Embeddings

from readgraph.language.terms import stop_word_lists
from readgraph.state.providers import providers

MEANT = {"animal": "goat", "balcony": "gallery", "strolled": "walked", "tier": "goat"}


class WordMeanings(Embeddings):
    """Counts what it is asked for; `before` is called before each batch."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.texts, self.before = list[str](), before

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.before()
        self.texts += texts
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * 97
        vector[96] = 0.01
        for word in {*re.findall(r"\w+", text.lower())} - stop_word_lists()["en"]:
            vector[zlib.crc32(MEANT.get(word, word).encode()) % 96] += 1.0
        return vector


def install(monkeypatch: pytest.MonkeyPatch, model: Embeddings | None = None) -> WordMeanings:
    """Let this stand-in, or another model, be the one that is installed."""
    standing = model or WordMeanings()
    local = replace(providers()["local"], embeddings=lambda: standing, is_installed=lambda: True)
    monkeypatch.setitem(providers(), "local", local)
    return standing  # type: ignore[return-value]

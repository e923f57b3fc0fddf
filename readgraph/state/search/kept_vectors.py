"""Embeddings that were paid for, kept in the page store."""

import base64
from collections.abc import Mapping, Sequence

import numpy as np

from readgraph.state.page_store import PageStore
from readgraph.state.search.vectors import Matrix


class KeptVectors:
    """A `VectorCache` on the page store; `document` names the document that the vectors are paid for."""

    def __init__(self, pages: PageStore, document: str) -> None:
        self._pages, self._document = pages, document

    async def get(self, keys: Sequence[str]) -> list[Matrix | None]:
        """The vectors of these keys, in this order; nothing for those that aren't kept."""
        return [_vector(value["vector"]) if value else None for value in await self._pages.embeddings(keys)]

    async def put(self, vectors: Mapping[str, Matrix]) -> None:
        """Keep vectors; when this returns, they are committed."""
        written = {key: base64.b64encode(vector.astype("<f4").tobytes()).decode() for key, vector in vectors.items()}
        await self._pages.put_embeddings(
            {key: {"vector": vector, "document": self._document} for key, vector in written.items()}
        )


def _vector(written: str) -> Matrix:
    return np.frombuffer(base64.b64decode(written), "<f4")

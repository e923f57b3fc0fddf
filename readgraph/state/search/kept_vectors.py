"""Embeddings that were paid for, kept in the page store."""

import base64
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from readgraph.state.page_store import PageStore

Vector = NDArray[np.float32]


class KeptVectors:
    """A `VectorCache` on the page store; `document` names the document that the vectors are paid for."""

    def __init__(self, pages: PageStore, document: str) -> None:
        self._pages, self._document = pages, document

    async def get(self, keys: Sequence[str]) -> list[Vector | None]:
        """The vectors of these keys, in this order; nothing for those that aren't kept."""
        return [_vector(value["vector"]) if value else None for value in await self._pages.embeddings(keys)]

    async def put(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors; when this returns, they are committed."""
        written = {key: base64.b64encode(vector.astype("<f4").tobytes()).decode() for key, vector in vectors.items()}
        await self._pages.put_embeddings(
            {key: {"vector": vector, "document": self._document} for key, vector in written.items()}
        )


def _vector(written: str) -> Vector:
    return np.frombuffer(base64.b64decode(written), "<f4")

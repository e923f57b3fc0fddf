"""Embedding models: made by their names, and the vectors of texts that they give."""

from readgraph.models.embedding_models.by_name import embedding_model

__all__ = ["embedding_model"]

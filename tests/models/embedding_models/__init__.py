"""Tests of `readgraph.models.embedding_models`."""

"""Tests of `readgraph.models.embeddings.models`."""

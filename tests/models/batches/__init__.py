"""Tests of `readgraph.models.batches`."""

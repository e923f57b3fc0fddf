"""Tests of `readgraph.features.batches`."""

"""Tests of `readgraph.sources`."""

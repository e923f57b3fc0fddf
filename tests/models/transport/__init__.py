"""Tests of `readgraph.models.transport`."""

"""Tests of `readgraph.models.names`."""

"""Tests of `readgraph.nodes`."""

"""Tests of `readgraph.graphs`."""

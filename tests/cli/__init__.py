"""Tests of `readgraph.cli`."""

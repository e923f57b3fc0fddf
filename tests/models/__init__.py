"""Tests of `readgraph.models`."""

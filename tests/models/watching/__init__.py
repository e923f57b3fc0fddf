"""Tests of `readgraph.models.watching`."""

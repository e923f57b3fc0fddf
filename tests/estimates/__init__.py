"""Tests of `readgraph.estimates`."""

"""Tests of `readgraph.evaluation`."""

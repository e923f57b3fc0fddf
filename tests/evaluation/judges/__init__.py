"""Tests of `readgraph.evaluation.judges`."""

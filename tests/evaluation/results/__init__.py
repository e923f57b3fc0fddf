"""Tests of `readgraph.evaluation.results`."""

"""Tests of `readgraph.evaluation.results.figures`."""

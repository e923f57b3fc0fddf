"""Tests of `readgraph_evaluation.judges`."""

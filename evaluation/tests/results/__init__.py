"""Tests of `readgraph_evaluation.results`."""

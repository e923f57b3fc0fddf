"""Tests of `readgraph_evaluation.rows`."""

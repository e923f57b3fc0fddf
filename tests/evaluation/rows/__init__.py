"""Tests of `readgraph.evaluation.rows`."""

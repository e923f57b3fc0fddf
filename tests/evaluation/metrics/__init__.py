"""Tests of `readgraph.evaluation.metrics`."""

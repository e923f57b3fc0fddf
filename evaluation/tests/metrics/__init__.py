"""Tests of `readgraph_evaluation.metrics`."""

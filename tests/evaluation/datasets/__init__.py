"""Tests of `readgraph.evaluation.datasets`."""

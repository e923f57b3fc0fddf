"""Tests of `readgraph_evaluation.datasets`."""

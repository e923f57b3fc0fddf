"""Tests of `readgraph_evaluation.publishing`."""

"""Tests of `readgraph_evaluation.plan`."""

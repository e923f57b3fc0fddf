"""Tests of `readgraph_evaluation`."""

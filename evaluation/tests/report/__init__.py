"""Tests of `readgraph_evaluation.report`."""

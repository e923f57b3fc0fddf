"""Tests of `readgraph.evaluation.report`."""

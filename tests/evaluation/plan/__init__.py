"""Tests of `readgraph.evaluation.plan`."""

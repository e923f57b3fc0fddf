"""Tests of `readgraph.evaluation.running.evaluation`."""

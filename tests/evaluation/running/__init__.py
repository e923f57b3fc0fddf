"""Tests of `readgraph.evaluation.running`."""

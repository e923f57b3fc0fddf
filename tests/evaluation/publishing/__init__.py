"""Tests of `readgraph.evaluation.publishing`."""

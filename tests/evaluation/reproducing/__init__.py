"""Tests of `readgraph.evaluation.reproducing`."""

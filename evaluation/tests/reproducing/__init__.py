"""Tests of `readgraph_evaluation.reproducing`."""

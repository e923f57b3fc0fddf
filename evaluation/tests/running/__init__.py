"""Tests of `readgraph_evaluation.running`."""

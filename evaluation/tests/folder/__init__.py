"""Tests of `readgraph_evaluation.folder`."""

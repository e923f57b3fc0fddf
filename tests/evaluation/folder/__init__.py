"""Tests of `readgraph.evaluation.folder`."""

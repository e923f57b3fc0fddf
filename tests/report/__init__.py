"""Tests of `readgraph.report`."""

"""Tests of `readgraph.state`."""

"""Tests of `readgraph.models.replies`."""

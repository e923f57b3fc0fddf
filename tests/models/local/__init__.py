"""Tests of `readgraph.models.local`."""

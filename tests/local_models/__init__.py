"""Tests of `readgraph.features.local_models`."""

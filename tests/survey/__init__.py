"""Tests of `readgraph.features.survey`."""

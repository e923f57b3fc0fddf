"""Measure readgraph's methods on datasets and on questions of your own; repeat the papers' experiments."""

"""Tests of `readgraph.evaluation.rows.row`."""

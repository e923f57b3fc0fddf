"""Tests of `readgraph.evaluation.plan.run_record`."""

"""What an evaluation is to be: its questions, metrics and settings, the record of these, and what it will take."""

from readgraph.evaluation.plan.run_record import what_is_run

__all__ = ["what_is_run"]

"""Running an evaluation: every row reads every text and answers every question."""

from readgraph.evaluation.running.evaluation import Evaluation

__all__ = ["Evaluation"]

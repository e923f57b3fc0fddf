"""The folder of an evaluation: its files, the shapes of their lines, and what all of them hold together."""

from readgraph.evaluation.folder.evaluation_folder import EvaluationFolder

__all__ = ["EvaluationFolder"]

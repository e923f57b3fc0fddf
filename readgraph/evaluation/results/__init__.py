"""The results of an evaluation: scores and figures of what its folder holds, and differences between two."""

from readgraph.evaluation.results.figures import results_of

__all__ = ["results_of"]

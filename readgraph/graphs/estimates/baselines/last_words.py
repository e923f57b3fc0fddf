"""What the last words will use."""

from readgraph.graphs.estimates.baselines.truncated import estimate

__all__ = ["estimate"]

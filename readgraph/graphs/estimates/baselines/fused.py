"""What fused retrieval will use: as BM25; what is embedded is not counted."""

from readgraph.graphs.estimates.baselines.bm25 import estimate

__all__ = ["estimate"]

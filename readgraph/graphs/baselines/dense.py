"""Retrieval by embeddings: answer from the segments that are nearest to the question (GAM's RAG row, section 3.1)."""

from functools import partial

from readgraph.graphs.baselines.bm25 import read
from readgraph.graphs.baselines.linear import linear
from readgraph.nodes.answering.answer import answer_from_segments
from readgraph.nodes.look_up.retrieval import retrieve_by_vectors

__all__ = ["build", "graph"]

build = partial(linear, read=read, look_up=retrieve_by_vectors, answer=answer_from_segments)
"""Every argument is a node, as in `linear`."""

graph = build().compile(name="dense")

"""Retrieval by words and embeddings together: answer from the segments that rank first in both (a stronger RAG row)."""

from functools import partial

from readgraph.graphs.baselines.bm25 import read
from readgraph.graphs.baselines.linear import linear
from readgraph.nodes.answering.answer import answer_from_segments
from readgraph.nodes.look_up.retrieval import retrieve_by_both

__all__ = ["build", "graph"]

build = partial(linear, read=read, look_up=retrieve_by_both, answer=answer_from_segments)
"""Every argument is a node, as in `linear`."""

graph = build().compile(name="fused")

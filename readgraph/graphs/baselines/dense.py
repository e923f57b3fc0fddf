"""Retrieval by embeddings: answer from the segments that are nearest to the question (GAM's RAG row, section 3.1)."""

from functools import partial

from readgraph.graphs.baselines.bm25 import read
from readgraph.graphs.baselines.in_a_line import in_a_line
from readgraph.nodes.retrieving import retrieve_by_vectors

build = partial(in_a_line, read=read, look_up=retrieve_by_vectors)
"""Every argument is a node, as in `in_a_line`."""

graph = build().compile(name="dense")

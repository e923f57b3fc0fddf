"""Retrieval by words and embeddings together: answer from the segments that rank first in both (a stronger RAG row)."""

from functools import partial

from readgraph.graphs.baselines.bm25 import read
from readgraph.graphs.baselines.in_a_line import in_a_line
from readgraph.nodes.retrieving import retrieve_by_both

build = partial(in_a_line, read=read, look_up=retrieve_by_both)
"""Every argument is a node, as in `in_a_line`."""

graph = build().compile(name="fused")

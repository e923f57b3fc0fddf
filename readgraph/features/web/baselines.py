"""What the web agent is compared with (ReadAgent, table 10): no look-up, the page itself, retrieved parts for gists."""

from functools import partial

from readgraph.features.web import graph as web_agent
from readgraph.nodes import look_up as look_ups

build_web_gists_only = partial(web_agent.build, look_up=look_ups.no_page)
"""The web agent's graph without look-up."""

web_gists_only = build_web_gists_only().compile(name="web_gists_only")

build_web_parts = partial(web_agent.build, read=web_agent.cut_parts)

build_web_page = partial(build_web_parts, look_up=look_ups.leading_pages)
"""The web agent's graph, with the page from its beginning."""
build_web_bm25 = partial(build_web_parts, look_up=look_ups.retrieve)
"""The web agent's graph, with the parts that BM25 ranks first."""
build_web_dense = partial(build_web_parts, look_up=look_ups.retrieve_by_vectors)
"""The web agent's graph, with the parts that are nearest by their embeddings."""

web_page = build_web_page().compile(name="web_page")
web_bm25 = build_web_bm25().compile(name="web_bm25")
web_dense = build_web_dense().compile(name="web_dense")

"""Tools for nodes without a model: rule-based pages, extractive gists, ranked sentences, quoted answers."""

from readgraph.nodes.extractive.gists import extract_for, pages_by_rule, ranked_pages
from readgraph.nodes.extractive.quoting import query_of

__all__ = ["extract_for", "pages_by_rule", "query_of", "ranked_pages"]

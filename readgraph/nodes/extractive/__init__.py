"""Tools for nodes without a model: rule-based pages, extractive gists, ranked sentences, quoted answers."""

from readgraph.nodes.extractive.gists import (
    extract_for,
    extract_gist,
    extract_note,
    pages_by_rule,
    ranked_pages,
    telling_words,
)
from readgraph.nodes.extractive.passages import (
    FEWEST_WORDS,
    nearest_sentences,
    passages_of,
    sentences_as_passages,
    without_labels,
)
from readgraph.nodes.extractive.quoting import (
    MOST_QUOTES,
    query_of,
    question_alone,
    quote_pages,
    quote_passages,
    quoted_answer,
)

__all__ = [
    "FEWEST_WORDS",
    "MOST_QUOTES",
    "extract_for",
    "extract_gist",
    "extract_note",
    "nearest_sentences",
    "pages_by_rule",
    "passages_of",
    "query_of",
    "question_alone",
    "quote_pages",
    "quote_passages",
    "quoted_answer",
    "ranked_pages",
    "sentences_as_passages",
    "telling_words",
    "without_labels",
]

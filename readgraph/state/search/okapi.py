"""The exact Okapi ranking over the pages of one document: the papers' baseline, for up to some thousand pages."""

from collections.abc import Sequence

from rank_bm25 import BM25Okapi

from readgraph.state.search.terms import content_words


def rank(query: str, texts: Sequence[str]) -> list[tuple[int, float]]:
    """(index, score) of the texts that share a content word with the query, best first (Okapi BM25)."""
    wanted = content_words(query)
    corpus = [content_words(text) for text in texts]
    if not wanted or not any(corpus):
        return []
    scores = BM25Okapi(corpus).get_scores(wanted)
    sharing = [number for number, words in enumerate(corpus) if not {*wanted}.isdisjoint(words)]
    return sorted(((number, float(scores[number])) for number in sharing), key=lambda hit: (-hit[1], hit[0]))

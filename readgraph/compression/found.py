"""What a reading found for a query, as the passages that a budget can hold."""

from collections.abc import Iterable, Mapping
from typing import Any

from readgraph.nodes.extractive import FEWEST_WORDS, nearest_sentences, passages_of
from readgraph.state.page_store import PageStore
from readgraph.state.words import count_words


async def passages_for(store: PageStore, found: Mapping[str, Any], query: str, most_words: int) -> list[str]:
    """The answer; where no model gave one, the quoted passages and others that are near the query, the best first.

    Others come from the pages that were read again, as many as the words allow. `found` is a graph's output.
    """
    if found["status"] != "nearest":
        return [found["answer"]] if found["answer"] else []
    quotes = [citation["quote"] for citation in found["citations"]] or list(filter(None, [found["answer"]]))
    near = _sentences(query, await _pages_read(store, found))
    if quotes and count_words(quotes[0]) > most_words:
        near = [*(part for quote in quotes for part in _sentences(query, {0: quote}, fewest_words=1)), *near]
    return _fitting([*quotes, *near], most_words) or quotes


def _fitting(passages: Iterable[str], most_words: int) -> list[str]:
    """The passages, in this order, that fit into the words; one that overlaps an earlier one is left out."""
    kept = list[str]()
    for passage in passages:
        words = count_words(passage)
        if words <= most_words and not any(passage in known or known in passage for known in kept):
            kept.append(passage)
            most_words -= words
    return kept


def _sentences(query: str, texts: Mapping[int, str], fewest_words: int = FEWEST_WORDS) -> list[str]:
    """The sentences of these texts near the query, the best first."""
    passages = passages_of(texts)
    return [sentence.text for sentence in nearest_sentences(query, passages, len(passages), fewest_words)]


async def _pages_read(store: PageStore, found: Mapping[str, Any]) -> dict[int, str]:
    document = await store.document(found["document"])
    pages = await store.pages(found["memory"], found["pages_read"])
    texts = await store.spans(document, [(page.start, page.end) for page in pages])
    return {page.number: text for page, text in zip(pages, texts, strict=True)}

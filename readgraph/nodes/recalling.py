"""What of the memory so far is shown with a page: never more than a budget, so that cost grows as the text does."""

import asyncio
from collections.abc import Iterable, Sequence

from readgraph.nodes.extracts import telling_words
from readgraph.state.records import Note
from readgraph.state.search.okapi import rank_by_words
from readgraph.state.search.terms import content_words

NEWEST_SHARE = 0.5
"""Share of the budget for the newest memos; the rest is for older ones that have to do with the page."""

QUERY_WORDS = 60
"""So many of a page's words look for older memos."""


class Recalling:
    """Chooses among the memos of one memory; keeps their words, so that each is taken apart once."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._words: list[list[str]] = []

    async def near(self, memos: Sequence[Note], text: str) -> list[Note]:
        """The newest memos, then those that rank first for the text, while the budget lasts; in page order.

        `memos` are those of all pages before a page; they hold those that were given before.
        """
        if sum(memo.words for memo in memos) <= self.budget:
            return list(memos)
        self._words += [content_words(memo.text) for memo in memos[len(self._words) :]]
        newest = _fitting(reversed(memos), NEWEST_SHARE * self.budget, leave_out=False)
        older = self._words[: len(memos) - len(newest)]
        query = content_words(" ".join(telling_words(text, QUERY_WORDS)))
        ranked = await asyncio.to_thread(rank_by_words, query, older)
        left = self.budget - sum(memo.words for memo in newest)
        nearest = _fitting((memos[number] for number, _ in ranked), left, leave_out=True)
        return sorted([*nearest, *newest], key=lambda memo: memo.page)


def _fitting(memos: Iterable[Note], words: float, *, leave_out: bool) -> list[Note]:
    """The memos, in this order, that fit into so many words; up to the first that doesn't, or leaving such out."""
    fit = []
    for memo in memos:
        if memo.words <= words:
            words -= memo.words
            fit.append(memo)
        elif not leave_out:
            break
    return fit

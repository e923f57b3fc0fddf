"""What of the memory so far is shown with a page: never more than a budget, so that cost grows as the text does."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import log

from readgraph.nodes.extracts import telling_words
from readgraph.state.records import Note
from readgraph.state.search.terms import content_words

NEWEST_SHARE = 0.5
"""Share of the budget for the newest memos; the rest is for older ones that have to do with the page."""

QUERY_WORDS = 60
"""So many of a page's words look for older memos."""


class Recalling:
    """Chooses among the memos of one memory.

    The index of their words grows with them: one made anew for each page would take more time than all else does.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._indexed = 0
        self._holding: defaultdict[str, list[int]] = defaultdict(list)

    def near(self, memos: Sequence[Note], text: str) -> list[Note]:
        """The newest memos, then those nearest to the text, while the budget lasts; in page order.

        `memos` are those of all pages before a page; they begin with those that were given before.
        """
        self._index(memos)
        if sum(memo.words for memo in memos) <= self.budget:
            return list(memos)
        newest = _fitting(reversed(memos), NEWEST_SHARE * self.budget, leave_out=False)
        nearest = [memos[number] for number in self._nearest(text, len(memos) - len(newest))]
        left = self.budget - sum(memo.words for memo in newest)
        return sorted([*_fitting(nearest, left, leave_out=True), *newest], key=lambda memo: memo.page)

    def _index(self, memos: Sequence[Note]) -> None:
        for number in range(self._indexed, len(memos)):
            for word in {*content_words(memos[number].text)}:
                self._holding[word].append(number)
        self._indexed = max(self._indexed, len(memos))

    def _nearest(self, text: str, older: int) -> list[int]:
        """Those of the older memos that share words with the text, by the sum of the shared words' rarity."""
        scores = [0.0] * older
        for word in {*content_words(" ".join(telling_words(text, QUERY_WORDS)))}:
            holding = self._holding.get(word, [])
            holding = holding[: bisect_left(holding, older)]
            rarity = log(1 + older / max(len(holding), 1))
            for number in holding:
                scores[number] += rarity
        sharing = [number for number in range(older) if scores[number]]
        return sorted(sharing, key=lambda number: (-scores[number], -number))


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

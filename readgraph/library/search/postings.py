"""BM25 over the postings of a query's terms in a memory's index; words of the pages beside a page count a little."""

import math
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json

from readgraph.language.terms import words
from readgraph.library.search.hits import SPEAKER, Part
from readgraph.library.sqlite_files import Unreadable

K1, B = 1.2, 0.75  # FTS5's: where no page goes on from another, the scores are those of its `bm25`
LEAST = 1e-6  # the weight of a term that is in most pages, as FTS5 has it
BESIDE = 0.3
"""What a word counts for the pages beside its own. Of LoCoMo's turns 59 % are then among the first 5 instead of 53, of
QMSum's chunks 65 % among the first 10 instead of 61 (`benchmarks/retrieval.py`)."""

SHORT = 250
"""Words of a page that needs those beside it. Of chunks of 400 words of LoCoMo, 92 % were among the first 10 with their
neighbours' words, and 95 % without."""

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class TermScores(NamedTuple):
    """What a term adds to the scores of pages, by their places in the order; at which places are pages that have it."""

    places: Numbers
    scores: Floats
    having: Numbers


@dataclass(frozen=True)
class Layout:
    """The pages of an index in their order, how many words each has, whether it goes on from the last, who says it."""

    pages: Numbers
    words: Numbers
    follows: NDArray[np.bool_]
    speakers: Mapping[str, Numbers]  # for a word of a speaker's name the places of what is said by who is called so

    @cached_property
    def _continues_previous(self) -> NDArray[np.bool_]:
        """Whether a page goes on from the one before it in this order, which must have the number before."""
        adjoining: NDArray[np.bool_] = np.diff(self.pages) == 1
        return self.follows[1:] & adjoining

    @cached_property
    def _norms(self) -> Floats:
        """BM25's measure of the length of each page with those beside it."""
        lengths = self._with_beside(self.words.astype(np.float64), 1.0)
        norms: Floats = K1 * (1 - B + B * lengths / max(float(lengths.mean()), 1.0))
        return norms

    def page_counts(self, pages: Numbers) -> Floats:
        """How often each page comes among these; unknown ones are left out."""
        places = np.searchsorted(self.pages, pages)
        known = places < len(self.pages)
        known[known] = self.pages[places[known]] == pages[known]
        return np.bincount(places[known], minlength=len(self.pages)).astype(np.float64)

    def score_term(self, own: Floats) -> TermScores:
        """What a term adds to the scores, by how often it is in each page."""
        found = self._with_beside(own, BESIDE)
        places, having = np.flatnonzero(found), np.flatnonzero(own)
        weight = max(math.log((len(own) - len(having) + 0.5) / (len(having) + 0.5)), LEAST)
        scores = weight * found[places] * (K1 + 1) / (found[places] + self._norms[places])
        return TermScores(places, scores, having)

    def rank_pages(
        self, terms: Iterable[TermScores], asked: Collection[str], limit: int | None = None
    ) -> list[tuple[int, float]]:
        """(page, score) of the pages with any of the terms, best first; equals in page order.

        Words that are `asked` for may be speakers' names: what these say gets a little more.
        """
        scores, having = np.zeros(len(self.pages)), np.zeros(len(self.pages), np.bool_)
        for term in terms:
            scores[term.places] += term.scores
            having[term.having] = True
        if named := [self.speakers[word] for word in asked if word in self.speakers]:
            scores[np.unique(np.concatenate(named))] += SPEAKER * scores.max(initial=0.0)
        places = np.flatnonzero(having)
        first = places[np.argsort(-scores[places], kind="stable")][:limit]
        return list(zip(self.pages[first].tolist(), scores[first].tolist(), strict=True))

    def _with_beside(self, own: Floats, share: float) -> Floats:
        """What each page has, and a share of what those beside it have."""
        total = own.copy()
        total[1:] += share * own[:-1] * self._continues_previous
        total[:-1] += share * own[1:] * self._continues_previous
        return total


WEIGHTS = {"page": 1.0, "header": 0.5, "memo": 1.0}
"""The weights of a page's parts. With the previous turn as header, at half weight, recall@5 over LoCoMo's turns is 63;
without it, 53 (`benchmarks/retrieval.py`)."""

KEPT_LAYOUTS = 8  # indexes whose pages' lengths a connection remembers until something is written
KEPT_BYTES = 2**24  # bytes of what a connection remembers of terms until something is written
ROW_BYTES = 400  # what a few small values take in memory, beside the words of their key
Value = TypeVar("Value")


class Tables(sqlite3.Connection):
    """A connection to the indexes, with what it has read since `state`, the file's last change."""

    layouts: dict[int, Layout]
    read: dict[tuple[object, ...], Any]
    read_bytes = 0
    state: tuple[int, int] = (-1, -1)

    def forget_changed(self) -> None:
        """Forget what was read if the file has changed since: a transaction that only reads begins with this."""
        (version,) = self.execute("PRAGMA data_version").fetchone()  # counts other connections' changes
        if self.state != (state := (version, self.total_changes)):
            self.state, self.layouts, self.read, self.read_bytes = state, {}, {}, 0

    def read_once(self, key: tuple[object, ...], read: Callable[[], Value]) -> Value:
        """What `read` gives, kept under this key until the file changes."""
        if key not in self.read:
            value = read()
            size = ROW_BYTES + 4 * len(str(key))
            size += sum(each.nbytes for each in value) if isinstance(value, TermScores) else 0
            if self.read_bytes + size > KEPT_BYTES:
                self.read, self.read_bytes = {}, 0
            self.read_bytes += size
            self.read[key] = value
        found: Value = self.read[key]
        return found


def scores_of(connection: Tables, index: int, layout: Layout, term: str, parts: Sequence[Part]) -> TermScores:
    """What a term in these parts adds to the scores of pages, by the parts' weights."""
    columns = ", ".join(f"json_group_array(doc) FILTER (WHERE col = '{part}')" for part in parts)
    held = connection.execute(f"SELECT {columns} FROM postings_{index} WHERE term = ?", (term,)).fetchone()
    counts: Floats = np.zeros(len(layout.pages))
    for each, part in zip(held, parts, strict=True):
        counts += WEIGHTS[part] * layout.page_counts(_numbers(each))
    return layout.score_term(counts)


def layout_of(connection: Tables, index: int, languages: Sequence[str]) -> Layout:
    """The pages of an index; the names of speakers as words of these languages."""
    if index not in connection.layouts:
        if len(connection.layouts) == KEPT_LAYOUTS:
            connection.layouts.clear()
        columns = ", ".join(f"json_group_array({name})" for name in ("page", "words", "follows"))
        held = connection.execute(
            f"SELECT {columns} FROM (SELECT page, words, follows FROM entries_{index} ORDER BY page)"
        ).fetchone()
        pages, lengths, follows = map(_numbers, held)
        said = dict[str, Numbers]()
        by = f"SELECT speaker, json_group_array(page) FROM entries_{index} WHERE speaker != '' GROUP BY speaker"
        for speaker, theirs in connection.execute(by):
            places = np.searchsorted(pages, _numbers(theirs))
            for word in {word for language in languages for word in words(speaker, language)}:
                said[word] = np.concatenate([said[word], places]) if word in said else places
        connection.layouts[index] = Layout(pages, lengths, follows > 0, said)
    return connection.layouts[index]


def _numbers(stored: str) -> Numbers:
    try:
        return np.array(from_json(stored), np.int64)
    except (ValueError, TypeError, OverflowError):
        raise Unreadable("The numbers of pages can't be read.") from None

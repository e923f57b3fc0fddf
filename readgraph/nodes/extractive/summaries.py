"""A summary without a model: sentences of the text, by how much they have in common with all that is shown.

A sentence counts by its likeness to its stretch of the text (centroid; Radev et al., 2004), less its likeness to what
is chosen already (maximal marginal relevance; Carbonell and Goldstein, 1998). Each stretch has its share.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from readgraph.language.passages import FEWEST_WORDS, is_prose, without_label
from readgraph.language.sentences import sentence_spans
from readgraph.language.talk import is_talk
from readgraph.language.talk_summaries import choose_statements, find_statements, read_talk
from readgraph.language.terms import content_words
from readgraph.nodes.answering.verdicts import make_sentence
from readgraph.state.reading import Quote, Sentence
from readgraph.state.words import count_words, cut_evenly, first_words

STRETCH_WORDS = 30  # words that each stretch of the text may add to the summary: a sentence or two
NOVEL = 0.3  # what likeness to a chosen sentence takes away, where likeness to the stretch counts 1
SUBJECT = 1.0  # what likeness to the subject adds, where one is given


@dataclass(frozen=True)
class SummaryCandidate:
    """A sentence of a page, and its terms with their weights, as a vector of length 1."""

    page: int
    text: str
    words: int
    vector: Mapping[str, float]


def extract_summary(
    texts: Mapping[int, str], notes: Mapping[int, str], most_words: int, about: str = ""
) -> list[Sentence]:
    """Sentences of these pages, or their notes, in at most `most_words`; `about`: those that share a word with it."""
    subject = _unit(Counter(content_words(about)))
    stretches = max(most_words // STRETCH_WORDS, 1)
    of_talk = read_talk(texts) if is_talk(texts.values()) else []
    if not subject and (statements := choose_statements(of_talk, most_words, stretches)):
        return [_take_out(statement.page, statement.text) for statement in statements]
    telling = [(statement.page, statement.text) for statement in find_statements(of_talk)]
    candidates = _candidates(telling or _telling_prose(texts, {} if subject else notes))
    if subject:
        candidates = [candidate for candidate in candidates if candidate.vector.keys() & subject.keys()]
        if not candidates:
            return []
    elif not candidates:
        whole = next((text for text in texts.values() if text.strip()), "")
        cut = " ".join(first_words(whole.strip(), most_words).split())
        page = next((page for page, text in texts.items() if text == whole), 0)
        return [_take_out(page, cut)] if cut else []
    chosen = set[int]()
    parts = cut_evenly([candidate.words for candidate in candidates], stretches)
    for number, part in enumerate(parts, 1):
        _choose(candidates, part, chosen, most_words * number // len(parts), subject)
    _choose(candidates, range(len(candidates)), chosen, most_words, subject)
    if not chosen:
        return [_take_out(candidates[0].page, first_words(candidates[0].text, most_words))]
    return [_take_out(candidates[number].page, candidates[number].text) for number in sorted(chosen)]


def _take_out(page: int, text: str) -> Sentence:
    return make_sentence(" ".join(text.split()), [page], [Quote(page=page, quote=text)])


def _telling_prose(texts: Mapping[int, str], notes: Mapping[int, str]) -> list[tuple[int, str]]:
    """The sentences of each page that can be understood by themselves; where its notes have any of them, those."""
    chosen = list[tuple[int, str]]()
    for page, text in texts.items():
        written = [text[slice(*span)] for span in sentence_spans(text)]
        prose = [sentence for sentence in written if is_prose(sentence)]
        telling = [sentence for sentence in prose if count_words(without_label(sentence)) >= FEWEST_WORDS] or prose
        kept = [sentence for sentence in telling if sentence in notes.get(page, "")]
        chosen += [(page, sentence) for sentence in kept or telling]
    return chosen


def _candidates(chosen: Sequence[tuple[int, str]]) -> list[SummaryCandidate]:
    terms = [Counter(content_words(without_label(text))) for _, text in chosen]
    having = Counter(term for counts in terms for term in counts)
    rare = {term: math.log(1 + len(chosen) / count) for term, count in having.items()}
    vectors = [_unit({term: count * rare[term] for term, count in counts.items()}) for counts in terms]
    candidates = dict[str, SummaryCandidate]()
    for (page, text), vector in zip(chosen, vectors, strict=True):
        candidates.setdefault(text, SummaryCandidate(page, text, count_words(text), vector))
    return [*candidates.values()]


def _choose(
    candidates: Sequence[SummaryCandidate],
    among: Iterable[int],
    chosen: set[int],
    most_words: int,
    subject: Mapping[str, float],
) -> None:
    """Choose the best of these candidates, one after the other, as long as all have no more words together."""
    room = most_words - sum(candidates[number].words for number in chosen)
    vectors = {number: candidates[number].vector for number in among if number not in chosen}
    total, left = defaultdict[str, float](float), [*vectors]
    for vector in vectors.values():
        for term, weight in vector.items():
            total[term] += weight
    centre = _unit(total)
    scores = {
        number: _likeness(vector, centre) + SUBJECT * _likeness(vector, subject) for number, vector in vectors.items()
    }
    alike = {
        number: max((_likeness(vector, candidates[one].vector) for one in chosen), default=0.0)
        for number, vector in vectors.items()
    }
    while fitting := [number for number in left if candidates[number].words <= room]:
        best = max(fitting, key=lambda number: (scores[number] - NOVEL * alike[number], -number))
        chosen.add(best)
        room -= candidates[best].words
        left = [number for number in fitting if number != best]
        for number in left:
            alike[number] = max(alike[number], _likeness(vectors[number], vectors[best]))


def _unit(vector: Mapping[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(weight * weight for weight in vector.values())) or 1.0
    return {term: weight / length for term, weight in vector.items()}


def _likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The cosine of two vectors of length 1."""
    small, large = sorted((one, other), key=len)
    return sum(weight * large.get(term, 0.0) for term, weight in small.items())

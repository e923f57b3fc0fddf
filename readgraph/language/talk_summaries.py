"""A summary of talk without a model: statements with the words that the talk is about.

Talk says little with many words: likeness to all of it, which serves for other texts, finds "Yeah, I mean, it's just".
So a word counts by how often it is said, and by how rare it is among the sentences, and what is mostly said in short
ones counts less; once a chosen sentence has it, it counts little (as in SumBasic; Nenkova and Vanderwende, 2005).
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from readgraph.language.asked import asks
from readgraph.language.detection import main_language
from readgraph.language.passages import FEWEST_WORDS, is_prose, without_label
from readgraph.language.sentences import sentence_spans
from readgraph.language.talk import is_notice, remove_noise, remove_politeness
from readgraph.language.terms import content_words
from readgraph.state.words import count_words, cut_evenly

EVEN_WORDS = 10  # added to a sentence's length, so that a short one doesn't outweigh a long one by a frequent word
FEWEST_TELLING = 3  # fewest different content words of a statement
SAID_AGAIN = 0.3  # what a word counts once a chosen sentence has it, where it counted 1

_WORD, _LAST_MARK = re.compile(r"\w+"), re.compile(r"[.!?。！？…]\W*$")


class TalkSentence(NamedTuple):
    """A sentence of a page; `said`: without its speaker and what is noted beside the words."""

    page: int
    text: str
    said: str
    terms: frozenset[str]

    @property
    def words(self) -> int:
        """The words that it takes in a summary."""
        return count_words(self.text)

    @property
    def form(self) -> str:
        """What it has in common with one that says the same in other letters and marks."""
        return " ".join(_WORD.findall(self.said.casefold()))


def read_talk(texts: Mapping[int, str]) -> list[TalkSentence]:
    """The sentences of a talk."""
    language = main_language([*texts.values()])
    written = [
        (page, text[start:end])
        for page, text in texts.items()
        for start, end in sentence_spans(text)
        if not is_notice(text, start)
    ]
    sentences = list[TalkSentence]()
    for page, text in written:
        if is_prose(text):
            said = without_label(text)
            terms = frozenset(content_words(remove_politeness(said, language), language))
            sentences.append(TalkSentence(page, text, remove_noise(said), terms))
    return sentences


def find_statements(sentences: Sequence[TalkSentence]) -> list[TalkSentence]:
    """Those of these sentences that can be understood by themselves: no questions, no formulas, none that breaks off.

    A formula is what is said more than once. Where most sentences end with a mark, those that don't break off. Where
    all are short, as in some chats, short ones do.
    """
    forms = Counter(sentence.form for sentence in sentences)
    said = [each for each in sentences if each.terms and forms[each.form] == 1 and not asks(each.text)]
    telling = [
        each for each in said if count_words(each.said) >= FEWEST_WORDS and len(each.terms) >= FEWEST_TELLING
    ] or said
    whole = [sentence for sentence in telling if _LAST_MARK.search(sentence.text)]
    return whole if 2 * len(whole) > len(telling) else telling


def choose_statements(sentences: Sequence[TalkSentence], most_words: int, stretches: int) -> list[TalkSentence]:
    """The statements with most of the talk's weight, from each of so many even stretches, in at most so many words."""
    weights, statements, chosen = _weigh_words(sentences), find_statements(sentences), list[int]()
    parts = cut_evenly([statement.words for statement in statements], stretches)
    for number, stretch in enumerate([*parts, range(len(statements))], 1):
        share = most_words * min(number, len(parts)) // max(len(parts), 1)
        room = share - sum(statements[each].words for each in chosen)
        chosen += _take_best(statements, [each for each in stretch if each not in chosen], weights, room)
    return [statements[each] for each in sorted(chosen)]


def _weigh_words(sentences: Sequence[TalkSentence]) -> dict[str, float]:
    having, short = Counter[str](), Counter[str]()
    for sentence in sentences:
        having.update(sentence.terms)
        short.update(sentence.terms if count_words(sentence.said) < FEWEST_WORDS else ())
    return {term: (count - short[term]) * math.log(len(sentences) / count) ** 2 for term, count in having.items()}


def _take_best(
    statements: Sequence[TalkSentence], among: Iterable[int], weights: dict[str, float], room: int
) -> Iterator[int]:
    """The best of these statements one after the other, as long as they fit; what they say weighs less from then on."""
    left = [*among]

    def score(number: int) -> tuple[float, int]:
        statement = statements[number]
        return sum(map(weights.__getitem__, statement.terms)) / (count_words(statement.said) + EVEN_WORDS), -number

    while left := [number for number in left if statements[number].words <= room]:
        best = max(left, key=score)
        left.remove(best)
        room -= statements[best].words
        weights |= {term: SAID_AGAIN * weights[term] for term in statements[best].terms}
        yield best

"""Sentences of passages, ranked by nearness to a question."""

from collections.abc import Sequence, Set
from itertools import groupby, pairwise
from operator import attrgetter

from readgraph.language.asked import asks, holds, is_of_kinds, read_question
from readgraph.language.detection import main_language
from readgraph.language.passages import FEWEST_WORDS, PageSentence, Passage, label_of, sentences_of
from readgraph.language.talk import find_named, find_speakers
from readgraph.library.search.hits import SPEAKER, fuse_with_meaning
from readgraph.library.search.okapi import Okapi, Term

OWN, BEFORE, AFTER = 0.5, 0.2, 0.1
"""What a sentence's own words count, and the passage before and the one after, where its passage counts 1."""

LINE_ENDS = 4  # most characters between passages that adjoin: the ends of two lines
MOST_PASSAGES = 12  # passages whose sentences are ranked
LOOKED_AT = 20  # sentences, the best by their words, that are compared with what is asked
MUCH, ALL_BUT_ROUNDING = (
    0.5,
    0.999,
)  # shares of a query's weight: of a sentence that may hold all of it, and of one with all
OTHER_KIND = 0.3  # what a sentence loses that can be no answer, where the best passage counts 1


def nearest_sentences(
    query: str,
    passages: Sequence[Passage],
    most: int = MOST_PASSAGES,
    fewest_words: int = FEWEST_WORDS,
    cosines: Sequence[float] = (),
) -> list[PageSentence]:
    """The sentences of the best few passages, best first; empty where no passage shares a word with the query.

    With `cosines` (`passage_cosines`), what is near the query by meaning counts too.
    """
    speakers = find_speakers(passage.speaker for passage in passages)
    language = main_language([passage.said for passage in passages])
    named = find_named(query, speakers, language)
    unnamed = speakers - named
    scores, weights, shares = _scores(query, passages, unnamed, language)
    if cosines:
        scores = dict(fuse_with_meaning([*scores.items()], cosines))
    if not scores:
        return []
    best = max(scores.values()) or 1.0
    own = [scores.get(number, 0.0) / best for number in range(len(passages))]

    def score(number: int) -> float:
        before = own[number - 1] if _adjoin(passages[max(number - 1, 0) : number + 1]) else 0.0
        after = own[number + 1] if _adjoin(passages[number : number + 2]) else 0.0
        return own[number] + BEFORE * before + AFTER * after + SPEAKER * (passages[number].speaker in named)

    totals = {number: score(number) for number in scores}
    ordered = sorted(scores, key=lambda number: (-totals[number], number))
    having_all = [number for number in ordered[most:] if shares.get(number, 0.0) > ALL_BUT_ROUNDING]
    candidates = [
        (totals[number], sentences_of(passages[number], fewest_words, language))
        for number in (*ordered[:most], *having_all[:most])
    ]
    return _by_own_words(query, weights, candidates, unnamed, language)


def _adjoin(two: Sequence[Passage]) -> bool:
    return len(two) == 2 and two[0].page == two[1].page and two[1].start - two[0].end <= LINE_ENDS


def _scores(
    query: str, passages: Sequence[Passage], unnamed: Set[str], language: str
) -> tuple[dict[int, float], dict[Term, float], dict[int, float]]:
    """The scores of passages that share a word with the query, by number; its terms' weights; each passage's share.

    The words of a passage count a little for those that adjoin it. Okapi's own weights would be 0 where a word is in
    half of a few passages.
    """
    okapi = Okapi(query)
    for _, of_page in groupby(passages, attrgetter("page")):
        page = [*of_page]  # the words of those of a page are kept together
        following = [number for number, two in enumerate(pairwise(page), 1) if _adjoin(two)]
        okapi.add(tuple(passage.known_words(unnamed) for passage in page), language, following)
    weights = okapi.rarities()
    return dict(okapi.rank_by_weights(weights)), weights, okapi.find_shares(weights)


def _by_own_words(
    query: str,
    weights: dict[Term, float],
    candidates: Sequence[tuple[float, list[PageSentence]]],
    unnamed: Set[str],
    language: str,
) -> list[PageSentence]:
    """The sentences by the score of their passage and of their own words; ties in the order given.

    Before all others come those that hold all that the query asks, however long they are; what can be no answer since
    it names nobody, no time or no number stands behind the rest of the best.
    """
    okapi, asked = Okapi(query), read_question(query, language)
    for _, sentences in candidates:
        own_words = (sentence.said if label_of(sentence.text) in unnamed else sentence.text for sentence in sentences)
        okapi.add(tuple(own_words), language)
    own, shares = dict(okapi.rank_by_weights(weights)), okapi.find_shares(weights)
    best = max(own.values(), default=0.0) or 1.0
    scored = [(score, sentence) for score, sentences in candidates for sentence in sentences]
    total = [score + OWN * own.get(number, 0.0) / best for number, (score, _) in enumerate(scored)]
    ordered = sorted(range(len(scored)), key=lambda number: (-total[number], number))

    def rank(number: int) -> float:
        text = scored[number][1].text
        if shares.get(number, 0.0) >= MUCH and holds(asked, text, language):
            return -1e9 - total[number]
        may_answer = asks(text) or is_of_kinds(asked, text, language, besides="why")  # a reply may follow
        return -total[number] + (0.0 if may_answer else OTHER_KIND)

    looked_at = [
        number
        for place, number in enumerate(ordered)
        if place < LOOKED_AT or shares.get(number, 0.0) > ALL_BUT_ROUNDING
    ]
    ranks = {number: rank(number) for number in looked_at}
    last = set(ordered) - ranks.keys()
    return [scored[number][1] for number in (*sorted(ranks, key=ranks.__getitem__), *(n for n in ordered if n in last))]

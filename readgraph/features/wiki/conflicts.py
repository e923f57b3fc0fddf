"""Sentences that contradict each other, by the rules of a check (see `readgraph.language.compare`)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from readgraph.features.wiki.state import Conflict, WikiSource
from readgraph.language.compare import compare_sentences
from readgraph.language.detection import DEFAULT, language_of
from readgraph.language.passages import without_label
from readgraph.language.terms import content_words
from readgraph.language.tokens import tokens_of
from readgraph.nodes.evidence import names_in
from readgraph.state.words import on_one_line

SHARED = 0.5  # the least share of a sentence's words that another one has which is compared with it
FEWEST_WORDS = 4  # of a sentence that is compared
MOST_HAVING = 200  # sentences with a word by which others are found
MOST_ALIKE = 2  # others that a sentence contradicts: more are a list of like things, such as one of years


def find_conflicts(sources: Sequence[WikiSource]) -> list[Conflict]:
    """The pairs of sentences of which one says another thing in one place: a number, a date, a denial."""
    texts = [without_label(on_one_line(source["quote"])) for source in sources]
    languages = [language_of(text) for text in texts]
    names = names_in("\n\n".join(texts))
    conflicts = dict[tuple[int, int], Conflict]()
    for pair in _pairs(texts, languages):
        if texts[pair[0]] == texts[pair[1]] or languages[pair[0]] != languages[pair[1]]:
            continue
        one, other = pair
        compared = compare_sentences(texts[one], texts[other], languages[one], names)
        if compared.verdict == "contradicted":
            conflicts[pair] = Conflict(sentences=[sources[one], sources[other]], differs=compared.differs[0])
    partners = Counter(number for pair in conflicts for number in pair)
    kept = [conflict for pair, conflict in conflicts.items() if max(partners[each] for each in pair) <= MOST_ALIKE]
    return [each for each in kept if not _tell_of_own_years(each)]


_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def _tell_of_own_years(conflict: Conflict) -> bool:
    """Whether documents of different years, such as yearly reports, tell of their own year each; but for lengths."""
    years, said = (
        [{*_YEAR.findall(sentence[key])} for sentence in conflict["sentences"]] for key in ("title", "quote")
    )
    is_own = years[0] != years[1] and all(own and told <= own for own, told in zip(years, said, strict=True))
    is_length = any(token.value[1] == "length" for token in tokens_of(conflict["differs"]["draft"], DEFAULT))
    return is_own and conflict["differs"]["kind"] in ("number", "date") and not is_length


def _pairs(texts: Sequence[str], languages: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The pairs of sentences that share most of their words."""
    words = [{*content_words(text, language)} for text, language in zip(texts, languages, strict=True)]
    having = defaultdict[str, list[int]](list)
    for number, own in enumerate(words):
        shared = Counter(other for word in own if len(having[word]) <= MOST_HAVING for other in having[word])
        for other, count in shared.items():
            if min(len(own), len(words[other])) >= FEWEST_WORDS and count >= SHARED * max(len(own), len(words[other])):
                yield other, number
        for word in own:
            having[word].append(number)

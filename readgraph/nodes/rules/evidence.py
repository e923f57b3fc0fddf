"""The sentences of pages that share most with what is said, compared with it."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from readgraph.library.search.terms import cache_by_text, content_words
from readgraph.nodes.answering.citations import make_citation
from readgraph.nodes.extractive.passages import is_prose, label_of, without_label
from readgraph.nodes.rules.compare import Comparison, compare_sentences
from readgraph.nodes.rules.standing import stands
from readgraph.nodes.rules.tokens import tokens_of
from readgraph.sources.formats.plain_text import blank_markup
from readgraph.state.differences import Difference
from readgraph.state.reading import Citation
from readgraph.state.records import Page
from readgraph.state.sentences import sentences_by_language

MOST_COMPARED = 20  # sentences that a claim is compared with
NEAR = 1 / 3  # the least share of a claim's words that a sentence has which is near it
BEGIN = 3  # letters that a name has in common with its other forms


class PageText(NamedTuple):
    """A page with the beginning of the next one; where that is cut, the last sentence is not whole."""

    page: Page
    text: str
    following: int | None
    is_cut: bool = False

    def cite(self, start: int, end: int) -> Citation:
        """A citation of these characters."""
        at = self.page.start + start
        number = self.page.number if at < self.page.end or self.following is None else self.following
        return make_citation(number, self.page.start, self.text, (start, end))


class NearSentence(NamedTuple):
    """A sentence near a claim: what rules say of the claim beside it, where it stands, and in which language."""

    compared: Comparison
    citation: Citation
    language: str


class PageSentence(NamedTuple):
    """Characters `[start, end)` of a page, their content words, who says them (or ""), and in which language."""

    start: int
    end: int
    words: frozenset[str]
    speaker: str
    language: str


@cache_by_text
def prose_sentences(text: str) -> tuple[PageSentence, ...]:
    """The sentences of a text that say something by themselves."""
    found = list[PageSentence]()
    for start, end, language in sentences_by_language(blank_markup(text) if text.startswith("---") else text):
        end = start + len(text[start:end].rstrip(" \t\n«„“"))  # a mark with which the next one begins
        goes_on = found and "\n" not in text[found[-1].end : start]
        speaker = label_of(text[start:end]) or (found[-1].speaker if goes_on else "")
        if is_prose(text[start:end]):
            words = frozenset(content_words(text[start:end], language))
            found.append(PageSentence(start, end, words, speaker, language))
    return tuple(found)


_I = re.compile(r"^(?:I|ich|je|j['’]|yo|io|eu|ik|я)\b", re.IGNORECASE)  # the speaker's name may stand in its place


@cache_by_text
def names_in(text: str) -> frozenset[str]:
    """The words that a text writes large within sentences, and nowhere small."""
    sentences = prose_sentences(text)
    tokens = [
        token for each in sentences for token in tokens_of(without_label(text[each.start : each.end]), each.language)
    ]
    small = {token.value for token in tokens if token.kind == "word" and token.text[0].islower()}
    names = {token.value for token in tokens if token.kind == "name" and not token.first}
    labels = {(each.speaker, each.language) for each in sentences}
    speakers = {each.value for label in labels for each in tokens_of(*label) if each.text[0].isupper()}
    return frozenset(names | speakers) - small


def near_sentences(said: str, pages: Sequence[PageText]) -> list[NearSentence]:
    """The sentences that share most with what is said, compared with it."""
    found = dict[tuple[int, int], tuple[float, PageText, PageSentence]]()
    words_in = cache(lambda language: {*content_words(said, language)})
    for page in pages:
        sentences = prose_sentences(page.text)
        for each in sentences[: len(sentences) - page.is_cut] or sentences:
            wanted = words_in(each.language)
            if (share := len(wanted & each.words) / max(len(wanted), 1)) >= NEAR:
                found[page.page.start + each.start, page.page.start + each.end] = share, page, each
    nearest = [found[span] for span in sorted(found, key=lambda span: (-found[span][0], span))[:MOST_COMPARED]]
    texts = [page.text[each.start : each.end] for _, page, each in nearest]
    texts = [
        without_label(text) if _is_talk(page.text) else text for text, (_, page, _) in zip(texts, nearest, strict=True)
    ]
    begun = {(text, each.language) for text, (*_, each) in zip(texts, nearest, strict=True)}
    begun |= {(text, each.language) for *_, each in nearest for text in (said, each.speaker)}
    names, near = _names_near(begun, pages), list[NearSentence]()
    for (_, page, each), text in zip(nearest, texts, strict=True):
        compared = compare_sentences(said, text, each.language, names)
        if not compared.verdict and (speaker := each.speaker) and _is_talk(page.text):
            named = f"{speaker}: {text}" if said.startswith(f"{speaker}:") else _I.sub(speaker, text, count=1)
            beside = compare_sentences(said, named, each.language, names)
            compared = beside if beside.verdict or beside.differs else compared
        near.append(NearSentence(compared, page.cite(each.start, each.end), each.language))
    return near


def _names_near(sentences: Iterable[tuple[str, str]], pages: Sequence[PageText]) -> frozenset[str]:
    """The names in the pages that a sentence, given with its language, may begin with: to find all takes long."""
    first = [each for sentence in sentences for each in tokens_of(*sentence)[:2] if each.first and each.kind == "word"]
    begins = {each.text[:BEGIN].capitalize() for each in first}
    return frozenset[str]().union(*(names_in(each.text) for each in pages if any(at in each.text for at in begins)))


@cache_by_text
def _is_talk(text: str) -> bool:
    """Whether several sentences of a text begin with who says them."""
    return sum(bool(label_of(text[each.start : each.end])) for each in prose_sentences(text)) > 1


def find_difference(said: str, text: str) -> Difference | None:
    """The one thing in which a text has something else than what is said; None where it has the same, or nothing."""
    page = PageText(Page(0, 0, len(text), 0, "rest"), text, None)
    near = near_sentences(said, [page])
    against = [each for each in near if each.compared.differs]
    if not against or any(each.compared.verdict == "supported" for each in near):
        return None
    best = max(against, key=lambda each: each.compared.shared)
    at = best.citation["start"], best.citation["end"]
    return best.compared.differs[0] if stands(text, at, (0, len(text)), best.language) else None

"""The sentences of pages that share most with what is said, compared with it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from readgraph.language.compare import Comparison, Difference, compare_sentences
from readgraph.language.passages import is_prose, label_of, without_label
from readgraph.language.sentences import sentences_by_language
from readgraph.language.standing import stands
from readgraph.language.terms import cache_by_text, content_words
from readgraph.language.tokens import other_spellings, tokens_of
from readgraph.nodes.answering.citations import make_citation
from readgraph.sources.formats.plain_text import blank_markup
from readgraph.state.reading import Citation
from readgraph.state.records import Page

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
    sentences = list[PageSentence]()
    for start, end, language in sentences_by_language(blank_markup(text) if text.startswith("---") else text):
        end = start + len(text[start:end].rstrip(" \t\n«„“"))  # a mark with which the next one begins
        goes_on = sentences and "\n" not in text[sentences[-1].end : start]
        speaker = label_of(text[start:end]) or (sentences[-1].speaker if goes_on else "")
        if is_prose(text[start:end]):
            words = frozenset(content_words(text[start:end], language))
            sentences.append(PageSentence(start, end, words, speaker, language))
    return tuple(sentences)


_I = re.compile(r"^(?:I|ich|je|j['’]|yo|io|eu|ik|я)\b", re.IGNORECASE)  # the speaker's name may stand in its place


@cache_by_text
def names_in(text: str) -> frozenset[str]:
    """The words that a text writes large within sentences, and nowhere small."""
    sentences = prose_sentences(text)
    bare = ((without_label(text[sentence.start : sentence.end]), sentence.language) for sentence in sentences)
    tokens = [token for sentence in bare for token in tokens_of(*sentence)]
    small = {token.value for token in tokens if token.kind == "word" and token.text[0].islower()}
    names = {token.value for token in tokens if token.kind == "name" and not token.first}
    labels = {(sentence.speaker, sentence.language) for sentence in sentences}
    speakers = {token.value for label in labels for token in tokens_of(*label) if token.text[0].isupper()}
    return frozenset(names | speakers) - small


_WORD, _INITIALS = re.compile(r"[^\W\d_]{4,}"), re.compile(r"\b[A-Z]{2,6}\b")
_LITTLE = r"(?:(?:of|the|for|and|de|del|la|las|los|des|du|di|et|für|der|und) ){0,2}"
_NAME = re.compile(rf"[A-Z]\w+(?:[ -]{_LITTLE}[A-Z]\w+)+")


def other_writings(sentence: str, texts: Iterable[str]) -> Iterator[str]:
    """How texts may write words of a sentence: otherwise spelt, names by their initials, or what these stand for."""
    for word in map(str.casefold, _WORD.findall(sentence)):
        yield from other_spellings(word)
    yield from ("".join(re.findall(r"[A-Z]", name)) for name in _NAME.findall(sentence))
    for initials in {*_INITIALS.findall(sentence)}:
        begun = rf"[ -]{_LITTLE}".join(rf"(?i:{initial})\w+" for initial in initials)
        yield from next(filter(None, (re.findall(rf"\b{begun}", text)[:1] for text in texts)), [])


def near_sentences(claim: str, pages: Sequence[PageText]) -> list[NearSentence]:
    """The sentences that share most with a claim, compared with it."""
    shares = dict[tuple[int, int], tuple[float, PageText, PageSentence]]()
    otherwise = " ".join(other_writings(claim, [page.text for page in pages]))
    words_in = cache(lambda language: [{*content_words(each, language)} for each in (claim, otherwise)])
    for page in pages:
        sentences = prose_sentences(page.text)
        for sentence in sentences[: len(sentences) - page.is_cut] or sentences:
            wanted, others = words_in(sentence.language)
            if share := len((wanted | others) & sentence.words) / max(len(wanted), 1):
                shares[page.page.start + sentence.start, page.page.start + sentence.end] = share, page, sentence
    nearest = [shares[span] for span in sorted(shares, key=lambda span: (-shares[span][0], span))[:MOST_COMPARED]]
    texts = [page.text[sentence.start : sentence.end] for _, page, sentence in nearest]
    texts = [
        without_label(text) if _is_talk(page.text) else text for text, (_, page, _) in zip(texts, nearest, strict=True)
    ]
    begun = {(text, sentence.language) for text, (*_, sentence) in zip(texts, nearest, strict=True)}
    begun |= {(text, sentence.language) for *_, sentence in nearest for text in (claim, sentence.speaker)}
    names, near = _names_near(begun, pages), list[NearSentence]()
    for (share, page, sentence), text in zip(nearest, texts, strict=True):
        compared = compare_sentences(claim, text, sentence.language, names)
        if not compared.verdict and (speaker := sentence.speaker) and _is_talk(page.text):
            named = f"{speaker}: {text}" if claim.startswith(f"{speaker}:") else _I.sub(speaker, text, count=1)
            beside = compare_sentences(claim, named, sentence.language, names)
            compared = beside if beside.verdict or beside.differs else compared
        if share >= NEAR or compared.verdict:  # "1 000 EUR" has few of the words of "1000 euros"
            near.append(NearSentence(compared, page.cite(sentence.start, sentence.end), sentence.language))
    return near


def _names_near(sentences: Iterable[tuple[str, str]], pages: Sequence[PageText]) -> frozenset[str]:
    """The names in the pages that a sentence, given with its language, may begin with: to find all takes long."""
    begun = (token for sentence in sentences for token in tokens_of(*sentence)[:2])
    begins = {token.text[:BEGIN].capitalize() for token in begun if token.first and token.kind == "word"}
    return frozenset[str]().union(*(names_in(page.text) for page in pages if any(at in page.text for at in begins)))


@cache_by_text
def _is_talk(text: str) -> bool:
    """Whether several sentences of a text begin with who says them."""
    return sum(bool(label_of(text[sentence.start : sentence.end])) for sentence in prose_sentences(text)) > 1


def find_difference(claim: str, text: str) -> Difference | None:
    """The one thing in which a text has something else than a claim; None where it has the same, or nothing."""
    page = PageText(Page(0, 0, len(text), 0, "rest"), text, None)
    near = near_sentences(claim, [page])
    against = [sentence for sentence in near if sentence.compared.differs]
    if not against or any(sentence.compared.verdict == "supported" for sentence in near):
        return None
    best = max(against, key=lambda sentence: sentence.compared.shared)
    at = best.citation["start"], best.citation["end"]
    return best.compared.differs[0] if stands(text, at, (0, len(text)), best.language) else None

"""Questions to begin with: about headings and names that a text has itself, without a call of a model."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from readgraph.language.detection import language_of
from readgraph.language.names import proper_names
from readgraph.language.terms import content_words
from readgraph.library.page_store import PageStore
from readgraph.state.apart import compute
from readgraph.state.records import Document

SUGGESTED = 3
MOST_SPANS, SPAN = 48, 3000  # stretches that are looked at, from all over the text, and their characters
LEAST_MENTIONS = 3  # of a name: the text says more of it than that it is there
LONGEST = 60  # characters of a heading or name

WORDINGS = {
    "en": ("Who or what is {}?", "What is “{}” about?"),
    "de": ("Wer oder was ist {}?", "Worum geht es in „{}“?"),
    "fr": ("Qui ou qu'est-ce que {} ?", "De quoi parle « {} » ?"),
    "es": ("¿Quién o qué es {}?", "¿De qué trata «{}»?"),
    "it": ("Chi o che cosa è {}?", "Di che cosa parla «{}»?"),
    "pt": ("Quem ou o que é {}?", "De que trata «{}»?"),
    "nl": ("Wie of wat is {}?", "Waar gaat ‘{}’ over?"),
}
"""How one asks about a name, and about a heading; in another language the heading or name alone is asked."""

_WORDS_ALONE = re.compile(r"[^\W\d_a-z][\w'’ ,&-]*")
_POSSESSIVE = re.compile(r"['’]s$")
_CHAPTER = re.compile(r"^chapter '(.*)'$", re.DOTALL)
_CALLED = r"(?i:chapter|part|section|kapitel|teil|chapitre|partie|capítulo|capitolo|parte)\s+"
_NUMBERING = re.compile(rf"^(?:(?:{_CALLED})?(?:[\d.]+|[IVXLC]+)[.):]?\s+|[#§*\s]+)+")
_OF_EVERY_TEXT = frozenset(
    "page line session slide sheet chapter part section contents introduction preface foreword conclusion summary "
    "appendix index notes references "
    "kapitel teil inhalt einleitung vorwort anhang chapitre partie introducción capítulo parte indice".split()
)


async def suggest_questions(pages: PageStore, document: Document) -> list[str]:
    """At most three questions that a text can answer, also before it was read."""
    apart = max(SPAN, -(-document.characters // MOST_SPANS))
    spans = [(start, min(start + SPAN, document.characters)) for start in range(0, document.characters, apart)]
    texts = await pages.spans(document, spans)
    places = [] if document.parts else [name for _, name in await pages.places_in(document, spans)]
    return await compute(_make_questions, texts, places, document.title)


def _make_questions(texts: Sequence[str], places: Sequence[str], title: str) -> list[str]:
    language = language_of(" ".join(text[:500] for text in texts))
    of_name, of_heading = WORDINGS.get(language, ("{}?", "{}?"))
    names = (of_name.format(name) for name in _names(texts, language))
    headings = (of_heading.format(heading) for heading in _headings(places, title, language))
    return [*islice(_turn_about(names, headings), SUGGESTED)]


def _names(texts: Sequence[str], language: str) -> Iterator[str]:
    """Names that the text has often, those of several words first, and none that shares a word with another."""
    counts = Counter(_proper_names(texts, language))
    often = [name for name, count in counts.most_common() if count >= LEAST_MENTIONS and 2 < len(name) <= LONGEST]
    taken = set[str]()
    for name in sorted(often, key=lambda name: " " not in name):
        words = {*name.split()}
        if taken.isdisjoint(words):
            taken |= words
            yield name


def _proper_names(texts: Sequence[str], language: str) -> Iterator[str]:
    """The names of texts; of a language that writes all nouns with capitals only those of several words."""
    for name in (_POSSESSIVE.sub("", name) for text in texts for name in proper_names(text)):
        says_something = content_words(name, language) and _OF_EVERY_TEXT.isdisjoint(name.casefold().split())
        if says_something and (language != "de" or " " in name):
            yield name


def _headings(places: Sequence[str], title: str, language: str) -> Iterator[str]:
    """The headings among the places of a text that say what stands below them."""
    lowest = (_CHAPTER.sub(r"\1", place).split(" > ")[-1] for place in places)
    for heading in dict.fromkeys(_NUMBERING.sub("", each).strip() for each in lowest):
        words = re.findall(r"\w+", heading.casefold())
        says_something = _OF_EVERY_TEXT.isdisjoint(words) and content_words(heading, language)
        is_short = heading.isascii() and len(words) < 2
        fits = len(heading) <= LONGEST and not is_short and words != re.findall(r"\w+", title.casefold())
        if says_something and fits and _WORDS_ALONE.fullmatch(heading):
            yield heading


def _turn_about(one: Iterator[str], other: Iterator[str]) -> Iterator[str]:
    """What both give in turn; when one has no more, what the other has."""
    for first in one:
        yield first
        yield from islice(other, 1)
    yield from other

"""Names in a text, by their capitals."""

import re
from collections.abc import Iterator, Sequence

from readgraph.language.amounts import amounts_in, dates_without_amounts, units_in
from readgraph.language.dates import WrittenDate
from readgraph.language.detection import language_of
from readgraph.language.sentences import sentence_spans
from readgraph.language.terms import content_words

_CAPITAL = f"[{''.join(filter(str.isupper, map(chr, range(0x41, 0x2000))))}]"
_NAME = re.compile(
    rf"\b(?P<first>{_CAPITAL}[\w'’-]+)(?:(?:,|(?<=\b(?:Mr|Ms|Dr|St))\.|(?<=\bMrs)\.)?"
    rf" (?:of |the |de |van |von )?{_CAPITAL}[\w'’-]+)*"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n“\"'] ?)$")
_NO_NAMES = re.compile(r"(?:I|I['’]\w+|The|A|An|And|But|He|She|It|They|We|You|This|That)$")


def proper_names(text: str) -> Iterator[str]:
    """The names in a text; none in a script without capitals."""
    if has_capitals(text):
        language = language_of(text)
        units = units_in(text, language)
        for start, end in sentence_spans(text, language=language):
            dates = dates_without_amounts(text[start:end], language, "", units)
            yield from names_in_sentence(text[start:end], language, dates, units)


def has_capitals(text: str) -> bool:
    """Whether a text is in a script that has capitals."""
    letters = [*filter(str.isalpha, text)]
    return 2 * sum(letter.lower() != letter.upper() for letter in letters) >= len(letters)


def names_in_sentence(sentence: str, language: str, dates: Sequence[WrittenDate], units: frozenset[str]) -> list[str]:
    """The names in a sentence with these dates, of a text with these units of amounts."""
    text, spans = sentence, [(date.start, date.end) for date in dates]
    spans += [(amount.start, amount.end) for amount in amounts_in(sentence, dates, units)]
    for start, end in spans:  # a month or a currency is no name
        text = f"{text[:start]}{'0' * (end - start)}{text[end:]}"
    return [name for match in _NAME.finditer(text) if (name := _name(match, language))]


def _name(match: re.Match[str], language: str) -> str:
    """The name in some words with capitals; "" where they are none, as a single one at a sentence's start may be."""
    name, first = match.group(), match["first"]
    if _SENTENCE_START.search(match.string, 0, match.start()):
        if not content_words(first, language):
            name = name[len(first) :].lstrip(" ,.")
        elif name == first:
            return ""
    return "" if _NO_NAMES.match(name) else name

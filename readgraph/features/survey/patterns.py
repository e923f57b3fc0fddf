"""Records without a model: names, dates, amounts, headings, a word, or sentences, as patterns find them."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from readgraph.features.survey.state import Column, Programme
from readgraph.language.amounts import amounts_in, dates_without_amounts, units_in
from readgraph.language.dates import WrittenDate
from readgraph.language.detection import language_of
from readgraph.language.names import has_capitals, names_in_sentence
from readgraph.language.sentences import sentence_spans
from readgraph.language.terms import content_words
from readgraph.nodes.building.parts import HEADING, paragraph_ends
from readgraph.state.files import read_package_toml

_CLAUSE_END = re.compile(
    r"[,;:()–—](?=\s|$)|[，；：、]| - |\b(?:but|aber|sondern|mais|pero|sino|maar|men|ale|но|però|mas)\b", re.IGNORECASE
)


@cache
def denial(language: str) -> re.Pattern[str]:
    """A word of denial in this language; in English, where the language has none here."""
    known = read_package_toml(__package__, "denials.toml")
    if language in known["without_spaces"]:
        return re.compile(known["without_spaces"][language])
    words = known["words"].get({"no": "nb", "nn": "nb"}.get(language, language), known["words"]["en"])
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


def clause_around(sentence: str, start: int, end: int) -> str:
    """The clause of a sentence in which these characters stand."""
    ends = [match.end() for match in _CLAUSE_END.finditer(sentence)]
    first = max((end_of_clause for end_of_clause in ends if end_of_clause <= start), default=0)
    last = min((end_of_clause for end_of_clause in ends if end_of_clause >= end), default=len(sentence))
    return sentence[first:last]


VERSION = 3  # version of the patterns: raise it when they find other records, so that kept ones are not shown

CUES = {
    "heading": r"\b(?:headings?|chapters?|sections?|table of contents)\b",
    "name": r"\b(?:who|whom|names?|persons?|people|characters?)\b",
    "date": r"\b(?:when|dates?|years?|days?)\b",
    "amount": r"\b(?:amounts?|prices?|costs?|sums?|money|how much)\b",
}  # what patterns look for, by words of the question or a column's name

_PLACE = r"\b(?:places?|city|cities)\b"
Taken = tuple[list[str], int, int]  # the values of a record, and the characters `[start, end)` of the page that show it


class PatternSentence(NamedTuple):
    """A sentence with its dates, the text's units of amounts, and the words that deny, where these are heeded."""

    text: str
    language: str
    denial: re.Pattern[str] | None
    dates: Sequence[WrittenDate]
    units: frozenset[str]

    def denies(self, start: int, end: int) -> bool:
        """Whether the clause of these characters says that something is not so."""
        return bool(self.denial and self.denial.search(clause_around(self.text, start, end)))

    def affirms(self, sought: set[str]) -> bool:
        """Whether a clause with one of these terms, or else the whole sentence, is without a word of denial."""
        if not sought:
            return not (self.denial and self.denial.search(self.text))
        words = (word for word in re.finditer(r"\w+", self.text) if not sought.isdisjoint(content_words(word[0])))
        return any(not self.denies(*word.span()) for word in words)


Filler = Callable[[PatternSentence], list[str]]  # gives the values of a column that a sentence has


def _names(sentence: PatternSentence) -> list[str]:
    return names_in_sentence(sentence.text, sentence.language, sentence.dates, sentence.units)


def _amounts(sentence: PatternSentence) -> list[str]:
    amounts = amounts_in(sentence.text, sentence.dates, sentence.units)
    return [
        sentence.text[amount.start : amount.end] for amount in amounts if not sentence.denies(amount.start, amount.end)
    ]


def _whole(sentence: PatternSentence) -> list[str]:
    return [" ".join(sentence.text.split())]


def filler(column: Column) -> Filler | None:
    """What fills a column from a sentence: by its kind, else by its name; None where no pattern does."""

    def is_about(cue: str) -> bool:
        return re.search(cue, column["name"], re.IGNORECASE) is not None

    if column["kind"] == "date":
        return lambda sentence: [date.iso for date in sentence.dates if date.iso]
    if column["kind"] == "number" or is_about(CUES["amount"]):
        return _amounts
    if is_about(CUES["date"]):
        return lambda sentence: [sentence.text[date.start : date.end].rstrip(".,") for date in sentence.dates]
    if is_about(CUES["name"]) or is_about(_PLACE):
        return _names
    return _whole if column["name"] == "sentence" else None


def columns_without_pattern(columns: Sequence[Column]) -> list[str]:
    """The names of the columns that no pattern fills."""
    if columns[0]["name"] in ("word", "heading"):
        return [column["name"] for column in columns[1:]]
    return [column["name"] for column in columns if filler(column) is None]


def take_by_pattern(text: str, programme: Programme, order: str = "") -> Iterator[Taken]:
    """The records of a page's text; `order` is that of its numeric dates, by default its language's."""
    columns = programme["columns"]
    rest = [""] * (len(columns) - 1)
    if columns[0]["name"] == "word":
        wanted = re.compile(rf"(?<!\w){re.escape(programme['sought'])}(?!\w)", re.IGNORECASE)
        for start, end in sentence_spans(text):
            yield from (([found.group(), *rest], start, end) for found in wanted.finditer(text[start:end]))
    elif columns[0]["name"] == "heading":
        for start in (0, *paragraph_ends(text)[:-1]):
            if (match := HEADING.match(text, start)) and re.search(r"\w", match.group()):
                line = text[start:].lstrip("\n").partition("\n")[0].rstrip()
                begin = text.index(line, start)
                yield [line.strip("# \t"), *rest], begin, begin + len(line)
    else:
        yield from _of_sentences(text, programme, order)


def _of_sentences(text: str, programme: Programme, order: str) -> Iterator[Taken]:
    """A record of each sentence (or amount in it) that fills all columns that patterns can fill, and is not denied."""
    fillers = [filler(column) for column in programme["columns"]]
    if not has_capitals(text):
        fillers = [None if fill is _names else fill for fill in fillers]
    filled = [fill for fill in fillers if fill]
    if not filled:
        return
    question = programme["sought"]
    sought = {*content_words(question)} if filled == [_whole] else set[str]()
    heeds = (len(filled) > 1 or filled[0] in (_whole, _amounts)) and not denial(language_of(question)).search(question)
    for start, end, sentence in _sentences(text, order, heeds_denials=heeds):
        if sought and sought.isdisjoint(content_words(sentence.text)):
            continue
        values = {fill: fill(sentence) for fill in filled}
        if not all(values.values()) or not (_amounts in values or sentence.affirms(sought)):
            continue
        many = len(values.get(_amounts, ())) or max(map(len, values.values()))
        for number in range(many):
            row = [_value(values[fill], number, many) if fill else "" for fill in fillers]
            yield row, start, end


def _value(found: Sequence[str], number: int, many: int) -> str:
    """The value of one of `many` records: its own if each has one, else the first or, of more than records, all."""
    return found[number] if len(found) == many else found[0] if len(found) < many else ", ".join(found)


def _sentences(text: str, order: str, *, heeds_denials: bool) -> Iterator[tuple[int, int, PatternSentence]]:
    language = language_of(text)
    units = units_in(text, language, order)
    for start, end in sentence_spans(text, language=language):
        written = text[start:end]
        sentence = PatternSentence(written, language, denial(language) if heeds_denials else None, [], units)
        dates = dates_without_amounts(written, language, order, units)
        yield start, end, sentence._replace(dates=[date for date in dates if not sentence.denies(date.start, date.end)])

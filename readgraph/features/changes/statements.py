"""A text cut into statements, and these into parts that are equal however they are written: 1,000 and one thousand."""

import re
from collections.abc import Iterator, Set
from functools import lru_cache
from typing import Any, NamedTuple

from readgraph.nodes.extractive.dates import dates_in
from readgraph.nodes.rules.equality import LEADING, account, fold_characters
from readgraph.nodes.rules.tokens import cue_words, fold_letters
from readgraph.state.languages import language_of, paragraph_language
from readgraph.state.sentences import paragraph_spans, sentence_spans

_SCALES = "hundred|thousand|million|billion|dozen|hundert|tausend|milliarden?|dutzend|millier|milliard|douzaine"
_DIGITS = "eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
_FORMS = (  # how a number may be written, and how its parts are found
    (re.compile(rf"\b({_DIGITS})(hundert|tausend)", re.IGNORECASE), r" \1 \2 "),
    (re.compile(rf"\b(?:an?|one|eine?|une?)\s+(?=(?:{_SCALES})\b)", re.IGNORECASE), "1 "),
    (re.compile(r"(?<![\d\w] )\b(?=(?:tausend|hundert|mille)\b)", re.IGNORECASE), "1 "),
    (re.compile(r"\b(EUR|USD|GBP|CHF)\s?(\d[\d.,'’]*\d|\d)"), r"\2 \1"),
)
_POWER = re.compile(r"(?:(\d+(?:[.,]\d+)?)\s*[×x·*]\s*)?\b10(?:\^(\d{1,2})(?!\d)|([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LINE, _HEADING_NUMBER = re.compile(r"[^\n.!?。]*(?:\d\.[^\n.!?。]*)*"), re.compile(r"^\d+\s+(?=\S)")
_NUMBERING = re.compile(
    r"^(?:(?:section|chapter|article|part|clause|abschnitt|kapitel|artikel|teil|chapitre|titre)\s+[\dIVX]+(?:\.\d+)*"
    r"[.:)]?|§+\s*\d+\w?|第[\d一二三四五六七八九十]+[章条節节]|\d+(?:\.\d+)+[.)]?|\d+[.)])\s*[:–—-]?\s*(?=\S)",
    re.IGNORECASE,
)
_CLAUSE_NUMBER = re.compile(r"^(?:§\s*\d+\w?|\(?\d{1,3}(?:\.\d{1,3})+\)?\.?)\s+(?=[^\W\d_a-zß-ÿ])")
_BLOCK = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")  # between blank lines
_SIGNS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_BULLET = re.compile(r"^[\s>*•‣◦-]+\s")
_TELLING = frozenset("%€$£<>≤≥≈~±=+")
_NO_ARTICLES = frozenset("some any now today jetzt heute nun had".split())


SLOTS = ("number", "date", "name")


class Part(NamedTuple):
    """A part of a statement: what it is, what is compared of it, and how it is written."""

    kind: str
    value: Any
    text: str


class Statement(NamedTuple):
    """Characters `[start, end)` of a text: a sentence, a heading, a row of a table, or a paragraph that both have."""

    start: int
    end: int
    text: str
    language: str

    @property
    def parts(self) -> tuple[Part, ...]:
        """Its words, numbers, dates, names and denials, in order."""
        return parts_of(self.text, self.language)

    @property
    def key(self) -> tuple[Any, ...]:
        """What is the same in two statements whose parts are; articles and the number before a heading don't count."""
        return tuple(part.value for part in self.parts if part.kind != "article") or (self.text,)


def fold_statement(text: str) -> str:
    """What is the same in two statements that are the same letter by letter, but for case and how marks are drawn."""
    return " ".join(_BULLET.sub("", fold_characters(text)).casefold().split())


def cut_statements(text: str, shared: Set[str]) -> Iterator[Statement]:
    """The statements of a text; a paragraph that is among the `shared` ones (folded) is a single one."""
    main = language_of(text)
    for block in _BLOCK.finditer(text):
        language = _language_of_block(block.group(), main)
        for start, end in paragraph_spans(block.group()):
            first, last = block.start() + start, block.start() + end
            whole = fold_statement(text[first:last]) in shared
            for span in [(first, last)] if whole else sentence_spans(text, first, last, language):
                if any(map(str.isalnum, text[slice(*span)])):
                    yield Statement(*span, text[slice(*span)].strip(), language)


def _language_of_block(text: str, main: str) -> str:
    if main in ("zh", "ja") or not (signs := _SIGNS.findall(text)):
        return paragraph_language(text, main)
    return "ja" if any(sign < "\u3100" for sign in signs) else "zh"


@lru_cache(16_384)
def parts_of(text: str, language: str) -> tuple[Part, ...]:
    """The parts of a statement that count; marks do not."""
    heading = text.lstrip().startswith("#")
    if not (begun := dates_in(text[:40], language)) or begun[0].start:  # "3. Mai" is no third entry of a list
        bare, numbering = LEADING.sub("", text), _NUMBERING if _LINE.fullmatch(text) else _CLAUSE_NUMBER
        text = (_HEADING_NUMBER if heading else numbering).sub("", numbering.sub("", bare))
    if text[:1].isdigit():
        text = f'"{text}'  # so that this number isn't taken for one of a list
    text = _POWER.sub(lambda power: f"{_value_of(power):.0f}", text)
    for written, form in _FORMS:
        text = written.sub(form, text)
    parts = list[Part]()
    for token in account(text, language):
        if token.kind == "break" or (token.kind == "mark" and token.text not in _TELLING):
            continue
        kind, value = str(token.kind), token.value
        if kind == "number" and isinstance(value, tuple):
            value = (float(f"{value[0] * value[2]:.10g}"), value[1])
        elif kind == "date" and token.text.isdecimal():
            value = (float(token.text), "")
        elif kind == "denial":
            value = "not"
        elif isinstance(value, str):
            value, kind = fold_letters(value), "word" if heading and kind == "name" else kind
        if kind == "small" and token.value in cue_words("light", language) - _NO_ARTICLES:
            kind = "article"
        parts.append(Part(kind, value, token.text))
    return tuple(parts)


def _value_of(power: re.Match[str]) -> float:
    exponent = power[2] or power[3].translate(_SUPERSCRIPT)
    return float((power[1] or "1").replace(",", ".")) * 10.0 ** int(exponent)

"""What a question asks for, seen by its words; the words of a sentence that give it, and those that deny it."""

import re
from collections.abc import Collection, Iterable
from datetime import date
from functools import cache
from typing import Literal

from readgraph.library.search.terms import content_words
from readgraph.nodes.contracts import AskedQuestion, AskedState
from readgraph.nodes.extractive.dates import NUMBERS, find_dates_as_written, resolve_time_words

AnswerKind = Literal["time", "duration", "number", "person", "place", "yes or no"]  # what an answer must have

_CUES: dict[AnswerKind, str] = {
    "duration": r"\b(?:how long|wie lange|combien de temps|cuánto tiempo|quanto tempo|hoe lang)\b",
    "time": r"^(?:\W*+\w++\W++){0,3}?(?:when|wann|quand|cuándo|quando|wanneer|когда)\b"
    r"|\b(?:what|which|welche[ms]?|quelle|qué|welk) "
    r"(?:year|date|day|month|time|jahr|tag|monat|année|date|año|fecha|jaar)\b",
    "number": r"\b(?:how (?:many|much|old|far|tall|often)|wie viele?|combien|cuánt[ao]s?|quant[aoie]s?|hoeveel"
    r"|сколько)\b",
    "person": r"\b(?:who|whom|whose)\b",
    "place": r"\bwhere\b|\b(?:what|which) (?:city|country|town|place|state)\b",
    "yes or no": r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should)\b",
}
"""Names are recognised by their capitals, which tells nothing in German: so only English asks for them."""


def kind_of(question: str) -> AnswerKind | None:
    """What the answer must have; None where the question has no cue."""
    return next((kind for kind, cue in _CUES.items() if re.search(cue, question, re.IGNORECASE)), None)


def query_of(state: AskedState) -> str:
    """The query for a search of pages: the question and its options."""
    return " ".join([question_alone(state), *state["choices"].values()])


def question_alone(state: AskedQuestion) -> str:
    """The question without those before it; one without content words ("And why?") comes with the one before."""
    asked = [turn["question"] for turn in state.get("question_turns") or []] or [state["question_text"]]
    return asked[-1] if content_words(asked[-1]) else " ".join(asked[-2:])


MOST_WORDS = 8  # words of an answer where nothing says what it must be

_COUNT = rf"\d[\d,.]{{0,15}}|{'|'.join(NUMBERS)}"
_DURATION = re.compile(
    rf"\b(?:since (?:\w+ )?\d{{4}}|(?:{_COUNT}|an?|a few|several|a couple of)(?: more)?"
    r" (?:second|minute|hour|day|week|month|year|decade)s?(?: ago)?)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"(?<![\w.])[$€£]?\d(?:[\d,.]*\d)?%?|\b(?:{'|'.join(NUMBERS)}|twenty|thirty|forty|fifty|hundred|thousand|once|twice)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,;:'\"“(] )[^\W\d_a-z][\w'’.-]*(?:(?: (?:of|de|van|von|the|and|&))? [^\W\d_a-z][\w'’.-]*)*")
_PATTERNS = {"duration": _DURATION, "number": _NUMBER, "person": _NAME, "place": _NAME}
_DENIAL = re.compile(r"\b(?:not|no|never|nothing|none|nobody)\b|n['’]t\b", re.IGNORECASE)
_RUN, _AROUND = re.compile(r"\S+"), ' ,.;:!?"“”()[]-–—'


def extract_phrase(kind: AnswerKind, sentence: str, question: str, said_on: date | None) -> str | None:
    """What a sentence has of this kind that the question hasn't, or None; a time by the day on which it was said."""
    if kind == "yes or no":
        return "No" if _DENIAL.search(sentence) and not _DENIAL.search(question) else "Yes"
    asked = {*content_words(question)}
    if kind == "time":
        meant = resolve_time_words(sentence, said_on) if said_on else None
        return meant or _first_new(find_dates_as_written(sentence), asked)
    return _first_new((found.group() for found in _PATTERNS[kind].finditer(sentence)), asked)


def richest_words(sentence: str, question: str) -> str:
    """The at most eight words in a row that say most that the question doesn't, the last ones of several."""
    asked, words = {*content_words(question)}, [*_RUN.finditer(sentence)]
    news = [not {*content_words(word.group())} <= asked for word in words]
    starts = range(max(1, len(words) - MOST_WORDS + 1))
    start = max(starts, key=lambda start: (sum(news[start : start + MOST_WORDS]), start))
    window = slice(start, start + MOST_WORDS)
    told = [word for word, is_new in zip(words[window], news[window], strict=True) if is_new]
    return (sentence[told[0].start() : told[-1].end()] if told else sentence).strip(_AROUND)


def _first_new(found: Iterable[str], asked: Collection[str]) -> str | None:
    """The first of these that has a content word, and none that was asked with."""
    for text in found:
        words = {*content_words(text)}
        if words and words.isdisjoint(asked):
            return text.strip(_AROUND)
    return None


_WORDS = {
    "en": r"not|no(?!\.)|never|nothing|none|nobody|neither|cannot|\w+n['’]t",
    "cs": r"nic|nikdy|nikdo|žádn\w+|není|nebyl\w*|neza\w+|nedo\w+|nevy\w+",
    "da": r"ikke|ej|aldrig|ingen|intet|ingenting",
    "de": r"nicht|nichts|nie|niemals|niemand\w*|kein\w*|weder",
    "el": r"δεν|δε|μην|τίποτα|ποτέ|κανείς|κανένας",
    "es": r"no|nada|nunca|jamás|nadie|ningun\w*|ningún|tampoco",
    "fi": r"ei|eivät|emme|eikä",
    "fr": r"ne|n['’]\w+|pas|rien|jamais|aucune?",
    "he": r"לא|אין",
    "hi": r"नहीं|मत",
    "hu": r"nem|sem|semmi\w*|soha|senki\w*",
    "it": r"non|niente|nulla|mai|nessun\w*",
    "nb": r"ikke|ei|aldri|ingen|intet|ingenting",
    "nl": r"niet|niets|nooit|niemand|geen",
    "pl": r"nie|nic|nigdy|nikt|żad\w+",
    "pt": r"não|nada|nunca|jamais|ninguém|nenhum\w*",
    "ru": r"не|ни|нет|ничего|никогда|никто",
    "sv": r"inte|ej|icke|aldrig|ingen|inget|inga|ingenting",
    "tr": r"değil|hiç|yok|\w+m[ae]d[ıi]\w*",
    "uk": r"не|ні|немає|нічого|ніколи|ніхто",
    "ar": r"لا|لم|لن|ليس\w*",
}
_WITHOUT_SPACES = {"zh": "没|沒|未|不曾|并不", "ja": "ません|なかった|ない|なく", "ko": "않|못|없"}
_CLAUSE_END = re.compile(
    r"[,;:()–—](?=\s|$)|[，；：、]| - |\b(?:but|aber|sondern|mais|pero|sino|maar|men|ale|но|però|mas)\b", re.IGNORECASE
)


@cache
def denial(language: str) -> re.Pattern[str]:
    """A word of denial in this language; in English, where the language has none here."""
    if language in _WITHOUT_SPACES:
        return re.compile(_WITHOUT_SPACES[language])
    words = _WORDS.get({"no": "nb", "nn": "nb"}.get(language, language), _WORDS["en"])
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


def clause_around(sentence: str, start: int, end: int) -> str:
    """The clause of a sentence in which these characters stand."""
    ends = [found.end() for found in _CLAUSE_END.finditer(sentence)]
    first = max((each for each in ends if each <= start), default=0)
    last = min((each for each in ends if each >= end), default=len(sentence))
    return sentence[first:last]

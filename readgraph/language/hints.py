"""What a question's words show: how much of a text it asks for, and what to know of an answer without a model."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal

from readgraph.language.asked import Kind, is_of_kinds, read_question
from readgraph.language.detection import DEFAULT, certain_language
from readgraph.language.terms import content_words, stop_word_lists, tokens
from readgraph.language.tokens import tokens_of
from readgraph.state.files import read_package_toml
from readgraph.state.language_names import NAMES

Extent = Literal["summary", "every", "place"]
"""`summary`: what the text tells as a whole, or on a subject; `every`: all things of a kind, or how often; `place`:
what stands at one place, or at few."""


@cache
def _listed() -> dict[str, dict[str, str]]:
    return read_package_toml(__package__, "whole_text_words.toml")


@cache
def _pattern(group: str) -> re.Pattern[str]:
    """The words of a group in all languages."""
    return re.compile("|".join(_listed()[group].values()), re.IGNORECASE)


@cache
def _generic_words() -> re.Pattern[str]:
    listed = _listed()["text"]
    return re.compile(rf"(?<!\w)(?:{listed['all']})(?!\w)|{listed['unspaced']}", re.IGNORECASE)


def find_extent(question: str) -> Extent | None:
    """How much of a text a question asks for, as its words show; None where they don't, or show two things."""
    every, summary = _pattern("every").search(question), _pattern("summary").search(question)
    told = summary or _pattern("told").search(question)
    kinds = read_question(_pattern("told").sub(" ", question), DEFAULT).kinds
    of_one_place = kinds & {"who", "when", "where", "why"}
    if every and not told:
        is_rate = "number" in kinds and _pattern("rate").search(question)
        return "every" if _begins(question, every) and not is_rate else None
    if told:
        is_asked = (summary and _begins(question, summary)) or not subject_of(question)
        return "summary" if is_asked and not every and not of_one_place else None
    return "place" if of_one_place and not _pattern("wide").search(question) else None


def _begins(question: str, match: re.Match[str]) -> bool:
    """Whether a question begins with these words, but for politeness: behind others they ask for nothing."""
    before = question[: match.start()]
    return not content_words(_generic_words().sub(" ", before)) and not read_question(before, DEFAULT).is_open


def subject_of(question: str) -> str:
    """What a summary is asked about; "" where that is the text itself, and the question where it asks for none."""
    rest = _pattern("told").sub(" ", _pattern("summary").sub(" ", question))
    if rest == question:
        return question
    rest = _generic_words().sub(" ", rest)
    return " ".join(rest.split()) if content_words(rest) else ""


FEWEST_ASKED = 3
"""Content words of a question of which a match may share too few: "Who lit it?" has one, and needs no more."""

FEWEST_SEEN = 2
"""Stop words of another language by which a question is seen to be in it."""

_COUNTING = re.compile(
    r"\b(?:how many|wie viele|combien d(?:e\b|['’])|cuánt[ao]s|quant[aei]\b|hoeveel|сколько)", re.IGNORECASE
)

MEANT = "No word of the question is in what is quoted: it was found by its meaning, and may be about something else."
NOT_NAMED: dict[Kind, str] = {"who": "Nobody", "when": "No time", "where": "No place"}
"""What sentences lack that can be no answer where it is asked who, when or where."""

WHOLE_TEXT = "This asks for all of the text: 'readgraph summarise' gives its most telling sentences."
EVERY_PART = (
    "This asks for something of every part: a table goes through all of the text, such as "
    "'readgraph table FILE \"every person: name, place\"'."
)
WHOLE = {"summary": WHOLE_TEXT, "every": EVERY_PART}


def find_hints(question: str, quotes: Sequence[str], languages: Iterable[str], places: Iterable[str] = ()) -> list[str]:
    """What to say with the quotes that answer a question without a model; `languages` are the text's (ISO 639-1).

    `places`: the names of the quotes' places, which may have a date.
    """
    spoken = [*dict.fromkeys(languages)]
    if (extent := find_extent(question)) in WHOLE:
        return [WHOLE[extent]]
    other = other_language(question, spoken)
    if other and other not in {certain_language([quote]) for quote in quotes}:
        texts = NAMES.get(spoken[0], spoken[0])
        return [
            f"The question is in {NAMES[other]} and the text in {texts}: without a model only words that are the same "
            f"are found. Ask in {texts}, or with a model."
        ]
    language = spoken[0] if spoken else DEFAULT
    if _COUNTING.search(question) and not _has_number(quotes, language):
        return [EVERY_PART]
    asked, told = read_question(question, language), [*quotes, *places]
    for kind, lacking in NOT_NAMED.items() if quotes else ():
        alone = asked._replace(kinds=asked.kinds & {kind})
        if not any(is_of_kinds(alone, text, language) for text in told):
            return [f"{lacking} is named in these sentences."]
    shared = _shared_words(question, quotes, language)
    return [f"Only '{shared[0]}' is shared with the question."] if len(shared) == 1 else []


def share_no_word(question: str, quotes: Sequence[str], language: str) -> bool:
    """Whether there are quotes, and none of the question's content words is in them."""
    there = {word for quote in quotes for word in content_words(quote, language)}
    return bool(quotes) and there.isdisjoint(content_words(question, language))


def _has_number(quotes: Iterable[str], language: str) -> bool:
    return any(token.kind == "number" for quote in quotes for token in tokens_of(quote, language))


def other_language(question: str, spoken: Sequence[str]) -> str:
    """The language of a question that none of the text's is, if its stop words show it; else ""."""
    words, listed = {*tokens(question)}, stop_word_lists()
    own = max((len(words & listed.get(language, set())) for language in spoken), default=0)
    seen = {language: len(words & listed[language]) for language in listed if language not in spoken}
    best = max(seen, key=seen.__getitem__, default="")
    enough = best and seen[best] >= max(FEWEST_SEEN, 2 * own + 1)
    has_lists = listed.keys() >= {*spoken}  # else words of the text's own language count for those near to it
    return best if enough and (has_lists or certain_language([question]) == best) else ""


def _shared_words(question: str, quotes: Sequence[str], language: str) -> list[str]:
    """The question's words that the quotes have; nothing where there are no quotes, or hardly any words to share."""
    there = {word for quote in quotes for word in content_words(quote, language)}
    asked = {word: token for token in tokens(question, language)[::-1] for word in content_words(token, language)}
    return [token for word, token in asked.items() if word in there] if len(asked) >= FEWEST_ASKED else []

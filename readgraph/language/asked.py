"""What a question asks for: its content words and the kinds of its answer; and whether a text holds that."""

import re
from collections.abc import Iterable, Iterator, Set
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

from readgraph.language.calendars import fold_month_name, month_names
from readgraph.language.detection import DEFAULT, certain_language, language_of
from readgraph.language.sentences import LABEL, sentence_spans
from readgraph.language.terms import UNSPACED, content_words, stem
from readgraph.language.tokens import Token, cue_words, fold_letters, tokens_of
from readgraph.state.files import read_package_toml

Kind = Literal["number", "when", "who", "where", "why"]
KINDS: tuple[Kind, ...] = ("number", "when", "who", "where", "why")

_COMPOUNDING = frozenset("da de et fi hu is nb nl nn no sv".split())
SHORTEST_PART = 4  # letters of a stem that is looked for within a longer word: "Lampe" in "Brückenlampe"
FEWEST_ASKED = 2  # content words of a question of which a text can hold all: a single one is too easily there
WORDS_BEFORE = 3  # most words before the one that asks, in its clause: "And to whom did …", "For how many years …"

_UNSPACED, _HIRAGANA = re.compile(f"[{UNSPACED}]"), re.compile("[\u3040-\u309f]")
_SHORT_DATE = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?!\d)")  # "3.5."
_AND = re.compile(r"(?:\b(?:and|und|et|y|e|en|och|i|и|ve|ja)|[?;/、，])(?: \w+)?\s*$", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:?]\s")
_ASKS = re.compile(
    r"[?؟⁇⁈⁉](?=[\"'”’»)\]!?]*(?:[\s,;]|$))|[？՞፧]|(?<=[\u0370-\u03ff\u1f00-\u1fff])[;\u037e]|[か吗嗎呢]。?\s*$"
)
"""A mark of a question, also in Arabic, Greek and Armenian; in Japanese and Chinese a word at its end too."""


_TO_COME = re.compile(r"\b(?:will|shall|going to)\b|['’]ll\b", re.IGNORECASE)
_PRESENT = re.compile(r"\b(?:is|are|am|be|has|have|must|can|next)\b|['’](?:s|re|m)\b", re.IGNORECASE)
"""English words of what is still to come, and those that most statements have which are about no past."""


class Asked(NamedTuple):
    """What a text must hold that answers a question: its content words as they are compared, and these kinds.

    `is_open`: asks who, what or how, so that a text which denies what is asked is no answer.
    """

    values: frozenset[Any]
    kinds: frozenset[Kind]
    is_denied: bool
    is_open: bool


@cache
def _listed() -> dict[str, dict[str, str]]:
    return read_package_toml(__package__, "question_words.toml")


@cache
def compile_words(group: str, language: str) -> re.Pattern[str] | None:
    """The words of a group in a language; None where none are listed."""
    if not (words := _listed()[group].get(language)):
        return None
    return re.compile(words if _UNSPACED.search(words) else rf"(?<![\w'’-])(?:{words})(?!\w)", re.IGNORECASE)


@lru_cache(256)
def read_question(question: str, language: str) -> Asked:
    """What a question asks of a text in this language."""
    rest, asking = _take_asking_out(question, language)
    tokens = tokens_of(rest, language)
    values = {value for token in tokens if token.kind in ("word", "name", "number", "date") for value in _values(token)}
    hedges = {value for token in tokens if token.kind == "hedge" for value in _values(token)}
    values |= {value for value in hedges if len(str(value)) >= SHORTEST_PART and value != "about"}
    kinds = frozenset(kind for _, kind in asking if kind)
    return Asked(frozenset(values), kinds, any(token.kind == "denial" for token in tokens), bool(asking))


def _take_asking_out(question: str, language: str) -> tuple[str, list[tuple[int, Kind | None]]]:
    """A question without the words that ask, or that go with them, and where these ask for what."""
    for spoken in dict.fromkeys((language, DEFAULT, *_listed()["what"])):  # the question may be in another one
        if asking := _find_asking(question, spoken):
            for group in (*KINDS, "what", "said"):
                question = pattern.sub(" ", question) if (pattern := compile_words(group, spoken)) else question
            return question, asking
    return question, []


def remove_asking(question: str, language: str) -> str:
    """What is left of a question without the words that ask: "beams replaced" of "How many beams were replaced?"."""
    return _take_asking_out(question, language)[0]


def widen_decided(question: str) -> str:
    """A question for what was decided, and for nothing else, with all words that tell of that; others as they are."""
    for language, words in _listed()["decided"].items():
        decided, beside = compile_words("decided", language), compile_words("decided_beside", language)
        if decided and beside and decided.search(question):
            rest = beside.sub(" ", decided.sub(" ", remove_asking(question, language)))
            if not content_words(rest, language):
                return f"{question} {words.replace('|', ' ')}"
    return question


def _find_asking(question: str, language: str) -> list[tuple[int, Kind | None]]:
    """Where words ask in a question, and for which kind: its first ones, and others behind an "and"."""
    asking, taken = list[tuple[int, Kind | None]](), 0
    matches = [(match, kind) for kind in (*KINDS, None) for match in _matches(question, kind or "what", language)]
    for match, kind in sorted(matches, key=lambda pair: (pair[0].start(), -pair[0].end())):
        before = question[: match.start()]
        begins = len(_CLAUSE.split(before)[-1].split()) <= WORDS_BEFORE or _UNSPACED.match(match.group())
        if match.start() >= taken and (begins if not asking else _AND.search(before)):
            asking.append((match.start(), kind))
            taken = match.end()
    return asking


def _matches(text: str, group: str, language: str) -> Iterator[re.Match[str]]:
    return pattern.finditer(text) if (pattern := compile_words(group, language)) else iter(())


def _values(token: Token) -> Iterable[Any]:
    """What is compared of a token: its stem, the parts of a word with a hyphen, a number with its unit."""
    return _parts_of(token.value) if isinstance(token.value, str) else (token.value,)


@lru_cache(16384)
def _parts_of(word: str) -> tuple[str, ...]:
    return () if _HIRAGANA.fullmatch(word) else tuple(filter(None, fold_letters(word).split("-")))


@lru_cache(4096)
def _values_in(text: str, language: str) -> frozenset[Any]:
    """What is compared of a text."""
    dates = ((None, int(month), int(day)) for day, month in _SHORT_DATE.findall(text))
    return frozenset([*dates, *(value for token in tokens_of(text, language) for value in _values(token))])


def holds(asked: Asked, text: str, language: str) -> bool:
    """Whether a text, which is no question, holds all words that a question asks for, and an answer of its kinds."""
    return _holds_words(asked, text, language) and _says_kinds(asked, [text], language)


def _holds_words(asked: Asked, text: str, language: str) -> bool:
    if len(asked.values) < FEWEST_ASKED or asks(text):
        return False
    if asked.is_denied and not any(token.kind == "denial" for token in tokens_of(text, language)):
        return False
    held = _values_in(text, language)
    return all(_is_held(value, held, language) for value in asked.values - held)


def _says_kinds(asked: Asked, texts: Iterable[str], language: str) -> bool:
    """Whether those of these texts that share most words with a question say what it asks for, and don't deny it."""
    shared = {text: len(_shared(asked, tokens_of(text, language))) for text in texts}
    near = [text for text, count in shared.items() if count == max(shared.values())]
    if asked.is_open and not asked.is_denied:
        near = [text for text in near if not _denies(asked, text, language)]
    return bool(near) and is_of_kinds(asked, " ".join(near), language)


def _shared(asked: Asked, tokens: Iterable[Token]) -> Set[Any]:
    return asked.values & {value for token in tokens for value in _values(token)}


def _denies(asked: Asked, text: str, language: str) -> bool:
    """Whether a text denies what is asked, in a clause with a word of it; "nobody" may say who, and "never" when."""
    why = compile_words("why_shown", language)
    shown = [shows for kind in asked.kinds if (shows := compile_words(f"{kind}_shown", language))]
    for part in why.split(text) if why else [text]:
        tokens = tokens_of(part, language)
        told = {token.clause for token in tokens if _shared(asked, [token])}
        denials = [token for token in tokens if token.kind == "denial" and token.clause in told]
        if any(not any(shows.fullmatch(token.text) for shows in shown) for token in denials):
            return True
    return False


def answers(question: str, quote: str) -> bool:
    """Whether a quote, without what it asks itself, holds all that a question asks for, as can be told in its language.

    Its nearest sentences must say what is asked (`_says_kinds`). Of a message one sentence must hold it all, and more
    of it than the name of who says it.
    """
    speaker = LABEL.match(quote)
    label = speaker[1] if speaker else ""
    told = [quote[start:end] for start, end in sentence_spans(quote) if not asks(quote[start:end])]
    for language in dict.fromkeys([language_of(quote), *filter(None, [certain_language([question])])]):
        asked = read_question(question, language)
        named = {value for token in tokens_of(label, language) for value in _values(token)}
        if len(asked.values - named) >= FEWEST_ASKED and _can_tell(asked, language):
            texts = [[f"{label}: {LABEL.sub('', text, count=1)}"] for text in told] if label else [told]
            if any(
                _holds_words(asked, " ".join(each), language) and _says_kinds(asked, each, language) for each in texts
            ):
                quoted = " ".join(told)
                return language != DEFAULT or not (
                    _leaves_doer_open(question, quoted) or _is_of_another_time(question, quoted)
                )
    return False


def _leaves_doer_open(question: str, text: str) -> bool:
    """Whether it is asked in English who did something, and told without who did: "Who hired Ann?", "Ann was hired"."""
    forms = cue_words("passive", DEFAULT)
    deed = re.match(r"\W*who (\w+)", question, re.IGNORECASE)
    if not deed or deed[1].lower() in forms or re.search(r"\bby\b", text):
        return False
    done = re.findall(rf"\b(?:{'|'.join(forms)}) (?:\w+ly )?(\w+)", text)
    return stem(deed[1].lower(), DEFAULT) in {stem(word.lower(), DEFAULT) for word in done}


def _is_of_another_time(question: str, text: str) -> bool:
    """Whether it is asked in English what will be, and told what was; or when something was, and told what will be."""
    if future := re.match(r"\W*(?:wh\w+|how)(?: \w+){0,2}? (?:will|shall)\b(.*)", question, re.IGNORECASE):
        deeds = "|".join(map(re.escape, re.findall(r"\w{2,}", future[1])))
        happens = re.search(rf"\b(?:{deeds})e?s\b", text, re.IGNORECASE)
        return not (happens or _TO_COME.search(text) or _PRESENT.search(text))
    return bool(re.match(r"\W*when (?:did|was|were)\b", question, re.IGNORECASE) and _TO_COME.search(text))


def _can_tell(asked: Asked, language: str) -> bool:
    """Whether it is known in this language what asks, and what shows the kinds that are asked for."""
    return language in _listed()["what"] and all(compile_words(f"{kind}_shown", language) for kind in asked.kinds)


def _is_held(value: Any, held: Set[Any], language: str) -> bool:
    """Whether a value that is not among those of a text is held by one of them."""
    if isinstance(value, str):
        is_part = language in _COMPOUNDING and len(value) >= SHORTEST_PART
        return is_part and any(
            isinstance(other, str) and (other.startswith(value) or other.endswith(value)) for other in held
        )
    same_length = (other for other in held if isinstance(other, tuple) and len(other) == len(value))
    if isinstance(value[1], str):  # a number, its unit and that unit's size
        return any(other[0] == value[0] and not value[1] for other in same_length if isinstance(other[1], str))
    return any(all(one in (None, two) for one, two in zip(value, other, strict=True)) for other in same_length)


def asks(text: str) -> bool:
    """Whether a text asks something, by its marks."""
    return ("?" in text or not text.isascii()) and bool(_ASKS.search(text))


def asks_without_mark(text: str, language: str) -> bool:
    """Whether a message asks something though it ends without a mark, as in a chat: "what time do we meet"."""
    said = text.strip()
    if re.search(r"[.,;:!…]", said):
        return False
    begins = compile_words("yes_or_no", language)
    return bool(begins and begins.match(said)) or any(not start for start, _ in _find_asking(said, language))


def is_of_kinds(asked: Asked, text: str, language: str, besides: Kind | None = None) -> bool:
    """Whether a text may answer: names somebody where it is asked who, a time where it is asked when.

    True where it can't be told, as in languages without a list of such words. `besides`: a kind that doesn't matter.
    """
    return all(_is_of_kind(kind, asked, text, language) for kind in asked.kinds if kind != besides)


@lru_cache(4096)
def _is_of_kind(kind: Kind, asked: Asked, text: str, language: str) -> bool:
    if not (shown := compile_words(f"{kind}_shown", language)):
        return True
    if kind == "why":
        return bool(shown.search(text))
    if kind == "when":
        return bool(shown.search(_without_durations(text, language))) or _has_time(text, language)
    times = compile_words("when_shown", language)
    timeless = times.sub("0", text) if times else text
    if kind == "where":
        return any(not re.match(r"(?: the| a)? \d", timeless[place.end() :]) for place in shown.finditer(timeless))
    if kind == "number":
        amounts = (token for token in tokens_of(text, language) if token.kind != "date")
        new = [token for token in amounts if asked.values.isdisjoint(_values(token))]
        return bool(shown.search(text)) or any(token.kind == "number" or re.search(r"\d", token.text) for token in new)
    places = compile_words("placed", language) if kind == "who" else None  # a name behind "in" is that of a place
    looked_at = places.sub("0", timeless) if places else timeless
    new = [token for token in tokens_of(looked_at, language) if asked.values.isdisjoint(_values(token))]
    capital = any(token.kind == "word" and token.first and token.text[0].isupper() for token in new)
    return capital or any(token.kind == "name" for token in new) or bool(shown.search(timeless))


def _without_durations(text: str, language: str) -> str:
    """A text without how long something takes: "for five weeks", "eleven minutes more", and not "in five weeks"."""
    before, lasting = "", compile_words("lasting", language)
    for token in tokens_of(text, language):
        if (
            token.kind == "number"
            and token.value[1:2] == ("time",)
            and (not before or (lasting and lasting.fullmatch(before)))
        ):
            text = text.replace(token.text, " ")
        if token.kind != "hedge":
            before = token.text if token.kind == "small" else ""
    return text


def _has_time(text: str, language: str) -> bool:
    tokens, months = tokens_of(text, language), month_names(language)
    return any(token.kind == "date" or fold_month_name(token.text) in months for token in tokens)

"""What rules can say of a sentence beside one of a text: it says the same, or another thing in one place, or neither.

It says the same if all its parts are equal to the other's. It contradicts the other if all are equal but for one value,
or one denial, in a sentence that tells of one certain thing. All else is left open: shared words alone decide nothing.

A sentence is cut into all that it is made of (`account`), so that nothing of it is overlooked; two sentences are the
same if each part of one is equal to the part in its place in the other. What no rule here covers is not equal.

- Marks: how quotation marks, apostrophes and dashes are drawn, emphasis, the marks of notes, bullets, the full stop at
  the end and behind a title or an initial, and a comma before "and" don't count. All others do: < and >, %, brackets.
- Case doesn't count, but "US" is not "us", "mW" not "MW", and "x" not "X".
- Contractions are what they stand for if that is certain: "they're", "didn't", "can't"; not "it's" or "she'd".
- Spelling: "colour" is "color".
- Numbers are equal if their values, signs, units and currencies are, in digits or in words; 2.10 is not 2.1, and no
  unit is converted but of time: 90 minutes are 1.5 hours.
- Times: "7:30 am" is 07:30; 7:30 without "am" may be another one.
- Dates are equal if they are as exact; "3/4/2020" is equal to itself alone.
- A date may stand at either end of a sentence that is simple: no other clause, no doubt, only plain little words.

Two values can't both hold (`excludes`) if they are of one kind and as exact, and neither may be the other one rounded.
"""

import math
import re
from collections.abc import Sequence, Set
from itertools import pairwise
from typing import Literal, NamedTuple

from typing_extensions import TypedDict

from readgraph.language.tokens import (
    TITLES,
    SlotKind,
    Token,
    cue_words,
    cut_tokens,
    fold_letters,
    fold_spelling,
    has_scale,
    is_past,
    knows_denials,
    readings,
)

_CHARACTERS = str.maketrans(
    dict.fromkeys("’ʼ‘‛`´", "'")
    | dict.fromkeys("“”„‟«»", '"')
    | dict.fromkeys("‐‑", "-")
    | dict.fromkeys("—―", "–")
    | dict.fromkeys("\u00ad\u200b\u200c\u2060\ufeff")
    | {"…": "..."}
)
_NOTE = re.compile(r"(?<=\S)(?:(?<!\b\w)\[[1-9]\d{0,2}\]| ?\[\^[\w-]{1,12}\])")  # "a[1]" and "list[0]" are no notes
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=[^\s*_])|(?<=[^\s*_])[*_]{1,3}(?![\w*])")
LEADING = re.compile(r"^(?:\s|[:*•‣◦-](?=\s)|>(?!\s*\d)|\[[ xX]\]\s|#{1,6}\s|\(?(?:\d{1,3}|[a-z])[.)]\s)+")
"""What stands before a sentence in an entry of a list, a block quote or a heading; not "-5" or "> 5"."""

_ENDS = frozenset(".!。！")
_AND = frozenset("and or und oder et ou y e o en of".split())
_DECIMALS = re.compile(r"\d+[.,](\d{1,2})")  # without a unit: 2.10 may name a part or a version, which 2.1 doesn't
_UNIT = re.compile(r"(?![ap]m$)[kmgtpµn]?(?:[gmswvajnblt]|hz|pa|ev|wh|bps|mol)", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d)( am or pm)?)?")


def fold_characters(text: str) -> str:
    """The text with one form for marks that are drawn in several ways."""
    return text.translate(_CHARACTERS)


def account(sentence: str, language: str) -> tuple[Token, ...]:
    """All parts of a sentence that count."""
    bare = _EMPHASIS.sub("", _NOTE.sub("", fold_characters(LEADING.sub("", sentence))))
    tokens = cut_tokens(bare, language)
    while tokens and tokens[-1].text in _ENDS:
        tokens = tokens[:-1]
    behind = (*tokens[1:], *tokens[:1])
    kept = [
        token
        for before, token, after in zip((None, *tokens), tokens, behind, strict=False)
        if not (token.text == "." and before and (before.text.casefold() in TITLES or len(before.text) == 1))
        and not (token.text == "," and after.text.casefold() in _AND)
    ]
    return _with_date_behind(kept, language)


def _with_date_behind(tokens: Sequence[Token], language: str) -> tuple[Token, ...]:
    """The tokens of a simple sentence that begins with a date with that at the end: "In 2012, the mill made flour"."""
    before = cue_words("before_dates", language)
    end = next(
        (at for at, token in enumerate(tokens) if token.kind != "small" or token.value not in before), len(tokens)
    )
    if end >= len(tokens) or not isinstance(tokens[end].value, tuple) or tokens[end].kind != "date":
        return tuple(tokens)
    comma = end + 1 < len(tokens) and tokens[end + 1].text == ","
    rest = tokens[end + 1 + comma :]
    plain = before | cue_words("plain", language) | cue_words("light", language) | cue_words("passive", language)
    is_simple = rest and all(
        token.kind in ("name", "number")
        or (token.kind == "word" and not token.text.endswith("ing"))
        or (token.kind in ("small", "denial") and (token.kind == "denial" or token.value in plain))
        for token in rest
    )
    return (*rest, *tokens[: end + 1]) if is_simple else tuple(tokens)


def is_equal(ours: Token, theirs: Token) -> bool:
    """Whether two parts are the same by one of the rules."""
    if ours.text != theirs.text and _is_other_unit(ours.text.rpartition(" ")[2], theirs.text.rpartition(" ")[2]):
        return False
    if {"number", "date"} & {ours.kind, theirs.kind}:
        return (
            _is_same_value(ours, theirs)
            if ours.kind == theirs.kind
            else _is_count(ours, theirs) or _is_count(theirs, ours)
        )
    if len(ours.text) == 1 and ours.text != theirs.text and not {ours.kind, theirs.kind} <= {"small", "article"}:
        return False  # "x" and "X" are two variables
    is_same = ours.value == theirs.value and fold_spelling(_write(ours)) == fold_spelling(_write(theirs))
    return (is_same or _write(ours) == _write(theirs)) and _is_shouted(ours) == _is_shouted(theirs)


def _is_same_value(ours: Token, theirs: Token) -> bool:
    if ours.kind == "date" or isinstance(ours.value, str) or isinstance(theirs.value, str):
        return bool(ours.value == theirs.value)
    decimals = {len(match[1]) for token in (ours, theirs) if (match := _DECIMALS.fullmatch(token.text))}
    is_time = unit_of(ours) == unit_of(theirs) in ("time", "years")
    # the value, times how much its unit is where that is known: the first and the third, if there is one
    one, other = (math.prod(token.value[:: 2 if is_time else 3]) for token in (ours, theirs))
    same = (is_time or ours.value[1:] == theirs.value[1:]) and math.isclose(one, other, rel_tol=1e-9)
    return same and len(decimals) <= 1


def _is_count(year: Token, number: Token) -> bool:
    """Whether four digits that were taken for a year are a number that has a mark between its digits: "1,240 men"."""
    plain = year.kind == "date" and year.text.isdecimal() and number.kind == "number"
    return plain and bool(number.value[:2] == (float(year.text), ""))


def _write(token: Token) -> str:
    return token.text.casefold() if token.kind in ("word", "name", "mark", "break") else str(token.value)


def _is_other_unit(ours: str, theirs: str) -> bool:
    """Whether case alone tells two units apart, of which one may be many times the other: "mW" and "MW"."""
    differ = (one.casefold() for one, other in zip(ours, theirs, strict=False) if one != other)
    return ours.casefold() == theirs.casefold() and bool({*differ} & {*"mpb"}) and bool(_UNIT.fullmatch(ours))


def _is_shouted(token: Token) -> bool:
    """Whether small letters would be another word: "US"."""
    return len(token.text) in (2, 3) and token.text.isupper() and token.text.isalpha()


def excludes(ours: Token, theirs: Token) -> bool:
    """Whether two numbers or dates in the same place of a sentence can't both hold."""
    if ours.kind != theirs.kind or ours.kind not in ("number", "date") or may_be_one(ours, theirs):
        return False
    if isinstance(ours.value, str) or isinstance(theirs.value, str):
        return all(_CLOCK.fullmatch(str(token.value)) for token in (ours, theirs))
    if ours.kind == "date":
        shapes = [[part is None for part in token.value] for token in (ours, theirs)]
        return shapes[0] == shapes[1]
    digits = [re.sub(r"\D", "", token.text) for token in (ours, theirs)]
    one, other = ours.value[0], theirs.value[0]
    are_scaled = has_scale(ours) and has_scale(theirs) and abs(one) != abs(other)
    if ours.value[1:] != theirs.value[1:] or (digits[0] and digits[0] == digits[1] and not are_scaled):
        return False  # "3" and "3 million"
    return not (_is_rounded(one, other) or _is_rounded(other, one))


def may_be_one(ours: Token, theirs: Token) -> bool:
    """Whether two numbers or two dates may be one: without its month or unit, 9:00 of the evening, 1.200 for 1,200."""
    if ours.kind == "date":
        return _may_be_one_date(ours, theirs)
    both, units = (ours, theirs), [unit_of(ours), unit_of(theirs)]
    texts = [isinstance(each.value, str) for each in both]
    clocks = [_CLOCK.fullmatch(str(each.value if isinstance(each.value, str) else each.text)) for each in both]
    if any(texts) and all(clocks) and not any(units):
        one, other = ((int(clock[1]) % 12, clock[2] or "00") for clock in clocks if clock)  # "09:00" is no evening
        return one == other and any(clock[3] or not clock[2] or len(clock[1]) == 1 for clock in clocks if clock)
    if any(texts) or bool(units[0]) != bool(units[1]):
        is_share = {*units} == {"", "share"} and not any(texts)
        return not all(texts) and not (is_share and not _is_shifted(ours.value[0], theirs.value[0]))
    digits = [re.findall(r"\d+|[¼-¾⅐-⅞]", each.text) for each in both]
    if any(digits) and digits[0] == digits[1] and not all(units) and not all(map(has_scale, both)):
        return True
    return ours.value[1:] == theirs.value[1:] and bool(readings(ours) & readings(theirs))


def unit_of(token: Token) -> str:
    """What a number counts; "" for one without a unit, and for all else."""
    return "" if token.kind != "number" or isinstance(token.value, str) else str(token.value[1])


def _is_shifted(one: float, other: float) -> bool:
    """Whether only the place of the point differs, as in "25 %" and "0.25"."""
    shift = math.log10(one / other) if one * other > 0 else 0.5
    return one == other or math.isclose(shift, round(shift), abs_tol=1e-9)


def _may_be_one_date(ours: Token, theirs: Token) -> bool:
    """Whether what one date lacks may be what the other has; "3/4/2023" may be 4 March, and a Monday any date."""
    one, other = ours.value, theirs.value
    if not isinstance(one, str) and not isinstance(other, str):
        filled = ([*(each or None for each in value), None][:3] for value in (one, other))
        return all(first == second or None in (first, second) for first, second in zip(*filled, strict=True))
    short = len(ours.text) != len(theirs.text)  # "1914–18"
    figures = [re.findall(r"\d+", str(value)) for value in (one, other)]
    ours_told, theirs_told = ({int(each) % 100 if short else int(each) for each in side} for side in figures)
    if not (ours_told and theirs_told):
        return one == other or bool(ours_told or theirs_told)
    return ours_told <= theirs_told or theirs_told <= ours_told


def _is_rounded(one: float, other: float) -> bool:
    """Whether a number may be the other one rounded: 240 for 238, 1.5 for 1.53."""
    whole, _, decimals = f"{abs(one):.12g}".partition(".")
    unit = 10.0 ** (-len(decimals) if decimals else len(whole) - len(whole.rstrip("0")))
    return abs(one - other) < unit / 2


Verdict = Literal["supported", "contradicted", "not found", "not decided"]
"""`not found`: no passage is near. `not decided`: one is, but rules can't tell, and no model was asked or could."""

DifferenceKind = Literal["number", "date", "name", "who", "negation", "quote", "source", "place", "meaning"]


class Difference(TypedDict):
    """What differs: as the draft has it, and as the text has it."""

    kind: DifferenceKind
    draft: str
    text: str


LONGEST_COMPARED = 4000  # characters of a sentence
FEWEST_TELLING = 4  # words of a sentence that tells of one certain thing; with a name, a number or a date
FEWEST_BESIDE = 2  # words beside that are enough
LONGEST_NAME = 4  # words
_ORDINALS = (".", "º", "ª", "°")  # behind a number within a sentence: "im 19. Jahrhundert"
_BOUNDS = frozenset("<>≤≥≈~±=?/+*")
_ARTICLES = (["a"], ["an"], ["ein"], ["eine"], ["einen"])
_ONLY = frozenset(("n", "ne"))  # French, which denies little by itself

SLOTS: tuple[SlotKind, ...] = ("number", "date", "name")


class Comparison(NamedTuple):
    """What rules say of a sentence beside another: a verdict or None, the one difference, what the other lacks.

    There may be a difference without a verdict: of two names both may be true. `shared`: the share of its words and
    slots that the other has; `has_all_slots`: whether that has all its slots.
    """

    verdict: Verdict | None
    differs: list[Difference]
    missing: list[str]
    shared: float
    has_all_slots: bool = True


def compare_sentences(draft: str, text: str, language: str, names: Set[str] = frozenset()) -> Comparison:
    """Compare a sentence of a draft with one of a text. `names`: words that the text writes large everywhere."""
    if max(len(draft), len(text)) > LONGEST_COMPARED:
        return Comparison(None, [], [], 0.0)
    ours, theirs = ([with_name(token, names) for token in account(one, language)] for one in (draft, text))
    if is_all_equal(ours, theirs):
        return Comparison("supported", [], [], 1.0)
    values = {(token.kind in SLOTS, str(token.value)) for token in theirs}
    telling = [token for token in ours if token.kind in (*SLOTS, "word")]
    left = [token for token in telling if (token.kind in SLOTS, str(token.value)) not in values]
    shared = 1 - len(left) / max(len(telling), 1)
    difference, is_certain = _find_difference(ours, theirs, language)
    return Comparison(
        "contradicted" if is_certain else None,
        [difference] if difference else [],
        [token.text for token in left],
        shared,
        not any(token.kind in SLOTS for token in left),
    )


def is_all_equal(ours: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Whether two sentences have the same parts in the same order."""
    shouted = [all(not token.text[:1].islower() for token in side) for side in (ours, theirs)]
    if any(shouted):  # all of it in capitals
        ours, theirs = ([token._replace(text=token.text.casefold()) for token in side] for side in (ours, theirs))
    return bool(ours) and len(ours) == len(theirs) and all(map(is_equal, ours, theirs))


def with_name(token: Token, names: Set[str]) -> Token:
    """The token as a name, where it begins a sentence and is one of these names."""
    is_name = token.first and token.kind == "word" and fold_letters(str(token.value)) in names
    return token._replace(kind="name", value=fold_letters(token.value)) if is_name else token


def trim_equal(ours: Sequence[Token], theirs: Sequence[Token]) -> tuple[int, Sequence[Token], Sequence[Token]]:
    """Where two sentences begin to differ, and what stands there in each, up to where they are the same again."""
    begin = next(
        (at for at, pair in enumerate(zip(ours, theirs, strict=False)) if not is_equal(*pair)),
        min(len(ours), len(theirs)),
    )
    one, other = ours[begin:], theirs[begin:]
    end = next(
        (at for at, pair in enumerate(zip(reversed(one), reversed(other), strict=False)) if not is_equal(*pair)),
        min(len(one), len(other)),
    )
    return begin, one[: len(one) - end], other[: len(other) - end]


def _find_difference(ours: Sequence[Token], theirs: Sequence[Token], language: str) -> tuple[Difference | None, bool]:
    """The one place in which two sentences differ, if it is one, and whether they can't both be true."""
    begin, one, other = trim_equal(ours, theirs)
    frame, indefinite = [*ours[:begin], *ours[begin + len(one) :]], cue_words("indefinite", language)
    if _denies(one, other) or _denies(other, one):
        denials = ([token for token in side if token.kind == "denial"] for side in (one, other))
        difference = Difference(kind="negation", draft=_text(next(denials)), text=_text(next(denials)))
        is_open = any(token.text.casefold() in indefinite for token in frame)
        is_open |= any(token.kind == "number" for token in ours[:begin])  # "20 % are not": others are
        return difference, _is_certain(frame, language) and not is_open
    if len(one) == len(other) == 1 and one[0].kind == other[0].kind and one[0].kind in ("number", "date"):
        is_open = _is_label(ours, begin) or _is_bound(ours, begin, language)
        is_open |= any(token.value in indefinite for token in ours[:2])  # "a man of 30"
        is_open |= one[0].kind == "date" and _counts(theirs)  # 34 men, but in each of two years
        certain = not is_open and excludes(one[0], other[0]) and _is_certain(frame, language)
        return Difference(kind=one[0].kind, draft=_text(one), text=_text(other)), certain
    if all(0 < len(side) <= LONGEST_NAME and all(token.kind == "name" for token in side) for side in (one, other)):
        return Difference(kind="name", draft=_text(one), text=_text(other)), False
    return None, False


def _denies(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether what stands in one place is what stands there in the other, denied: "no" for "a", "ne … pas" for ""."""
    denials = {str(token.value) for token in one if token.kind == "denial"}
    if denials <= _ONLY or any(token.kind == "denial" for token in other):
        return False
    left = [token for token in one if token.kind != "denial"]
    if not left and [token.value for token in other] in _ARTICLES:
        return True
    if len(left) == 2 and len(other) == 1:
        return _is_form(left[0], left[1], other[0])
    return len(left) == len(other) and all(map(is_equal, left, other))


def _is_form(do: Token, verb: Token, other: Token) -> bool:
    """Whether "lit" is what "did … light" denies, and "lights" what "does … light" does."""
    in_s = other.text.endswith("s")
    past = do.value == "did" and other.text != verb.text and not in_s and not other.text.endswith("ing")
    return other.kind == "word" and other.value == verb.value and (past or (do.value == "does" and in_s))


def _counts(tokens: Sequence[Token]) -> bool:
    """Whether a sentence has a number, or four digits that may be one: "1350 people"."""
    digits = (one.text.isdecimal() and other.kind in ("word", "name") for one, other in pairwise(tokens))
    return any(token.kind == "number" for token in tokens) or any(digits)


def _is_label(tokens: Sequence[Token], at: int) -> bool:
    """Whether a number may only say which one is meant: "bus 7", "on page 45", "type 2 diabetes", "the 2nd edition"."""
    behind = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if tokens[at].kind == "number" and (tokens[at].value[1] == "ordinal" or behind in _ORDINALS):
        return True
    if tokens[at].kind != "number" or tokens[at].value[1] != "" or not at:
        return False
    before, counts = tokens[at - 1], at + 1 < len(tokens) and tokens[at + 1].kind in ("word", "name")
    return before.kind == "name" or (before.kind == "word" and not (counts and is_past(before.text)))


def _is_bound(tokens: Sequence[Token], at: int, language: str) -> bool:
    """Whether a date is only an end of the time that is meant: "since 1960", "by 1985"."""
    before = tokens[at - 1] if at else None
    is_plain = before is None or before.kind == "break" or before.value in cue_words("before_dates", language)
    return tokens[at].kind == "date" and not is_plain


def _is_certain(frame: Sequence[Token], language: str) -> bool:
    """Whether a sentence without the place that differs tells of one certain thing, and doubts nothing."""
    groups = ("pronouns", "also", "relations")
    doubtful = _BOUNDS.union(*(cue_words(group, language) for group in groups))
    telling = [token.kind for token in frame if token.kind in (*SLOTS, "word")]
    named = len(telling) > FEWEST_BESIDE and {*telling} != {"word"}
    is_plain = not any(token.kind == "hedge" or token.value in doubtful for token in frame)
    return (named or len(telling) >= FEWEST_TELLING) and is_plain and knows_denials(language)


def _text(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)

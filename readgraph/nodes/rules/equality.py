"""When what a draft says and what a text says is the same: the rules by their names, and no other.

A sentence is cut into all that it is made of (`account`), so that nothing of it is overlooked; two sentences are the
same if each part of one is equal to the part in its place in the other. What no rule here covers is not equal.

- Marks: how quotation marks, apostrophes and dashes are drawn, emphasis, the marks of notes, bullets, the full stop at
  the end and behind a title or an initial, and a comma before "and" don't count. All others do: < and >, %, brackets.
- Case doesn't count, but "US" is not "us".
- Contractions are what they stand for if that is certain: "they're", "didn't", "can't"; not "it's" or "she'd".
- Numbers are equal if their values, signs, units and currencies are, in digits or in words; 2.10 is not 2.1, and no
  unit is converted.
- Times: "7:30 am" is 07:30; 7:30 without "am" may be another one.
- Dates are equal if they are as exact; "3/4/2020" is equal to itself alone.
- A date may stand at either end of a sentence that is simple: no other clause, no doubt, only plain little words.

Two values can't both hold (`excludes`) if they are of one kind and as exact, and neither may be the other one rounded.
"""

import math
import re
from collections.abc import Sequence

from readgraph.nodes.rules.tokens import TITLES, Token, cue_words, cut_tokens

_CHARACTERS = str.maketrans(
    dict.fromkeys("’ʼ‘‛`´", "'")
    | dict.fromkeys("“”„‟«»", '"')
    | dict.fromkeys("‐‑", "-")
    | dict.fromkeys("—―", "–")
    | dict.fromkeys("\u00ad\u200b\u200c\u2060\ufeff")
    | {"…": "..."}
)
_NOTE = re.compile(r"(?<=\S)(?:\[\^?\d{1,3}\]|\[\^[\w-]{1,12}\])")
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=[^\s*_])|(?<=[^\s*_])[*_]{1,3}(?![\w*])")
LEADING = re.compile(r"^(?:\s|[:*•‣◦-](?=\s)|>(?!\s*\d)|\[[ xX]\]\s|#{1,6}\s|\(?(?:\d{1,3}|[a-z])[.)]\s)+")
"""What stands before a sentence in an entry of a list, a block quote or a heading; not "-5" or "> 5"."""

_ENDS = frozenset(".!。！")
_AND = frozenset("and or und oder et ou y e o en of".split())
_DECIMALS = re.compile(r"\d+[.,](\d{1,2})")  # without a unit: 2.10 may name a part or a version, which 2.1 doesn't
_TIME = re.compile(r"(\d{1,2}):(\d\d)")


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
    if {"number", "date"} & {ours.kind, theirs.kind}:
        return (
            _is_same_value(ours, theirs)
            if ours.kind == theirs.kind
            else _is_count(ours, theirs) or _is_count(theirs, ours)
        )
    return _write(ours) == _write(theirs) and _is_shouted(ours) == _is_shouted(theirs)


def _is_same_value(ours: Token, theirs: Token) -> bool:
    if ours.kind == "date" or isinstance(ours.value, str) or isinstance(theirs.value, str):
        return bool(ours.value == theirs.value)
    decimals = {len(match[1]) for token in (ours, theirs) if (match := _DECIMALS.fullmatch(token.text))}
    same = ours.value[1:] == theirs.value[1:] and math.isclose(ours.value[0], theirs.value[0], rel_tol=1e-9)
    return same and len(decimals) <= 1


def _is_count(year: Token, number: Token) -> bool:
    """Whether four digits that were taken for a year are a number that has a mark between its digits: "1,240 men"."""
    plain = year.kind == "date" and year.text.isdecimal() and number.kind == "number"
    return plain and bool(number.value == (float(year.text), "", 1))


def _write(token: Token) -> str:
    return token.text.casefold() if token.kind in ("word", "name", "mark", "break") else str(token.value)


def _is_shouted(token: Token) -> bool:
    """Whether small letters would be another word: "US"."""
    return len(token.text) in (2, 3) and token.text.isupper() and token.text.isalpha()


def excludes(ours: Token, theirs: Token) -> bool:
    """Whether two numbers or dates in the same place of a sentence can't both hold."""
    if ours.kind != theirs.kind or ours.kind not in ("number", "date"):
        return False
    if isinstance(ours.value, str) or isinstance(theirs.value, str):
        times = [_TIME.fullmatch(str(token.value)) for token in (ours, theirs)]
        clock = [(int(time[1]) % 12, time[2]) for time in times if time]
        return len(clock) == 2 and clock[0] != clock[1]
    if ours.kind == "date":
        shapes = [[part is None for part in token.value] for token in (ours, theirs)]
        return shapes[0] == shapes[1] and bool(ours.value != theirs.value)
    digits = [re.sub(r"\D", "", token.text) for token in (ours, theirs)]
    one, other = ours.value[0], theirs.value[0]
    if ours.value[1:] != theirs.value[1:] or (digits[0] and digits[0] == digits[1]):  # "1.234" and "1,234"
        return False
    return not (_is_rounded(one, other) or _is_rounded(other, one))


def _is_rounded(one: float, other: float) -> bool:
    """Whether a number may be the other one rounded: 240 for 238, 1.5 for 1.53."""
    whole, _, decimals = f"{abs(one):.12g}".partition(".")
    unit = 10.0 ** (-len(decimals) if decimals else len(whole) - len(whole.rstrip("0")))
    return abs(one - other) < unit / 2

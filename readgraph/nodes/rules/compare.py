"""What rules can say of a sentence beside one of a text: it says the same, or another thing in one place, or neither.

It says the same if all its parts are equal to the other's (see `equality`). It contradicts the other if all are equal
but for one value, or one denial, in a sentence that tells of one certain thing. All else is left open: shared words
alone decide nothing.
"""

from collections.abc import Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from readgraph.nodes.rules.equality import account, excludes, is_equal
from readgraph.nodes.rules.tokens import Token, cue_words, fold_letters, is_past, knows_denials
from readgraph.state.differences import Difference, SlotKind, Verdict

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
    if _is_all_equal(ours, theirs):
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


def _is_all_equal(ours: Sequence[Token], theirs: Sequence[Token]) -> bool:
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

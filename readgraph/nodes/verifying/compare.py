"""What rules can say of a sentence beside one of a text: it says the same, or another thing in one place, or neither.

Both are cut into words, numbers with their units, dates and names. Where all else agrees and one of these differs, or
one denies what the other says, they contradict each other. Where a sentence follows from the text's (see `following`),
it is supported. All else is left open: shared words alone decide nothing.
"""

import math
import re
from collections.abc import Sequence, Set
from difflib import SequenceMatcher
from typing import NamedTuple

from readgraph.nodes.verifying.following import (
    begins_with_version,
    has_same_value,
    has_two_units,
    is_part,
    is_plain,
    is_same_text,
    is_written_alike,
    says_as_much,
)
from readgraph.nodes.verifying.tokens import QUOTE_MARK, Token, cue_words, fold_letters, knows_denials, tokens_of
from readgraph.state.verifying import Difference, SlotKind, Verdict

NEAR = 0.01  # how far apart numbers of two units may be, as a share
_END_OF_NUMBER = re.compile(r"(?:[.,](\d{1,2}))?\s*([^\d\s]*)$")
FEWEST_SHARED = 2  # words or slots that two such sentences share at least


class Comparison(NamedTuple):
    """What rules say of a sentence beside another: a verdict or None, the one difference, what the other lacks.

    `shared`: the share of its words and slots that the other has; `has_all_slots`: whether that has all its slots;
    `alike`: whether both are the same but for that slot.
    """

    verdict: Verdict | None
    differs: list[Difference]
    missing: list[str]
    shared: float
    has_all_slots: bool = True
    alike: bool = False


SLOTS: tuple[SlotKind, ...] = ("number", "date", "name")


def compare_sentences(said: str, text: str, language: str, names: Set[str] = frozenset()) -> Comparison:
    """Compare a sentence that is `said` with one of a text. `names`: words that the text writes large everywhere."""
    ours, theirs = _tokens_of_both(said, text, language, names)
    pairs, telling = _match(ours, theirs), _telling(ours)
    holds = not text.rstrip().endswith("?") and bool(QUOTE_MARK.match(text)) <= bool(QUOTE_MARK.search(said))
    if holds and (
        is_same_text(ours, theirs) or (len(telling) >= FEWEST_SHARED and _says_so(ours, theirs, text, language))
    ):
        return Comparison("supported", [], [], 1.0)
    left = [number for number in telling if number not in pairs]
    missing = [ours[number].text for number in left]
    shared = 1 - len(left) / max(len(telling), 1)
    lacks = any(ours[number].kind in SLOTS for number in left)
    if difference := _find_difference(ours, theirs, pairs, left, language):
        unpaired = [token for number, token in enumerate(ours) if number not in pairs]
        alike = len(ours) == len(theirs) and all(token.kind in SLOTS for token in unpaired)
        return Comparison("contradicted", [difference], missing, shared, not lacks, alike)
    return Comparison(None, [], missing, shared, not lacks)


def _tokens_of_both(said: str, text: str, language: str, names: Set[str]) -> tuple[list[Token], list[Token]]:
    ours, theirs = ([_with_names(each, names) for each in tokens_of(one, language)] for one in (said, text))
    return _with_numbers(ours, theirs, language), _with_numbers(theirs, ours, language)


def _says_so(ours: Sequence[Token], theirs: Sequence[Token], text: str, language: str) -> bool:
    """Whether what is said follows from the text."""
    leaves_out = is_plain(theirs, language) and not QUOTE_MARK.search(text)
    return knows_denials(language) and is_part(ours, theirs, language, is_written_alike, leaves_out=leaves_out)


def _telling(tokens: Sequence[Token]) -> list[int]:
    """Where the slots and the words that tell something stand."""
    return [at for at, token in enumerate(tokens) if token.kind in (*SLOTS, "word")]


def _with_names(token: Token, names: Set[str]) -> Token:
    known = token.first and token.kind == "word" and fold_letters(token.value) in names
    return token._replace(kind="name", value=fold_letters(token.value)) if known else token


def _with_numbers(tokens: Sequence[Token], others: Sequence[Token], language: str) -> list[Token]:
    """The tokens, a year as a number where it stands behind no "in" and the others have a number of that size."""
    is_like = any(each.kind == "number" and isinstance(each.value, tuple) and each.value[0] >= 1000 for each in others)
    years = {each.value for each in others if each.kind == "date"} if is_like else set()
    before = cue_words("before_dates", language)
    return [
        each._replace(kind="number", value=(float(each.value[0]), ""))
        if is_like and each.kind == "date" and each.text.isdecimal() and each.value not in years and word not in before
        else each
        for word, each in zip(["", *(each.value for each in tokens)], tokens, strict=False)
    ]


def _match(ours: Sequence[Token], theirs: Sequence[Token]) -> dict[int, int]:
    """For each token of ours that theirs have too, which one: those that stand in the same order first."""
    pairs = dict[int, int]()
    matcher = SequenceMatcher(None, [str(each.value) for each in ours], [str(each.value) for each in theirs], False)
    for start, other, size in matcher.get_matching_blocks():
        pairs.update({start + step: other + step for step in range(size)})
    taken = {*pairs.values()}
    for number, token in enumerate(ours):
        if number not in pairs and token.kind not in ("small", "denial"):
            same = next((at for at, each in enumerate(theirs) if at not in taken and _is_same(token, each)), None)
            if same is not None:
                pairs[number] = same
                taken.add(same)
    return pairs


def _is_same(ours: Token, theirs: Token) -> bool:
    """Whether another token says at least what this one says, which may be a number without a unit."""
    if ours.kind == theirs.kind == "number" and ours.value[1:] == ("",) and isinstance(theirs.value, tuple):
        return math.isclose(ours.value[0], theirs.value[0], rel_tol=1e-6)
    return (
        says_as_much(theirs, ours) if ours.kind == theirs.kind in ("number", "date") else has_same_value(ours, theirs)
    )


def _conflicts(ours: Token, theirs: Token) -> bool:
    """Whether two slots of a kind can't both hold: numbers of one unit, dates that differ in a part, two names."""
    if ours.kind != theirs.kind or _is_same(ours, theirs) or _is_same(theirs, ours):
        return False
    if isinstance(ours.value, tuple) and isinstance(theirs.value, tuple):
        if ours.kind == "number":
            return bool(ours.value[1] == theirs.value[1])
        known = [pair for pair in zip(ours.value, theirs.value, strict=True) if None not in pair]
        return any(one != other for one, other in known)
    versions = sorted((f"{ours.value}.", f"{theirs.value}."), key=len)
    return type(ours.value) is type(theirs.value) and not versions[1].startswith(versions[0])  # 2.1 may be 2.1.0


def _find_difference(
    ours: Sequence[Token], theirs: Sequence[Token], pairs: dict[int, int], left: Sequence[int], language: str
) -> Difference | None:
    """The one thing in which two sentences differ that otherwise tell of the same; None where that isn't certain."""
    if difference := _find_denial(ours, theirs, language) or _find_exchange(ours, theirs, language):
        return difference
    differing = [at for at in left if ours[at].kind in SLOTS or (ours[at].first and not _is_light(ours[at], language))]
    slots = _join_names(ours, differing)
    if len(slots) != 1 or (there := _find_counterpart(ours, theirs, pairs, slots[0])) is None:
        return None
    one, other = _whole(ours, slots[0]), _whole(theirs, there)
    if not _may_contradict(ours, theirs, one, other, language):
        return None
    as_theirs = [*ours[: one.start], *theirs[other.start : other.stop], *ours[one.stop :]]
    if not _tells_of_the_same(as_theirs, theirs, language):
        return None
    kind = theirs[there].kind if ours[slots[0]].first else ours[slots[0]].kind
    return Difference(kind=kind, draft=_text(ours, one), text=_text(theirs, other))  # type: ignore[typeddict-item]


def _may_contradict(ours: Sequence[Token], theirs: Sequence[Token], one: slice, other: slice, language: str) -> bool:
    """Whether two slots that differ can't both hold: nothing denies them, and numbers and dates are as exact."""
    sides = ((ours, one), (theirs, other))
    denied = {token.clause for tokens in (ours, theirs) for token in tokens if token.kind == "denial"}
    if denied and any(tokens[at.start].clause in denied for tokens, at in sides):
        return False
    if ours[one.start].kind == "name":
        values = [{token.value for token in tokens[at]} for tokens, at in sides]
        return len(values[0] & values[1]) < FEWEST_SHARED  # "World War II", "Second World War"
    before = [tokens[at.start - 1 : at.start] for tokens, at in sides]
    if ours[one.start].kind == "date":
        neutral = cue_words("before_dates", language)
        words = ["".join(each.value for each in tokens if each.kind == "small") for tokens in before]
        return words[0] == words[1] or all(word in neutral for word in words)  # "since 1960", "in 1985"
    if ours[one.start].kind == "number":
        near = [token for tokens, at in sides for token in tokens[max(at.start - 2, 0) : at.start]]
        may_be = _is_rounded(ours[one.start], theirs[other.start]) or begins_with_version(ours[: one.start])
        return not may_be and not any(token.kind == "hedge" or token.value == "some" for token in near)
    return True


def _is_rounded(said: Token, told: Token) -> bool:
    """Whether a number may be the other one, told with fewer decimals or in another unit: 42 for 41.6."""
    if not isinstance(said.value, tuple) or not isinstance(told.value, tuple):
        return False
    (decimals, unit), (more, other) = (_END_OF_NUMBER.search(each.text).groups("") for each in (said, told))  # type: ignore[union-attr]
    apart = abs(said.value[0] - told.value[0])
    if len(decimals) < len(more) and apart < 1:
        return True
    return unit != other and (has_two_units(said) or has_two_units(told) or apart <= NEAR * abs(told.value[0]))


def _tells_of_the_same(ours: Sequence[Token], theirs: Sequence[Token], language: str) -> bool:
    """Whether one of two sentences has all that the other says, in whatever forms of its words."""
    one, other = ([token for token in each if not _is_light(token, language)] for each in (ours, theirs))
    if sum(token.kind in (*SLOTS, "word") for token in one) <= FEWEST_SHARED:
        return False
    return any(
        is_part(part, whole, language, has_same_value, leaves_out=is_plain(whole, language), goes_on=True)
        for part, whole in ((one, other), (other, one))
    )


def _is_light(token: Token, language: str) -> bool:
    """Whether a word comes and goes with a denial, or says that something holds now."""
    return bool({token.value, token.text.casefold()} & cue_words("light", language))


def _find_denial(ours: Sequence[Token], theirs: Sequence[Token], language: str) -> Difference | None:
    """That one sentence denies all that the other says; of what both deny, other things may be as true."""
    denials, hedges = (
        [[token for token in each if token.kind == kind] for each in (ours, theirs)] for kind in ("denial", "hedge")
    )
    doubts = [sorted(token.value for token in each) for each in hedges]
    if len(denials[0]) == len(denials[1]) or doubts[0] != doubts[1] or not knows_denials(language):
        return None
    bare = [
        [each for each in side if each.kind != "denial" and not _is_light(each, language)] for side in (ours, theirs)
    ]
    denied, told = bare if len(denials[0]) > len(denials[1]) else reversed(bare)
    one_denies = not all(denials)
    if not is_part(denied, told, language, has_same_value, leaves_out=one_denies and is_plain(told, language)):
        return None
    draft, text = (", ".join(token.text for token in each) for each in denials)
    return Difference(kind="negation", draft=draft, text=text)


def _join_names(tokens: Sequence[Token], slots: Sequence[int]) -> list[int]:
    """The slots, of names in a row ("Marta Lindqvist") only the first."""
    return [at for at in slots if not (tokens[at].kind == "name" and at - 1 in slots and tokens[at - 1].kind == "name")]


def _whole(tokens: Sequence[Token], at: int) -> slice:
    """Where a slot stands; of a name all its words."""
    start = end = at
    if tokens[at].kind == "name":
        while start and tokens[start - 1].kind == "name":
            start -= 1
        while end + 1 < len(tokens) and tokens[end + 1].kind == "name":
            end += 1
    return slice(start, end + 1)


def _text(tokens: Sequence[Token], where: slice) -> str:
    return " ".join(token.text for token in tokens[where])


def whole_names(sentence: str, language: str, names: Set[str]) -> list[str]:
    """The names in a sentence, as they stand."""
    tokens = [_with_names(each, names) for each in tokens_of(sentence, language)]
    named = [at for at, each in enumerate(tokens) if each.kind == "name"]
    return [_text(tokens, _whole(tokens, at)) for at in _join_names(tokens, named)]


def _find_counterpart(ours: Sequence[Token], theirs: Sequence[Token], pairs: dict[int, int], slot: int) -> int | None:
    """Their slot in the place of ours: beside the same words, or the only one of its kind that is left over."""
    token, left = ours[slot], [at for at in range(len(theirs)) if at not in pairs.values()]
    if token.first and token.kind == "word":  # it may be a name that nobody knows
        free = [at for at in left if theirs[at].first and theirs[at].kind == "name"]
    else:
        free = [at for at in left if _conflicts(token, theirs[at])]
    near = {pairs[slot + step] - step for step in (-1, 1) if slot + step in pairs}
    beside = [at for at in free if at in near]
    only = _join_names(theirs, free)
    return beside[0] if len(beside) == 1 else only[0] if len(only) == 1 else None


def _find_exchange(ours: Sequence[Token], theirs: Sequence[Token], language: str) -> Difference | None:
    """Two names that stand in each other's place in sentences that are the same otherwise."""
    if len(ours) != len(theirs):
        return None
    apart = [at for at in range(len(ours)) if ours[at].value != theirs[at].value]
    if len(apart) != 2 or any(ours[at].kind != "name" and not ours[at].first for at in apart):
        return None
    first, last = apart
    if all(token.value in cue_words("joins", language) for token in ours[first + 1 : last]):  # "France and Sweden"
        return None
    if (ours[first].value, ours[last].value) != (theirs[last].value, theirs[first].value):
        return None
    return Difference(kind="who", draft=ours[first].text, text=theirs[first].text)

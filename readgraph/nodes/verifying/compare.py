"""What rules can say of a sentence beside one of a text: it says the same, or another thing in one place, or neither.

Both are cut into words, numbers with their units, dates and names. Where all else agrees and one of these differs, or
one denies what the other says, they contradict each other. Where all of a sentence stands in the text's, in its order,
it is supported. All else is left open: shared words alone decide nothing.
"""

import math
from collections.abc import Sequence, Set
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, NamedTuple

from readgraph.nodes.verifying.tokens import JOINS, Token, cue_words, knows_denials, tokens_of
from readgraph.state.verifying import Difference, SlotKind, Verdict

VERB_SECOND = frozenset("de nl sv da nb nn".split())  # languages in which the subject follows a phrase that comes first
NEAR_ENOUGH = 0.8  # the share of a sentence's words that another has which says something else of the same thing
FEWEST_SHARED = 2  # words or slots that two such sentences share at least
ROUNDED = 0.1  # how far apart numbers may be where one sentence says "about"


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
    ours, theirs = ([_with_names(each, names) for each in tokens_of(one, language)] for one in (said, text))
    ours, theirs = _with_numbers(ours, theirs), _with_numbers(theirs, ours)
    asks = text.rstrip().endswith("?")
    if [token.value for token in ours] == [token.value for token in theirs] and not asks:
        return Comparison("supported", [], [], 1.0)
    pairs, telling = _match(ours, theirs), _telling(ours)
    left = [number for number in telling if number not in pairs]
    missing = [ours[number].text for number in left]
    shared = 1 - len(left) / max(len(telling), 1)
    lacks = any(ours[number].kind in SLOTS for number in left)
    if difference := _find_difference(ours, theirs, pairs, left, language):
        unpaired = [token for number, token in enumerate(ours) if number not in pairs]
        alike = len(ours) == len(theirs) and all(token.kind in SLOTS for token in unpaired)
        return Comparison("contradicted", [difference], missing, shared, not lacks, alike)
    if not left and not asks and knows_denials(language) and _says_same(ours, theirs, pairs, language):
        return Comparison("supported", [], [], 1.0)
    return Comparison(None, [], missing, shared, not lacks)


def _telling(tokens: Sequence[Token]) -> list[int]:
    """Where the slots and the words that tell something stand."""
    return [at for at, token in enumerate(tokens) if token.kind in (*SLOTS, "word")]


def _with_names(token: Token, names: Set[str]) -> Token:
    return token._replace(kind="name") if token.first and token.kind == "word" and token.value in names else token


def _with_numbers(tokens: Sequence[Token], others: Sequence[Token]) -> list[Token]:
    """The tokens, a year as a number where the others have no such year but a number of that size."""
    is_like = any(each.kind == "number" and isinstance(each.value, tuple) and each.value[0] >= 1000 for each in others)
    years = {each.value for each in others if each.kind == "date"}
    return [
        each._replace(kind="number", value=(float(each.value[0]), ""))
        if is_like and each.kind == "date" and each.value not in years and each.text.isdecimal()
        else each
        for each in tokens
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
    """Whether another token says at least what this one says."""
    if ours.kind == "number" and theirs.kind == "number" and isinstance(ours.value, tuple):
        if not isinstance(theirs.value, tuple):
            return False
        alike = ours.value[1] in (theirs.value[1], "")
        return alike and math.isclose(ours.value[0], theirs.value[0], rel_tol=1e-6)
    if ours.kind == "date" and theirs.kind == "date" and isinstance(ours.value, tuple):
        return isinstance(theirs.value, tuple) and all(
            known in (None, other) for known, other in zip(ours.value, theirs.value, strict=True)
        )
    return bool(ours.value == theirs.value)


def _conflicts(ours: Token, theirs: Token) -> bool:
    """Whether two slots of a kind can't both hold: numbers of one unit, dates that differ in a part, two names."""
    if ours.kind != theirs.kind or _is_same(ours, theirs) or _is_same(theirs, ours):
        return False
    if isinstance(ours.value, tuple) and isinstance(theirs.value, tuple):
        if ours.kind == "number":
            return bool(ours.value[1] == theirs.value[1])
        known = [pair for pair in zip(ours.value, theirs.value, strict=True) if None not in pair]
        return any(one != other for one, other in known)
    return type(ours.value) is type(theirs.value)


def _find_difference(
    ours: Sequence[Token], theirs: Sequence[Token], pairs: dict[int, int], left: Sequence[int], language: str
) -> Difference | None:
    """The one thing in which two sentences differ that otherwise tell of the same; None where that isn't certain."""
    if exchanged := _find_exchange(ours, theirs):
        return exchanged
    shared = [number for number in pairs if ours[number].kind in (*SLOTS, "word")]
    slots = [number for number in left if ours[number].kind in SLOTS or ours[number].first]
    words = sum(token.kind == "word" for token in ours)
    others = len(left) - len(slots)
    same_frame = len(ours) == len(theirs) and len(pairs) == len(ours) - 1 >= FEWEST_SHARED
    if not same_frame and (len(shared) < FEWEST_SHARED or others > (1 - NEAR_ENOUGH) * words):
        return None
    told = {theirs[there].clause for there in pairs.values()}  # "Ms Weber, not Mr Klein, chaired" denies nothing of her
    denies = [
        [token for token in each if token.kind == "denial" and (each is ours or token.clause in told)]
        for each in (ours, theirs)
    ]
    if len(denies[0]) != len(denies[1]):
        unpaired = [theirs[at] for at in {*_telling(theirs)} - {*pairs.values()}]
        hedges = [sorted(token.value for token in each if token.kind == "hedge") for each in (ours, theirs)]
        turned = any(token.value in cue_words("relations", language) for token in unpaired)  # "not until 1890"
        most = 0 if all(denies) else len(theirs) // 4
        near = len(unpaired) <= most and knows_denials(language) and hedges[0] == hedges[1] and not turned
        said, text = (", ".join(token.text for token in each) for each in denies)
        return Difference(kind="negation", draft=said, text=text) if not slots and not others and near else None
    slots = _join_names(ours, slots)
    theirs_named = [there for at, there in pairs.items() if ours[at].kind == "name"]
    if len(slots) != 1 or theirs_named != sorted(theirs_named):  # names in another order are a difference too
        return None
    if (there := _find_counterpart(ours, theirs, pairs, slots[0])) is None:
        return None
    one, other = ours[slots[0]], theirs[there]
    if one.kind == "number" and isinstance(one.value, tuple) and isinstance(other.value, tuple):
        rounded = any(token.kind == "hedge" for token in (*ours[slots[0] - 1 : slots[0]], *theirs[there - 1 : there]))
        if rounded and abs(one.value[0] - other.value[0]) <= ROUNDED * abs(other.value[0]):
            return None
    kind = other.kind if one.first else one.kind
    return Difference(kind=kind, draft=_whole(ours, slots[0]), text=_whole(theirs, there))  # type: ignore[typeddict-item]


def _join_names(tokens: Sequence[Token], slots: Sequence[int]) -> list[int]:
    """The slots, of names in a row ("Marta Lindqvist") only the first."""
    return [at for at in slots if not (tokens[at].kind == "name" and at - 1 in slots and tokens[at - 1].kind == "name")]


def _whole(tokens: Sequence[Token], at: int) -> str:
    """A slot as it stands; of a name all its words."""
    start = end = at
    if tokens[at].kind == "name":
        while start and tokens[start - 1].kind == "name":
            start -= 1
        while end + 1 < len(tokens) and tokens[end + 1].kind == "name":
            end += 1
    return " ".join(token.text for token in tokens[start : end + 1])


def whole_names(sentence: str, language: str, names: Set[str]) -> list[str]:
    """The names in a sentence, as they stand."""
    tokens = [_with_names(each, names) for each in tokens_of(sentence, language)]
    named = [at for at, each in enumerate(tokens) if each.kind == "name"]
    return [_whole(tokens, at) for at in _join_names(tokens, named)]


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


def _find_exchange(ours: Sequence[Token], theirs: Sequence[Token]) -> Difference | None:
    """Two names that stand in each other's place in sentences that are the same otherwise."""
    if len(ours) != len(theirs):
        return None
    apart = [at for at in range(len(ours)) if ours[at].value != theirs[at].value]
    if len(apart) != 2 or any(ours[at].kind != "name" and not ours[at].first for at in apart):
        return None
    first, last = apart
    if all(token.value in JOINS for token in ours[first + 1 : last]):  # "France and Sweden"
        return None
    if (ours[first].value, ours[last].value) != (theirs[last].value, theirs[first].value):
        return None
    return Difference(kind="who", draft=ours[first].text, text=theirs[first].text)


def _says_same(ours: Sequence[Token], theirs: Sequence[Token], pairs: dict[int, int], language: str) -> bool:
    """Whether theirs, which have all of our words and slots, say what ours say: in the same order, as surely."""
    after = any(
        each.value in cue_words("relations", language) for at, each in enumerate(theirs) if at not in pairs.values()
    )
    if after and any(token.kind == "denial" for token in theirs):
        return False  # "not until 1890" is another thing than "not"
    unsaid = {at for at, token in enumerate(theirs) if token.kind == "number" and at not in pairs.values()}
    left_out = {at + step for at in unsaid for step in (-1, 1, 2)}  # "about 8 %", "8 % more than"
    for kind in ("denial", "hedge"):
        said = sorted(token.value for at, token in enumerate(theirs) if token.kind == kind and at not in left_out)
        if sorted(token.value for token in ours if token.kind == kind) != said:
            return False
    telling = _telling(theirs)
    places = [telling.index(pairs[at]) for at in _telling(ours)]
    if len(places) < FEWEST_SHARED or _leaves_out_what_counts(theirs, {telling[place] for place in places}):
        return False
    others = {theirs[at].kind for number, at in enumerate(telling) if number not in places} - {"word"}
    if not _keeps_neighbours(ours, theirs, pairs, others):
        return False  # which of two dates belongs to what is said?
    if language in VERB_SECOND and _keeps_phrases(ours, theirs):
        return True
    drops = sum(after < before for before, after in pairwise(places))
    return not drops or (drops == 1 and places[-1] < places[0])  # a phrase may have moved from one end to the other


def _leaves_out_what_counts(theirs: Sequence[Token], said: Set[int]) -> bool:
    """Whether a sentence says more beside what was `said` of it, by which that may be another thing.

    A number ("two hours and ten minutes"), one date of several, a word before the end ("the king's son"), a name within
    what was said ("Emma's brother Paul"), names where several clauses were joined, and beside a denial anything ("never
    sells bread on Sundays").
    """
    clauses = {theirs[at].clause for at in said}
    out = [at for at in _telling(theirs) if at not in said and theirs[at].clause in clauses]
    denies = any(token.kind == "denial" and token.clause in clauses for token in theirs)
    within, dated = range(min(said), max(said)), any(theirs[at].kind == "date" for at in said)
    return any(
        denies
        or theirs[at].kind == "number"
        or (theirs[at].kind == "word" and at < max(said))
        or (theirs[at].kind == "date" and dated)
        or (theirs[at].kind == "name" and at in within)
        or ((theirs[at].kind == "name" or theirs[at].first) and len(clauses) > 1)
        for at in out
    )


def _keeps_phrases(ours: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Whether two sentences have the same words, each after the same article, and their names in the same order."""
    phrases, names = list[list[Any]](), list[list[Any]]()
    for tokens in (ours, theirs):
        after = [tokens[at - 1].value if at and tokens[at - 1].kind == "small" else "" for at in range(len(tokens))]
        said = [(word, each.value) for word, each in zip(after, tokens, strict=True) if each.kind != "small"]
        phrases.append(sorted(said, key=str))
        names.append([each.value for each in tokens if each.kind == "name"])
    both = {*names[0]} & {*names[1]}  # a noun may look like a name in one order alone
    return phrases[0] == phrases[1] and [n for n in names[0] if n in both] == [n for n in names[1] if n in both]


def _keeps_neighbours(ours: Sequence[Token], theirs: Sequence[Token], pairs: dict[int, int], kinds: Set[str]) -> bool:
    """Whether each slot of these kinds stands in theirs, within a clause, beside one that it stands beside in ours."""

    def find_beside(telling: Sequence[int], at: int) -> set[int]:
        place = telling.index(at)
        return {*telling[max(place - 1, 0) : place], *telling[place + 1 : place + 2]}

    told, telling = _telling(ours), _telling(theirs)
    for at, there in ((at, pairs[at]) for at in told if ours[at].kind in kinds):
        kept = {pairs[other] for other in find_beside(told, at)} & find_beside(telling, there)
        if all(theirs[other].clause != theirs[there].clause for other in kept):
            return False
    return True

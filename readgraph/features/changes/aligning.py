"""Which statements of two texts belong together: equal ones in their order, then those that are alike, or moved."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from operator import eq, itemgetter
from typing import Any, NamedTuple

from readgraph.features.changes.statements import Statement, fold_statement
from readgraph.language.compare import SLOTS
from readgraph.language.tokens import Token

ELSEWHERE, NEAR = 0.65, 0.25  # least likeness: of what stands in another place, and of what was reworded in its place
HELD = 0.6  # the share of a sentence that another one has which was joined with it, or from which it was split
OFTEN, RAREST, BESIDE = 40, 8, 4  # most statements with a part by which they are found; such parts; places around one
SECTION = 15  # statements that are near each other
LITTLE = {"article": 0.0, "link": 0.0, "label": 0.0, "small": 0.25, "hedge": 0.25, "mark": 0.25}
"""What little words count beside others."""

Sides = tuple[Sequence[Statement], Sequence[Statement]]
Place = tuple[int, int]


class Pair(NamedTuple):
    """Statements that belong together, by their numbers in two texts: of one text alone those removed or added."""

    earlier: tuple[int, ...]
    later: tuple[int, ...]
    equal: bool = False
    moved: bool = False


def likeness(one: Iterable[Token], other: Iterable[Token]) -> float:
    """The share of their words, numbers, dates and names that two statements have in common."""
    ours, theirs = _weigh(one), _weigh(other)
    return 2 * sum((ours & theirs).values()) / max(sum(ours.values()) + sum(theirs.values()), 0.25)


def _weigh(parts: Iterable[Token]) -> Counter[Any]:
    weights = Counter[Any]()
    for part in parts:
        weights[part.value] += LITTLE.get(part.kind, 1.0)  # type: ignore[assignment]
    return weights


def align(sides: Sides) -> list[Pair]:
    """All statements of two texts in pairs, in the order of the later text; removed ones where they would stand."""
    folded = [[fold_statement(each.text) for each in side] for side in sides]
    both = {*folded[0]} & {*folded[1]}  # whose parts need not be known
    ours, theirs = (
        [text if text in both else _key(each) for text, each in zip(texts, side, strict=True)]
        for texts, side in zip(folded, sides, strict=True)
    )
    blocks = SequenceMatcher(None, ours, theirs).get_matching_blocks()
    joined = {block.a + at: block.b + at for block in blocks for at in range(block.size)}
    places = defaultdict[Any, list[int]](list)
    for at in sorted({*range(len(theirs))}.difference(joined.values()), reverse=True):
        places[theirs[at]].append(at)
    joined |= {at: places[key].pop() for at, key in enumerate(ours) if at not in joined and places[key]}
    equal = {*joined}
    joined |= _join_alike(sides, joined)
    joined |= _join_left(sides, joined)
    pairs = [Pair((one,), (other,), one in equal) for one, other in joined.items()]
    return _in_order(_with_rest(_with_rest(pairs, sides, 0), sides, 1))


def _key(statement: Statement) -> object:
    """What statements have in common that say the same."""
    return tuple(part.value for part in statement.parts if part.kind != "article") or statement.text


def _find_places(sides: Sides, joined: Mapping[int, int]) -> tuple[dict[int, Place], dict[int, Place]]:
    """Of each statement that is left, the joined ones before it and behind it, by their numbers in the earlier text."""
    found = list[dict[int, Place]]()
    for side, known in zip(sides, ({one: one for one in joined}, {at: one for one, at in joined.items()}), strict=True):
        order = sorted(known)
        marks = [-1, *(known[at] for at in order), -1]
        left = ((at, bisect_left(order, at)) for at in range(len(side)) if at not in known)
        found.append({at: (marks[place], marks[place + 1]) for at, place in left})
    return found[0], found[1]


def _join_left(sides: Sides, joined: Mapping[int, int]) -> dict[int, int]:
    """As many that are left in the same place: where no value differs, it can't be told that they are others."""
    groups = defaultdict[Place, tuple[list[int], list[int]]](lambda: ([], []))
    for side, places in enumerate(_find_places(sides, joined)):
        for at, place in places.items():
            groups[place][side].append(at)
    same = [
        pair for ours, theirs in groups.values() if len(ours) == len(theirs) for pair in zip(ours, theirs, strict=True)
    ]
    return {one: other for one, other in same if _may_be_same(sides[0][one].parts, sides[1][other].parts, near=False)}


def _join_alike(sides: Sides, joined: Mapping[int, int]) -> dict[int, int]:
    """Statements that are left and are alike, the most alike first, and of these the nearest by their places."""
    ours, theirs = _find_places(sides, joined)
    index, beside = defaultdict[Any, list[int]](list), defaultdict[tuple[int, int], list[int]](list)
    for other, place in theirs.items():
        for value in _weigh(sides[1][other].parts):
            index[value].append(other)
        for of in enumerate(place):
            beside[of].append(other)
    scored = list[tuple[float, int, int, int]]()
    for one, place in ours.items():
        parts, expected = sides[0][one].parts, joined.get(place[0], -1) + one - place[0]
        lists = sorted((index[value] for value in _weigh(parts)), key=len)[:RAREST]
        near = {other for found in lists if len(found) <= OFTEN for other in found}
        for of in enumerate(place):
            at = bisect_left(beside[of], expected)
            near.update(beside[of][max(at - BESIDE, 0) : at + BESIDE + 1])
        for other in near:
            score, far = likeness(parts, sides[1][other].parts), abs(other - expected)
            in_place = any(map(eq, place, theirs[other]))
            is_same = in_place or _may_be_same(parts, sides[1][other].parts, far <= SECTION)
            if score >= (NEAR if in_place else ELSEWHERE) and is_same:
                scored.append((-score, far, one, other))
    found, taken = dict[int, int](), set[int]()
    for _, _, one, other in sorted(scored):
        if one not in found and other not in taken:
            found[one] = other
            taken.add(other)
    return found


def _may_be_same(ours: Sequence[Token], theirs: Sequence[Token], near: bool) -> bool:
    """Whether statements in two places may tell of the same: most of their numbers, dates and names are the same."""
    slots = [{part.value for part in side if part.kind in SLOTS} for side in (ours, theirs)]
    shared = len(slots[0] & slots[1])
    return max(map(len, slots)) - shared <= (shared if near else shared / 2)


def _with_rest(pairs: Sequence[Pair], sides: Sides, side: int) -> list[Pair]:
    """The pairs with what is left of one text: added, removed, or split off from a neighbour, or joined with it.

    Such a one has, for the most part, what the other text's statement has beyond its neighbour.
    """

    def weigh(of: int, numbers: Iterable[int]) -> Counter[Any]:
        return _weigh(part for number in numbers for part in sides[of][number].parts)

    by_number = {number: pair for pair in pairs for number in pair[:2][side]}
    for number in range(len(sides[side])):
        for beside in (number - 1, number + 1) if number not in by_number else ():
            pair, own = by_number.get(beside), weigh(side, [number])
            if pair and not pair.equal and pair[:2][1 - side]:
                beyond = weigh(1 - side, pair[:2][1 - side]) - weigh(side, pair[:2][side])
                if number not in by_number and sum((own & beyond).values()) >= HELD * sum(own.values()) > 0:
                    numbers = tuple(sorted((*pair[:2][side], number)))
                    grown = pair._replace(earlier=numbers) if side == 0 else pair._replace(later=numbers)
                    by_number |= dict.fromkeys(numbers, grown)
        by_number.setdefault(number, Pair((), (number,)) if side else Pair((number,), ()))
    return [*dict.fromkeys([*by_number.values(), *(pair for pair in pairs if not pair[:2][side])])]


def _in_order(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs in order, with those as moved that stand between others now."""
    both = sorted(pair for pair in pairs if pair.earlier and pair.later)
    blocks = SequenceMatcher(None, both, sorted(both, key=itemgetter(1)), False).get_matching_blocks()
    kept = {pair for block in blocks for pair in both[block.a : block.a + block.size]}
    places, before = dict[Pair, float](), -1
    for pair in sorted(pair for pair in pairs if pair.earlier):
        before = pair.later[0] if pair in kept else before
        places[pair] = before + 0.5 * (pair not in kept)
    ordered = sorted(pairs, key=lambda pair: places.get(pair, pair.later[0] if pair.later else 0))
    return [pair._replace(moved=bool(pair.earlier and pair.later) and pair not in kept) for pair in ordered]

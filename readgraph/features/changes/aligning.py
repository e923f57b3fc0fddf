"""Which statements of two texts belong together: equal ones in their order, then those that are alike, or moved."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import chain, takewhile
from typing import Any, NamedTuple

from readgraph.features.changes.statements import SLOTS, Part, Statement, fold_statement

LITTLE = 0.25  # what a little word counts beside a word, a number, a date or a name
ALIKE, ELSEWHERE, NEAR = 0.5, 0.65, 0.25  # least likeness: in the same place, in another one, of what was reworded
HELD = 0.6  # the share of a sentence that another one has which was joined with it, or from which it was split
OFTEN, RAREST, BESIDE = 40, 8, 2  # most statements with a part by which they are found; such parts; places around one
MOST_BETWEEN = 400  # pairs of statements between the same neighbours that are all looked at
SECTION = 15  # statements that are near each other
MOST_TIMES = 20  # from which on the same statements are told apart by their number

Sides = tuple[Sequence[Statement], Sequence[Statement]]
Place = tuple[list[int], list[int]]
"""Statements of both texts that may belong together, by their numbers."""


class Pair(NamedTuple):
    """Statements that belong together, by their numbers in two texts: of one text alone those removed or added."""

    earlier: tuple[int, ...]
    later: tuple[int, ...]
    equal: bool = False
    moved: bool = False


def weights_of(parts: Iterable[Part]) -> Counter[Any]:
    """How much each part of statements counts."""
    weights = Counter[Any]()
    for part in parts:
        weights[part.value] += {"article": 0.0, "small": LITTLE, "hedge": LITTLE, "mark": LITTLE}.get(part.kind, 1.0)  # type: ignore[assignment]
    return weights


def likeness(one: Iterable[Part], other: Iterable[Part]) -> float:
    """The share of their words, numbers, dates and names that two statements have in common."""
    ours, theirs = weights_of(one), weights_of(other)
    return 2 * sum((ours & theirs).values()) / max(sum(ours.values()) + sum(theirs.values()), LITTLE)


def align(sides: Sides) -> list[Pair]:
    """All statements of two texts in pairs, in the order of the earlier text, with what was added where it stands."""
    folded = [[fold_statement(each.text) for each in side] for side in sides]
    both = {*folded[0]} & {*folded[1]}  # whose parts need not be known
    keys = [
        [text if text in both else each.key for text, each in zip(texts, side, strict=True)]
        for texts, side in zip(folded, sides, strict=True)
    ]
    blocks = SequenceMatcher(None, *map(_tell_apart, keys), False).get_matching_blocks()
    joined = {block.a + at: block.b + at for block in blocks for at in range(block.size)}
    joined |= _join_equal(keys, joined)
    equal = {*joined}
    for least, in_place in ((ALIKE, True), (ELSEWHERE, False), (NEAR, True), (0.0, True)):
        taken = {*joined.values()}
        for ours, beside in [*_places(sides, joined)] if in_place else [_left(sides, joined)]:
            theirs = [at for at in beside if at not in taken]
            if least or len(ours) == len(theirs):  # of as many in the same place it can't be told that they are others
                found = _join_alike(sides, (ours, theirs), joined, least)
                joined |= found
                taken |= {*found.values()}
    pairs = [Pair((one,), (other,), one in equal) for one, other in joined.items()]
    return _mark_moved(_with_rest(_with_rest(pairs, sides, 0), sides, 1))


def _tell_apart(keys: Sequence[Any]) -> list[Any]:
    """The keys; of those that stand very often, each with its number, since to align these takes long."""
    times, seen = Counter(keys), Counter[Any]()
    numbered = list[Any]()
    for key in keys:
        seen[key] += 1
        numbered.append((key, seen[key]) if times[key] > MOST_TIMES else key)
    return numbered


def _join_equal(keys: Sequence[Sequence[Any]], joined: Mapping[int, int]) -> dict[int, int]:
    """Statements that stand in both texts, in other places."""
    places, taken = defaultdict[Any, list[int]](list), {*joined.values()}
    for at in range(len(keys[1]) - 1, -1, -1):
        places[keys[1][at]] += [] if at in taken else [at]
    left = (at for at in range(len(keys[0])) if at not in joined)
    return {at: places[keys[0][at]].pop() for at in left if places[keys[0][at]]}


def _left(sides: Sides, joined: Mapping[int, int]) -> Place:
    taken = {*joined.values()}
    return [at for at in range(len(sides[0])) if at not in joined], [
        at for at in range(len(sides[1])) if at not in taken
    ]


def _places(sides: Sides, joined: Mapping[int, int]) -> Iterator[Place]:
    """The statements that are left between two that are joined, and those left beside these in the other text."""
    free, end = {*_left(sides, joined)[1]}, len(sides[1])
    run = list[int]()
    for one in range(len(sides[0]) + 1):
        if one < len(sides[0]) and one not in joined:
            run.append(one)
        elif run:
            after, before = joined.get(run[0] - 1, -1), joined.get(one, end)
            behind = takewhile(free.__contains__, range(after + 1, end))
            yield run, sorted({*behind, *takewhile(free.__contains__, range(before - 1, -1, -1))})
            run = []


def _join_alike(sides: Sides, left: Place, joined: Mapping[int, int], least: float) -> dict[int, int]:
    """Statements of two lists that are alike, the most alike first, and of these the nearest by their places."""
    scored, before = list[tuple[float, int, int, int]](), sorted(joined)
    for one, near in _candidates(sides, left):
        at = bisect_left(before, one)
        expected = (joined[before[at - 1]] if at else -1) + 1
        for other in near:
            ours, theirs, far = sides[0][one].parts, sides[1][other].parts, abs(other - expected)
            score = likeness(ours, theirs)
            if score >= least and (least != ELSEWHERE or _is_same_case(ours, theirs, near=far <= SECTION)):
                scored.append((-score, far, one, other))
    found, taken = dict[int, int](), set[int]()
    for _, _, one, other in sorted(scored):
        if one not in found and other not in taken:
            found[one] = other
            taken.add(other)
    return found


def _is_same_case(ours: Sequence[Part], theirs: Sequence[Part], *, near: bool) -> bool:
    """Whether two statements in different places share most of their numbers, dates and names: others are of others."""
    slots = [{part.value for part in side if part.kind in SLOTS} for side in (ours, theirs)]
    shared = len(slots[0] & slots[1])
    return max(map(len, slots)) - shared <= (shared if near else shared / 2)


def _candidates(sides: Sides, left: Place) -> Iterator[tuple[int, set[int]]]:
    """For each statement those that may be alike: of few all, of many those with a rare part in common."""
    ours, theirs = left
    index, share = defaultdict[Any, list[int]](list), len(theirs) / max(len(ours), 1)
    few = len(ours) * len(theirs) <= MOST_BETWEEN
    for place, other in enumerate(() if few else theirs):
        for value in weights_of(sides[1][other].parts):
            index[value].append(place)
    for place, one in enumerate(ours):
        middle, near = int(place * share), {*range(len(theirs))} if few else set[int]()
        if not few:
            lists = sorted((index[value] for value in weights_of(sides[0][one].parts)), key=len)
            near = {at for found in lists[:RAREST] if len(found) <= OFTEN for at in found}
            near |= {*range(max(middle - BESIDE, 0), min(middle + BESIDE + 1, len(theirs)))}
        yield one, {theirs[at] for at in near}


def _with_rest(pairs: Sequence[Pair], sides: Sides, side: int) -> list[Pair]:
    """The pairs with statements of one text that belong to a neighbour: one was split into both, or joined; and others.

    Such a one has, for the most part, what the other text's statement has beyond its neighbour.
    """
    by_number = {number: pair for pair in pairs for number in pair[side]}
    for number in range(len(sides[side])):
        for beside in (number - 1, number + 1) if number not in by_number else ():
            pair = by_number.get(beside)
            if not pair or pair.equal or not pair[1 - side]:
                continue
            ours, theirs = (weights_of(_parts(sides[of], pair[of])) for of in (side, 1 - side))
            own = weights_of(sides[side][number].parts)
            if sum((own & (theirs - ours)).values()) >= HELD * sum(own.values()) > 0:
                numbers = tuple(sorted((*pair[side], number)))
                grown = pair._replace(**{("earlier", "later")[side]: numbers})
                by_number |= dict.fromkeys(numbers, grown)
                break
        if number not in by_number:
            by_number[number] = Pair((number,), ()) if side == 0 else Pair((), (number,))
    others = [pair for pair in pairs if not pair[side]]
    return [*dict.fromkeys([*by_number.values(), *others])]


def _parts(side: Sequence[Statement], numbers: Iterable[int]) -> Iterable[Part]:
    return chain.from_iterable(side[number].parts for number in numbers)


def _mark_moved(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs, with those as moved that don't stand in the order in which most of them do."""
    both = sorted(pair for pair in pairs if pair.earlier and pair.later)
    ends, links = list[int](), dict[int, int]()  # of the longest sequences that rise, by their lengths
    for place, pair in enumerate(both):
        at = bisect_left(ends, pair.later, key=lambda end: both[end].later)
        links[place] = ends[at - 1] if at else -1
        ends[at : at + 1] = [place]
    kept, place = set[int](), ends[-1] if ends else -1
    while place >= 0:
        kept.add(place)
        place = links[place]
    marked = [pair if place in kept else pair._replace(moved=True) for place, pair in enumerate(both)]
    alone = [pair for pair in pairs if not (pair.earlier and pair.later)]
    before = sorted((pair.later[0], pair.earlier) for pair in marked if not pair.moved)

    def place(pair: Pair) -> tuple[tuple[int, ...], bool, tuple[int, ...]]:
        """Where it stands in the earlier text; what was added, behind what stands before it."""
        at = bisect_left(before, (pair.later[0], ())) if not pair.earlier else 0
        return pair.earlier or (before[at - 1][1] if at else (-1,)), not pair.earlier, pair.later

    return sorted(alone + marked, key=place)

"""All differences of two texts by rules: statements that belong together are judged, others were added or removed."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from readgraph.features.changes.aligning import Pair, Sides, align
from readgraph.features.changes.differing import judge
from readgraph.features.changes.state import ChangedPart, ChangeKind
from readgraph.features.changes.statements import cut_statements, fold_blocks, parts_of

Span = tuple[int, int]


class Found(NamedTuple):
    """A difference, and where it stands in both texts; what only one has stands nowhere in the other."""

    kind: ChangeKind
    moved: bool
    differs: list[ChangedPart]
    earlier: Span | None
    later: Span | None


def compare_texts(earlier: str, later: str) -> list[Found]:
    """The differences of two texts in the order of the later one."""
    shared = fold_blocks(earlier) & fold_blocks(later)
    one, other = ([*cut_statements(text, shared)] for text in (earlier, later))
    return [found for pair in _join_moved(align((one, other))) for found in _judge_pair(pair, (one, other))]


def _judge_pair(pair: Pair, sides: Sides) -> Iterator[Found]:
    both = [*zip(sides, (pair.earlier, pair.later), strict=True)]
    spans = [(side[numbers[0]].start, side[numbers[-1]].end) if numbers else None for side, numbers in both]
    verdict, differs = "same" if pair.equal else "apart", list[ChangedPart]()
    if all(spans) and not pair.equal:
        language = sides[0][pair.earlier[0]].language
        ours, theirs = ([part for at in at_all for part in parts_of(side[at].text, language)] for side, at_all in both)
        verdict, differs = judge(ours, theirs, language)
    if verdict == "apart":
        yield from [Found("removed", False, [], spans[0], None)] if spans[0] else ()
        yield from [Found("added", False, [], None, spans[1])] if spans[1] else ()
    elif verdict == "same":
        yield from [Found("moved", True, [], *spans)] if pair.moved else ()
    else:
        yield Found("changed" if verdict == "changed" else "not judged", pair.moved, differs, *spans)


def _join_moved(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs, with what moved together and unchanged as one."""
    joined = list[Pair]()
    for pair in pairs:
        last = joined[-1] if joined else pair
        ends = (*last.earlier[-1:], *last.later[-1:])
        is_next = ends == (pair.earlier[0] - 1, pair.later[0] - 1) if pair.earlier and pair.later else False
        if is_next and last.equal and last.moved and pair.equal and pair.moved:
            joined[-1] = last._replace(earlier=last.earlier + pair.earlier, later=last.later + pair.later)
        else:
            joined.append(pair)
    return joined

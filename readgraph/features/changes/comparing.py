"""All differences of two texts, by rules: statements that belong together are judged, and the rest was added or removed."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from readgraph.features.changes.aligning import Pair, Sides, align
from readgraph.features.changes.differing import judge
from readgraph.features.changes.state import ChangedPart, ChangeKind
from readgraph.features.changes.statements import cut_statements, fold_statement, parts_of
from readgraph.state.sentences import paragraph_spans

Span = tuple[int, int]


class Found(NamedTuple):
    """A difference, and where it stands in both texts; what only one has stands nowhere in the other."""

    kind: ChangeKind
    moved: bool
    differs: list[ChangedPart]
    earlier: Span | None
    later: Span | None


def compare_texts(earlier: str, later: str) -> list[Found]:
    """The differences of two texts in the order of the earlier one; what was added comes where it stands."""
    texts = (earlier, later)
    paragraphs = [{fold_statement(text[slice(*span)]) for span in paragraph_spans(text)} for text in texts]
    shared = paragraphs[0] & paragraphs[1]
    sides: Sides = ([*cut_statements(earlier, shared)], [*cut_statements(later, shared)])
    return [found for pair in _as_blocks(align(sides)) for found in _judge_pair(pair, sides)]


def _judge_pair(pair: Pair, sides: Sides) -> Iterator[Found]:
    one, other = (
        (side[numbers[0]].start, side[numbers[-1]].end) if numbers else None
        for side, numbers in zip(sides, pair[:2], strict=True)
    )
    if pair.equal:
        yield from [Found("moved", True, [], one, other)] if pair.moved else ()
        return
    verdict, differs = "apart", list[ChangedPart]()
    if one and other:
        language = sides[0][pair.earlier[0]].language
        ours, theirs = (
            [part for at in numbers for part in parts_of(side[at].text, language)]
            for side, numbers in zip(sides, pair[:2], strict=True)
        )
        verdict, differs = judge(ours, theirs, language)
    if verdict == "apart":
        yield from [Found("removed", False, [], one, None)] if one else ()
        yield from [Found("added", False, [], None, other)] if other else ()
    elif verdict == "same":
        yield from [Found("moved", True, [], one, other)] if pair.moved else ()
    else:
        yield Found("changed" if verdict == "changed" else "not judged", pair.moved, differs, one, other)


def _as_blocks(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """The pairs; what moved together, unchanged, is one."""
    block: Pair | None = None
    for pair in pairs:
        follows = (
            block
            and pair.equal
            and pair.moved
            and (block.earlier[-1] + 1, block.later[-1] + 1) == (pair.earlier[0], pair.later[0])
        )
        if block and follows:
            block = block._replace(earlier=block.earlier + pair.earlier, later=block.later + pair.later)
            continue
        if block:
            yield block
        block = pair if pair.equal and pair.moved else None
        if not block:
            yield pair
    if block:
        yield block

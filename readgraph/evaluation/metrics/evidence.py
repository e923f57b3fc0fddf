"""Whether a method looked where the answer stands."""

from collections.abc import Iterable

from readgraph.evaluation.records import Item, Outcome, Span


def evidence_recall(item: Item, outcome: Outcome) -> float | None:
    """The percentage of the evidence's spans that a page read again, or a citation, overlaps; none without evidence."""
    seen = (*outcome.read, *outcome.cited)
    return _share_overlapping(item.evidence, seen) if item.evidence else None


def citation_precision(item: Item, outcome: Outcome) -> float | None:
    """The percentage of the citations that overlap evidence; none without evidence, and where nothing was cited."""
    return _share_overlapping(outcome.cited, item.evidence) if item.evidence and outcome.cited else None


def _share_overlapping(spans: tuple[Span, ...], others: Iterable[Span]) -> float:
    return 100 * sum(any(_overlap(span, other) for other in others) for span in spans) / len(spans)


def _overlap(one: Span, other: Span) -> bool:
    return max(one.start, other.start) < min(one.end, other.end)

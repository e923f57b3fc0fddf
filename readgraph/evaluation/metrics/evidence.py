"""Whether a method read the passages that hold the answer."""

from collections.abc import Iterable

from readgraph.evaluation.records import Item, Outcome, Span


def evidence_recall(item: Item, outcome: Outcome) -> float | None:
    """The percentage of evidence spans that a re-read page or a citation overlaps; None without evidence."""
    seen = (*outcome.read, *outcome.cited)
    return _share_overlapping(item.evidence, seen) if item.evidence else None


def citation_precision(item: Item, outcome: Outcome) -> float | None:
    """The percentage of citations that overlap evidence; None without evidence or citations."""
    return _share_overlapping(outcome.cited, item.evidence) if item.evidence and outcome.cited else None


def _share_overlapping(spans: tuple[Span, ...], others: Iterable[Span]) -> float:
    return 100 * sum(any(_overlap(span, other) for other in others) for span in spans) / len(spans)


def _overlap(first: Span, second: Span) -> bool:
    return max(first.start, second.start) < min(first.end, second.end)

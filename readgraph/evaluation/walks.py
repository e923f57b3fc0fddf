"""Figures of walks down a summary tree (MemWalker, section 5, tables 3 and 4, figure 4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from readgraph.evaluation.records import Outcome

__all__ = ["WalkFigures", "walk_figures"]

GAVE_AN_ANSWER = ("answered", "nearest")
"""The statuses of a reading that gives an answer; without a model that is a passage."""


@dataclass(frozen=True, slots=True)
class WalkFigures:
    """Figures of the walks of a set of questions; percentages from 0 to 100, None if there is nothing to count.

    `stray_ratio`: questions whose walk turned back. `recovery_rate`: the share of these that were answered correctly
    all the same. `percent_read`: the share of the text's words in the segments that were read, on average (the paper
    also counts the tree nodes that were shown). `usable_replies`: the share of replies that could be used; with a tree
    built before, nearly all are the walk's decisions, so this is what the paper calls valid actions. `hops`: decisions
    per question, on average.
    """

    questions: int
    answered: float
    stray_ratio: float
    recovery_rate: float | None
    percent_read: float
    usable_replies: float | None
    hops: float


def walk_figures(outcomes: Sequence[Outcome], right: Sequence[bool] | None = None) -> WalkFigures | None:
    """Sum up the outcomes that have a walk; None if there are none.

    `right` says for each outcome whether its answer is right; without it, any answer counts as right.
    """
    good = [outcome.status in GAVE_AN_ANSWER for outcome in outcomes] if right is None else right
    walked = [(outcome, well) for outcome, well in zip(outcomes, good, strict=True) if outcome.hops is not None]
    if not walked:
        return None
    walks = [outcome for outcome, _ in walked]
    recovered = [well for outcome, well in walked if outcome.strayed]
    replies, refused = sum(outcome.calls for outcome in walks), sum(outcome.refused for outcome in walks)
    return WalkFigures(
        questions=len(walks),
        answered=_percent([outcome.status in GAVE_AN_ANSWER for outcome in walks]),
        stray_ratio=_percent([bool(outcome.strayed) for outcome in walks]),
        recovery_rate=_percent(recovered) if recovered else None,
        percent_read=round(fmean(outcome.percent_read or 0.0 for outcome in walks), 2),
        usable_replies=round(100 * (replies - refused) / replies, 2) if replies else None,
        hops=round(fmean(outcome.hops or 0 for outcome in walks), 2),
    )


def _percent(flags: Sequence[bool]) -> float:
    return round(100 * sum(flags) / len(flags), 2)

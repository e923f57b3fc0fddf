"""Figures of walks, from the outputs of the MemWalker graph (MemWalker, section 5, tables 3 and 4, figure 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

DECIDING = ("descend", "read_leaf")
"""The steps in which a walk decides."""


@dataclass(frozen=True, slots=True)
class WalkFigures:
    """Figures of a set of questions; percentages from 0 to 100, none where there is nothing to count.

    `stray_ratio`: questions whose walk holds a revert. `recovery_rate`: those of them that were answered all the
    same. `percent_read`: the text's words that stood in segments read, on average. `valid_actions`: replies to
    triage and at leaves that could be used. `hops`: decisions a question, on average.
    """

    questions: int
    answered: float
    stray_ratio: float
    recovery_rate: float | None
    percent_read: float
    valid_actions: float | None
    hops: float


def walk_figures(outputs: Sequence[Mapping[str, Any]], correct: Sequence[bool] | None = None) -> WalkFigures | None:
    """Sum up the outputs of questions that were walked for; nothing where there are none.

    `correct` says of each output whether its answer is right; without it, an answer counts as a recovery.
    """
    if not outputs:
        return None
    answered = [output["status"] == "answered" for output in outputs]
    stray = [any(hop["action"] == "revert" for hop in output["hops"]) for output in outputs]
    right = answered if correct is None else correct
    recovered = [well for well, strayed in zip(right, stray, strict=True) if strayed]
    used = [step["usage"] for output in outputs for step in output["steps"] if step["node"] in DECIDING]
    replies = sum(usage["calls"] + usage["cached_calls"] for usage in used)
    refused = sum(usage["refused"] for usage in used)
    return WalkFigures(
        questions=len(outputs),
        answered=_percent(answered),
        stray_ratio=_percent(stray),
        recovery_rate=_percent(recovered) if recovered else None,
        percent_read=round(fmean(output["percent_read"] for output in outputs), 2),
        valid_actions=round(100 * (replies - refused) / replies, 2) if replies else None,
        hops=round(fmean(len(output["hops"]) for output in outputs), 2),
    )


def _percent(flags: Sequence[bool]) -> float:
    return round(100 * sum(flags) / len(flags), 2)

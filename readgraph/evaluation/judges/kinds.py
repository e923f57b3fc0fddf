"""The kinds of judges: the metrics that each gives, how it rates an answer, and which prompts that takes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from langgraph.runtime import Runtime

from readgraph.evaluation.judges.nuggets import rate_nuggets, rubric_prompts
from readgraph.evaluation.judges.rating import (
    PromptOf,
    Rating,
    rate_consistency,
    rate_match,
    rate_right,
    right_prompt,
)
from readgraph.evaluation.records import Item
from readgraph.nodes.prompts.evaluation.rate import consistent_prompt, permissive_prompt, strict_prompt
from readgraph.state.context import ReaderContext


@dataclass(frozen=True)
class JudgeKind:
    """A way to judge an answer, by a model.

    `rate` gives the scores of the `metrics`, or none where no reply could be used. `prompts`: what it asks about the
    question and each reference, with how often on average, for estimates. `rubric`: it asks about each point of the
    rubric instead, and about all of them.
    """

    metrics: frozenset[str]
    rate: Callable[[Runtime[ReaderContext], Item, str], Awaitable[Rating]]
    prompts: Callable[[Item], list[tuple[PromptOf, float]]]
    rubric: bool = False


JUDGES = (
    JudgeKind(frozenset({"lr_1", "lr_2"}), rate_match, lambda item: [(strict_prompt, 1.0), (permissive_prompt, 0.5)]),
    JudgeKind(frozenset({"dmr_accuracy"}), rate_consistency, lambda item: [(consistent_prompt, 1.0)]),
    JudgeKind(frozenset({"judged_accuracy"}), rate_right, lambda item: [(right_prompt(item), 1.0)]),
    JudgeKind(
        frozenset({"beam_score", "nuggets", "event_order"}),
        rate_nuggets,
        rubric_prompts,
        rubric=True,
    ),
)

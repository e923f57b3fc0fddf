"""Calibration of a judge: its verdicts on answers that are known to be right or wrong (`gold_pairs.jsonl`).

The pairs are our own, in plain English, of ten kinds, and are judged by the rules of `judged_accuracy`.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from langgraph.store.base import BaseStore

from readgraph.evaluation.folder.usage import COUNTS, Cost, asked, whole_cost
from readgraph.evaluation.judges.agreement import Agreement, agreement
from readgraph.evaluation.judges.exchanged import exchanges_of
from readgraph.evaluation.judges.judging import judge
from readgraph.evaluation.judges.rating import right_prompt
from readgraph.evaluation.records import Item, Judgement, Outcome
from readgraph.models.batches.batched_calls import calls_at_once
from readgraph.state.context import ReaderContext

METRIC = "judged_accuracy"

Line = dict[str, Any]
"""A line of `calibrations.jsonl` (see `readgraph.evaluation.folder.line_shapes.CalibrationLine`)."""


@dataclass(frozen=True)
class GoldPair:
    """An answer with a question, a reference, and whether it is right."""

    item: Item
    answer: str
    right: bool

    @property
    def kind(self) -> str:
        """What makes the pair easy or hard."""
        return self.item.category


@cache
def gold_pairs() -> tuple[GoldPair, ...]:
    """The pairs that come with the package."""
    return tuple(map(_pair, map(json.loads, _gold().splitlines())))


@cache
def basis() -> str:
    """A digest of the pairs and of the prompts about them: verdicts by others say nothing of this judge."""
    prompts = [right_prompt(pair.item)("", "", "") for pair in gold_pairs()]
    asked_of = [_gold(), *(f"{prompt.system}\n{prompt.user}" for prompt in prompts)]
    return hashlib.sha256("\n".join(asked_of).encode()).hexdigest()[:16]


async def verdicts(
    context: ReaderContext, store: BaseStore, cost: Cost = lambda exchange: None, before: Line | None = None
) -> AsyncIterator[Judgement]:
    """The judgements of `context.model` on the pairs, as they come; one without a usable reply has no score.

    Replies are kept in the store; those of the pairs with a verdict `before` are not counted again. Raises the errors
    of `judge`.
    """
    known = before["verdicts"] if before else {}
    slots = asyncio.Semaphore(calls_at_once(context))

    async def judged(pair: GoldPair) -> Judgement:
        outcome = Outcome(pair.item.id, "", 0, "answered", pair.answer)
        async with slots:
            with exchanges_of(context, lambda exchange: pair.item.id in known) as exchanges:
                judgement = await judge(pair.item, outcome, (METRIC,), context, store)
        assert judgement, "each pair has a reference"
        return replace(judgement, **asked(exchanges, cost))

    waiting = [asyncio.create_task(judged(pair)) for pair in gold_pairs()]
    try:
        for judging in asyncio.as_completed(waiting):
            yield await judging
    finally:
        for task in waiting:
            task.cancel()


def calibration(judgements: Iterable[Judgement], judge: str, before: Line | None = None) -> Line:
    """A line of `calibrations.jsonl`: the judge's verdicts by the pairs' ids, and what they and those `before` took."""
    judged = sorted(judgements, key=lambda one: one.item)
    earlier = before or {**dict.fromkeys(COUNTS, 0), "cost": 0.0}
    return {
        "judge": judge,
        "basis": basis(),
        "verdicts": {one.item: one.scores[METRIC] == 100 for one in judged if METRIC in one.scores},
        **{name: earlier[name] + sum(getattr(one, name) for one in judged) for name in COUNTS},
        "cost": whole_cost([earlier["cost"], *(one.cost for one in judged)]),
    }


def newest(lines: Iterable[Line], judge: str | None) -> Line | None:
    """The newest line on this judge and these pairs; None without any."""
    return next((one for one in reversed([*lines]) if (one["judge"], one["basis"]) == (judge, basis())), None)


def calibrated(lines: Iterable[Line], judge: str | None) -> dict[str, Any] | None:
    """How far this judge agrees with the pairs, by its newest verdicts on them, and what they took; None without any.

    See `Agreement` for the fields.
    """
    line = newest(lines, judge)
    if line is None:
        return None
    used = {name: line[name] for name in (*COUNTS, "cost")}
    return {"judge": judge, **agreement_with(line["verdicts"]).value(), **used}


def agreement_with(verdicts: dict[str, bool]) -> Agreement:
    """How far verdicts, by the pairs' ids, agree with the pairs."""
    return agreement([(pair.kind, pair.right, verdicts.get(pair.item.id)) for pair in gold_pairs()])


def _gold() -> str:
    return files("readgraph.evaluation.judges").joinpath("gold_pairs.jsonl").read_text(encoding="utf-8")


def _pair(line: dict[str, Any]) -> GoldPair:
    item = Item(
        id=line["id"],
        text="",
        question=line["question"],
        references=(line["reference"],),
        category=line["kind"],
        unanswerable=line["rule"] == "abstention",
        rule=line["rule"],
    )
    return GoldPair(item, line["answer"], line["verdict"] == "yes")

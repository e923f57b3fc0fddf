"""Calibration of a judge: its verdicts on answers that are known to be right or wrong (`gold_pairs.jsonl`).

The pairs are our own, in plain English. Each is judged with the prompt that its rule has in an evaluation, and a judge
is calibrated on the pairs of those rules by which it judges.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from langgraph.store.base import BaseStore

from readgraph.evaluation.folder.usage import COUNTS, Cost, asked, whole_cost
from readgraph.evaluation.judges.agreement import Agreement, agreement
from readgraph.evaluation.judges.exchanged import exchanges_of
from readgraph.evaluation.judges.judging import judge
from readgraph.evaluation.judges.kinds import JUDGES
from readgraph.evaluation.judges.raters import applying, given_by
from readgraph.evaluation.judges.rating import rule_of
from readgraph.evaluation.records import EVENT_ORDERING, Dataset, Item, Judgement, Outcome
from readgraph.models.batches.batched_calls import calls_at_once
from readgraph.models.prompt import Prompt
from readgraph.state.context import ReaderContext

METRICS_OF = {"match": "lr_1", "consistent": "dmr_accuracy", "point": "nuggets", "order": "event_order"}
"""The metric whose judge a pair is for, by the pair's rule; the rules of `Rule` are those of `judged_accuracy`."""

RIGHT = 99.9
"""The score of a right answer; that of an order of events is rounded."""

OF_RULE = ("pairs", "rated", "agreement", "interval", "kappa", "kappa_interval")
"""The figures of `Agreement` that are given for each rule."""

Line = dict[str, Any]
"""A line of `calibrations.jsonl` (see `readgraph.evaluation.folder.line_shapes.CalibrationLine`)."""


@dataclass(frozen=True)
class GoldPair:
    """An answer with a question, what it is judged by, and whether it is right; `kind` makes it easy or hard."""

    item: Item
    answer: str
    right: bool
    kind: str
    rule: str

    @property
    def metric(self) -> str:
        """The metric whose judge it is for."""
        return METRICS_OF.get(self.rule, "judged_accuracy")


@cache
def gold_pairs() -> tuple[GoldPair, ...]:
    """The pairs that come with the package."""
    return tuple(map(_pair, map(json.loads, _gold().splitlines())))


def rules_in_use(dataset: Dataset) -> dict[str, set[str]]:
    """The rules by which each of the dataset's metrics judges its questions."""
    found = {
        metric: {_rule(metric, item) for item in dataset.items if applying([metric], item)}
        for metric in given_by("judge", dataset.metrics)
    }
    return {metric: rules for metric, rules in found.items() if rules}


def pairs_for(dataset: Dataset) -> tuple[GoldPair, ...]:
    """The pairs of the rules by which the dataset's questions are judged; all where nothing of it is judged."""
    rules = {rule for of in rules_in_use(dataset).values() for rule in of}
    return tuple(pair for pair in gold_pairs() if pair.rule in rules) or gold_pairs()


def basis(own: Mapping[str, str]) -> str:
    """A digest of the pairs and of the prompts about them: verdicts by others say nothing of this judge.

    `own` has digests of prompts in the user's own words, by their names; those of other prompts than a judge's don't
    count.
    """
    prompts = _prompts()
    asked_of = [_gold(), *(f"{prompt.system}\n{prompt.user}" for prompt in prompts)]
    asked_of += [f"{name} {own[name]}" for name in sorted({prompt.name for prompt in prompts} & own.keys())]
    return hashlib.sha256("\n".join(asked_of).encode()).hexdigest()[:16]


@cache
def _prompts() -> tuple[Prompt, ...]:
    kinds = [(pair.item, judging) for pair in gold_pairs() for judging in JUDGES if pair.metric in judging.metrics]
    return tuple(prompt_of("", "", "") for item, judging in kinds for prompt_of, _ in judging.prompts(item))


async def verdicts(
    context: ReaderContext,
    store: BaseStore,
    pairs: Iterable[GoldPair],
    cost: Cost = lambda exchange: None,
    before: Line | None = None,
) -> AsyncIterator[Judgement]:
    """The judgements of `context.model` on the pairs, as they come; one without a usable reply has no score.

    Replies are kept in the store; those that the line `before` has counted are not counted again. Raises the errors of
    `judge`.
    """
    slots = asyncio.Semaphore(calls_at_once(context))

    async def judged(pair: GoldPair) -> Judgement:
        outcome = Outcome(pair.item.id, "", 0, "answered", pair.answer)
        async with slots:
            with exchanges_of(context, lambda exchange: before is not None) as exchanges:
                judgement = await judge(pair.item, outcome, (pair.metric,), context, store)
        assert judgement, "each pair can be judged"
        return replace(judgement, **asked(exchanges, cost))

    waiting = [asyncio.create_task(judged(pair)) for pair in pairs]
    try:
        for judging in asyncio.as_completed(waiting):
            yield await judging
    finally:
        for task in waiting:
            task.cancel()


def without_verdict(pairs: Iterable[GoldPair], before: Line | None) -> list[GoldPair]:
    """The pairs that a line holds no verdict on."""
    return [pair for pair in pairs if before is None or pair.item.id not in before["verdicts"]]


def calibration(judgements: Iterable[Judgement], judge: str, based_on: str, before: Line | None = None) -> Line:
    """A line of `calibrations.jsonl`: verdicts by the pairs' ids, and what they took; with those `before`.

    `based_on` as `basis` gives it.
    """
    judged = sorted(judgements, key=lambda one: one.item)
    earlier = before or {"verdicts": {}, **dict.fromkeys(COUNTS, 0), "cost": 0.0}
    return {
        "judge": judge,
        "basis": based_on,
        "verdicts": earlier["verdicts"] | {one.item: min(one.scores.values()) >= RIGHT for one in judged if one.scores},
        **{name: earlier[name] + sum(getattr(one, name) for one in judged) for name in COUNTS},
        "cost": whole_cost([earlier["cost"], *(one.cost for one in judged)]),
    }


def newest(lines: Iterable[Line], judge: str | None, based_on: str) -> Line | None:
    """The newest line on this judge, with the pairs and prompts of this `basis`; None without any."""
    return next((one for one in reversed([*lines]) if (one["judge"], one["basis"]) == (judge, based_on)), None)


def calibrated(line: Line | None, pairs: Sequence[GoldPair]) -> dict[str, Any] | None:
    """How far a judge agrees with these pairs, by its newest line, and what calibrating took; None without a line.

    See `Agreement` for the fields; `rules` has the same figures for the pairs of each rule.
    """
    if line is None:
        return None
    rules = {rule: [pair for pair in pairs if pair.rule == rule] for rule in dict.fromkeys(pair.rule for pair in pairs)}
    of_rules = {rule: agreement_with(line["verdicts"], of).value() for rule, of in rules.items()}
    used = {name: line[name] for name in (*COUNTS, "cost")}
    shown = {rule: {name: of[name] for name in OF_RULE} for rule, of in of_rules.items()}
    return {"judge": line["judge"], **agreement_with(line["verdicts"], pairs).value(), "rules": shown, **used}


def unproven(line: Line | None, dataset: Dataset) -> list[str]:
    """The metrics whose judge agrees with the pairs of their rules no more surely than chance: kappa may be 0.

    So it is also where too few of its verdicts could be used. Nothing is known of a judge without a line.
    """
    if line is None:
        return []
    found = list[str]()
    for metric, rules in rules_in_use(dataset).items():
        agreed = agreement_with(line["verdicts"], [pair for pair in gold_pairs() if pair.rule in rules])
        if agreed.kappa_interval is None or agreed.kappa_interval[0] <= 0:
            found.append(metric)
    return found


def agreement_with(verdicts: dict[str, bool], pairs: Iterable[GoldPair]) -> Agreement:
    """How far verdicts, by the pairs' ids, agree with the pairs."""
    return agreement([(pair.kind, pair.right, verdicts.get(pair.item.id)) for pair in pairs])


def _rule(metric: str, item: Item) -> str:
    """The rule of the pairs that are judged as this metric judges the question."""
    if metric == "judged_accuracy":
        return rule_of(item)
    if metric == "beam_score":
        return "order" if item.category == EVENT_ORDERING else "point"
    return {"lr_2": "match"}.get(metric) or next(rule for rule, of in METRICS_OF.items() if of == metric)


def _gold() -> str:
    return files("readgraph.evaluation.judges").joinpath("gold_pairs.jsonl").read_text(encoding="utf-8")


def _pair(line: dict[str, Any]) -> GoldPair:
    rule, item = line["rule"], Item(id=line["id"], text="", question=line["question"])
    if rule in ("point", "order"):
        rubric = tuple(line.get("rubric", [line.get("reference")]))
        item = replace(item, rubric=rubric, category=EVENT_ORDERING if rule == "order" else "")
    else:
        own: Any = "" if rule in METRICS_OF else rule
        item = replace(item, references=(line["reference"],), unanswerable=rule == "abstention", rule=own)
    return GoldPair(item, line["answer"], line["verdict"] == "yes", line["kind"], rule)

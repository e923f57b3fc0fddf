"""How far a judge can be trusted: its verdicts on our own answers (`gold_pairs.jsonl`), and its scores by length.

Of our own answers it is known whether they are right or wrong.
"""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from langgraph.store.base import BaseStore

from readgraph import ReaderContext
from readgraph.models.prompt import Prompt
from readgraph.state.transports import calls_at_once
from readgraph_evaluation.folder import FolderContents
from readgraph_evaluation.judges.judging import JUDGES, exchanges_of, judge, rule_of
from readgraph_evaluation.line_shapes import COUNTS, Cost, count_usage, whole_cost
from readgraph_evaluation.metrics import Raters, Scores, metrics_for_question, metrics_rated_by
from readgraph_evaluation.metrics.answers import answer_and_references, normalise_words
from readgraph_evaluation.records import EVENT_ORDERING, Dataset, Item, Judgement, Outcome

Interval = tuple[float, float]
Share = tuple[int, int]  # so many of so many


@dataclass(frozen=True)
class Agreement:
    """How far a judge agrees with known verdicts; `pairs` without a verdict are not among the `rated`.

    `agreement` is in percent, with its 95 % interval (Wilson's), `kappa` Cohen's, with the interval that follows from
    it with chance agreement held fixed, as in Cohen's own standard error (1960). They are None where nothing was rated,
    or chance alone agrees. `wrong_taken_for_right` is apart for long answers, `kinds` has the agreement by kinds.
    """

    pairs: int
    rated: int
    agreement: float | None
    interval: Interval | None
    kappa: float | None
    kappa_interval: Interval | None
    right_taken_for_wrong: Share
    wrong_taken_for_right: Share
    long_wrong_taken_for_right: Share
    kinds: dict[str, float | None]


def agreement(known: Sequence[tuple[str, bool, bool | None]]) -> Agreement:
    """The agreement over pairs: of each the kind, whether the answer is right, and the verdict, if there is one."""
    rated = [(kind, right, said) for kind, right, said in known if said is not None]
    share, interval, chance = _agreement_share(rated), None, None
    if share is not None:
        from scipy.stats import binomtest

        # Wilson's interval: unlike the usual one, it has a width where all agree.
        bounds = binomtest(sum(right == said for _, right, said in rated), len(rated)).proportion_ci(method="wilson")
        interval = float(bounds.low), float(bounds.high)
        right = sum(right for _, right, _ in rated) / len(rated)
        taken = sum(said for _, _, said in rated) / len(rated)
        chance = right * taken + (1 - right) * (1 - taken)

    def kappa(agreeing: float | None) -> float | None:
        return None if agreeing is None or chance is None or chance == 1 else (agreeing - chance) / (1 - chance)

    low, high = [kappa(bound) for bound in interval or (None, None)]
    of_right = [said for _, right, said in rated if right]
    wrong = [(kind == "long and wrong", said) for kind, right, said in rated if not right]
    of_short, of_long = ([said for long, said in wrong if long is kind] for kind in (False, True))
    kinds = dict.fromkeys(kind for kind, _, _ in known)
    return Agreement(
        pairs=len(known),
        rated=len(rated),
        agreement=_percent(share),
        interval=interval and (100 * interval[0], 100 * interval[1]),
        kappa=kappa(share),
        kappa_interval=None if low is None or high is None else (low, high),
        right_taken_for_wrong=(of_right.count(False), len(of_right)),
        wrong_taken_for_right=(of_short.count(True), len(of_short)),
        long_wrong_taken_for_right=(of_long.count(True), len(of_long)),
        kinds={kind: _percent(_agreement_share([one for one in rated if one[0] == kind])) for kind in kinds},
    )


def _agreement_share(rated: Sequence[tuple[str, bool, bool]]) -> float | None:
    """The share of pairs whose verdict is the known one; None without any."""
    return sum(right == said for _, right, said in rated) / len(rated) if rated else None


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


METRICS_OF = {"match": "lr_1", "consistent": "dmr_accuracy", "point": "nuggets", "order": "event_order"}
"""The metric whose judge a pair is for, by the pair's rule; the rules of `Rule` are those of `judged_accuracy`."""

RIGHT = 99.9  # the score of a right answer; that of an order of events is rounded
Line = dict[str, Any]  # a line of `calibrations.jsonl` (see `readgraph_evaluation.line_shapes.CalibrationLine`)


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
    pairs = list[GoldPair]()
    for line in map(json.loads, _gold().splitlines()):
        rule, item = line["rule"], Item(id=line["id"], text="", question=line["question"])
        if rule in ("point", "order"):
            rubric = tuple(line.get("rubric", [line.get("reference")]))
            item = replace(item, rubric=rubric, category=EVENT_ORDERING if rule == "order" else "")
        else:
            own: Any = "" if rule in METRICS_OF else rule
            item = replace(item, references=(line["reference"],), unanswerable=rule == "abstention", rule=own)
        pairs.append(GoldPair(item, line["answer"], line["verdict"] == "yes", line["kind"], rule))
    return tuple(pairs)


def rules_in_use(dataset: Dataset) -> dict[str, set[str]]:
    """The rules by which each of the dataset's metrics judges its questions."""
    found = {
        metric: {_rule(metric, item) for item in dataset.items if metrics_for_question([metric], item)}
        for metric in metrics_rated_by("judge", dataset.metrics)
    }
    return {metric: rules for metric, rules in found.items() if rules}


def pairs_for(dataset: Dataset) -> tuple[GoldPair, ...]:
    """The pairs of the rules by which the dataset's questions are judged; all where nothing of it is judged."""
    rules = {rule for of in rules_in_use(dataset).values() for rule in of}
    return tuple(pair for pair in gold_pairs() if pair.rule in rules) or gold_pairs()


def basis(own: Mapping[str, str]) -> str:
    """A digest of the pairs and of a judge's prompts about them; `own` has digests of those in the user's own words."""
    prompts = _prompts()
    asked_of = [_gold(), *(f"{prompt.system}\n{prompt.user}" for prompt in prompts)]
    asked_of += [f"{name} {own[name]}" for name in sorted({prompt.name for prompt in prompts} & own.keys())]
    return hashlib.sha256("\n".join(asked_of).encode()).hexdigest()[:16]


@cache
def _prompts() -> tuple[Prompt, ...]:
    kinds = [(pair.item, judging) for pair in gold_pairs() for judging in JUDGES if pair.metric in judging.worth]
    return tuple(prompt.prompt_of("", "", "") for item, judging in kinds for prompt in judging.prompts(item))


async def verdicts(
    context: ReaderContext,
    store: BaseStore,
    pairs: Iterable[GoldPair],
    cost: Cost = lambda exchange: None,
    before: Line | None = None,
) -> AsyncIterator[Judgement]:
    """The judgements of `context.model` on the pairs, as they come; replies that `before` counted don't count again."""
    slots = asyncio.Semaphore(calls_at_once(context))

    async def judge_pair(pair: GoldPair) -> Judgement:
        outcome = Outcome(pair.item.id, "", 0, "answered", pair.answer)
        async with slots:
            with exchanges_of(context, lambda exchange: before is not None) as exchanges:
                judgement = await judge(pair.item, outcome, (pair.metric,), context, store)
        assert judgement, "each pair can be judged"
        return replace(judgement, **count_usage(exchanges, cost))

    waiting = [asyncio.create_task(judge_pair(pair)) for pair in pairs]
    try:
        for judging in asyncio.as_completed(waiting):
            yield await judging
    finally:
        for task in waiting:
            task.cancel()


def calibration(judgements: Iterable[Judgement], judge: str, based_on: str, before: Line | None = None) -> Line:
    """A line of `calibrations.jsonl`: verdicts by the pairs' ids, and what they took; with those `before`."""
    judged = sorted(judgements, key=lambda one: one.item)
    earlier = before or {"verdicts": {}, **dict.fromkeys(COUNTS, 0), "cost": 0.0}
    return {
        "judge": judge,
        "basis": based_on,
        "verdicts": earlier["verdicts"] | {one.item: min(one.scores.values()) >= RIGHT for one in judged if one.scores},
        **{name: earlier[name] + sum(getattr(one, name) for one in judged) for name in COUNTS},
        "cost": whole_cost([earlier["cost"], *(one.cost for one in judged)]),
    }


def find_newest_line(lines: Iterable[Line], judge: str | None, based_on: str) -> Line | None:
    """The newest line on this judge, with the pairs and prompts of this `basis`; None without any."""
    return next((one for one in reversed([*lines]) if (one["judge"], one["basis"]) == (judge, based_on)), None)


def summarise_calibration(line: Line | None, pairs: Sequence[GoldPair]) -> dict[str, Any] | None:
    """How far a judge agrees with these pairs (`Agreement`), also by rules, and what that took; None without a line."""
    if line is None:
        return None
    figures = ("pairs", "rated", "agreement", "interval", "kappa", "kappa_interval")
    rules = {}
    for rule in dict.fromkeys(pair.rule for pair in pairs):
        agreed = agreement_with(line["verdicts"], [pair for pair in pairs if pair.rule == rule])
        rules[rule] = {name: getattr(agreed, name) for name in figures}
    used = {name: line[name] for name in (*COUNTS, "cost")}
    return {"judge": line["judge"], **asdict(agreement_with(line["verdicts"], pairs)), "rules": rules, **used}


def find_unproven_metrics(line: Line | None, dataset: Dataset) -> list[str]:
    """The metrics whose judge may agree with its pairs by chance, or gave too few verdicts; none without a line."""
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
    return files("readgraph_evaluation.judges").joinpath("gold_pairs.jsonl").read_text(encoding="utf-8")


FEWEST = 12  # answers below which lengths say nothing
BINS = 3  # groups of answers by their length


class JudgedAnswer(NamedTuple):
    """An answer's words, the judge's score, and the share of a reference's words that it has, in percent."""

    words: int
    score: float
    shared: float


def by_length(metric: str, items: Mapping[str, Item], judged: Iterable[tuple[Outcome, float]]) -> dict[str, Any] | None:
    """The judge's scores by length, as a plain JSON value; None for fewer answers than `FEWEST`.

    `groups`: about a third of the answers each, with words `from` and `to`, mean `score` and mean share of the
    reference's words (`shared`). `preference`: above 0 long answers score higher, that share held equal (from -1 to 1,
    or None).
    """
    answers = sorted(
        JudgedAnswer(words, score, _share_of_reference(items[outcome.item], outcome))
        for outcome, score in judged
        if (words := outcome.answer_words) and not items[outcome.item].unanswerable
    )
    if len(answers) < FEWEST:
        return None
    bounds = [answers[len(answers) * place // BINS - 1].words for place in range(1, BINS + 1)]
    groups = []
    for low, high in pairwise([0, *bounds]):
        if of := [answer for answer in answers if low < answer.words <= high]:
            figures = {"score": fmean(each.score for each in of), "shared": fmean(each.shared for each in of)}
            groups.append({"from": of[0].words, "to": of[-1].words, "answers": len(of), **figures})
    return {"metric": metric, "groups": groups, "preference": preference(answers)}


def preference(answers: Iterable[JudgedAnswer]) -> float | None:
    """The partial rank correlation of score and length, with the share of the reference's words held equal."""
    from scipy.stats import rankdata

    ranks = rankdata([*answers], axis=0)
    if (ranks == ranks[0]).all(axis=0)[:2].any():
        return None
    if (ranks[:, 2] == ranks[0, 2]).all():
        return float(np.corrcoef(ranks[:, :2].T)[0, 1])
    (_, length_score, length_shared), (_, _, score_shared), _ = np.corrcoef(ranks.T)
    rest = (1 - length_shared**2) * (1 - score_shared**2)
    return float((length_score - length_shared * score_shared) / rest**0.5) if rest > 1e-9 else None


def _share_of_reference(item: Item, outcome: Outcome) -> float:
    """The percentage of a reference's words that the answer has, for the reference of which it has most."""
    answer, references = answer_and_references(item, outcome)
    counter = Counter(normalise_words(answer))
    wanted = [Counter(normalise_words(reference)) for reference in references]
    return max((100 * (counter & words).total() / words.total() for words in wanted if words), default=0.0)


def summarise_judging(contents: FolderContents, scores: Mapping[str, Scores]) -> dict[str, Any] | None:
    """The total usage of the rater in the folder's record; None if nothing was rated.

    `unrated` counts the answers without a usable rating, `problems` the reasons, `others` names other raters in the
    folder. `calibration` is how far the judge agrees with known verdicts, `lengths` its scores by length; both may be
    None. `unproven` are the metrics whose judge may agree by chance alone.
    """
    dataset, keys = contents.dataset, {one.key for of in contents.outcomes.values() for one in of}
    raters = Raters.of_record(contents.what)
    metrics, rater = raters.metrics_with_model(dataset.metrics), raters.model_names(dataset.metrics)
    judgements = [one for one in contents.judgements if one.rater == rater and one.key in keys]
    if not judgements:
        return None
    line, items = newest_calibration(contents), dataset.by_id
    unrated = [one for one in judgements if metrics_for_question(metrics, items[one.item]) - one.scores.keys()]
    return {
        "rater": rater,
        "judgements": len(judgements),
        "unrated": len(unrated),
        "problems": dict(Counter(one.problem for one in unrated if one.problem)),
        **{name: sum(getattr(one, name) for one in judgements) for name in COUNTS},
        "cost": whole_cost(one.cost for one in judgements),
        "others": sorted({one.rater for one in contents.judgements} - {rater}),
        "calibration": summarise_calibration(line, pairs_for(dataset)),
        "unproven": find_unproven_metrics(line, dataset),
        "lengths": _lengths(contents, scores),
    }


def newest_calibration(contents: FolderContents) -> Line | None:
    """The newest verdicts of the judge in the folder's record, by the prompts by which it judges; None without any."""
    judge, own = Raters.of_record(contents.what).judge, contents.what.get("own_prompts", {})
    return find_newest_line(contents.calibrations, judge, basis(own))


def _lengths(contents: FolderContents, scores: Mapping[str, Scores]) -> dict[str, Any] | None:
    """The scores by length of the first of the judge's metrics that has any."""
    judged = metrics_rated_by("judge", contents.dataset.metrics)
    metric = next((name for name in judged if any(of[name] for of in scores.values())), None)
    if metric is None:
        return None
    answers = [
        (outcome, score)
        for method, outcomes in contents.outcomes.items()
        for outcome in outcomes
        if outcome.status != "failed" and not outcome.by_substitute(contents.model)
        if (score := scores[method][metric].get(outcome.run, {}).get(outcome.item)) is not None
    ]
    return by_length(metric, contents.dataset.by_id, answers)

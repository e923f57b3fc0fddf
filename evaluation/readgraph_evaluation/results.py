"""The results of an evaluation: each method's scores, usage and walks, from what its folder holds; and of two compared.

Two evaluations are compared by the scores on the questions that both answered, and by differences in their settings.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from readgraph import BadInput
from readgraph.sources.loading import fault_of, printable_path
from readgraph_evaluation.floors import score_floors
from readgraph_evaluation.folder import SCORES, EvaluationFolder, FolderContents
from readgraph_evaluation.judges.calibration import find_unproven_metrics, newest_calibration, summarise_judging
from readgraph_evaluation.line_shapes import COUNTS
from readgraph_evaluation.metrics import METRICS, Raters, Scores, metrics_for_question
from readgraph_evaluation.records import Dataset, Item, Judgement, Outcome, texts_of
from readgraph_evaluation.reproducing import figures_of_papers
from readgraph_evaluation.rows import count_left_out
from readgraph_evaluation.statistics import ScoreSummary, pair_methods, summarise_scores

__all__ = ["WalkFigures", "results_of", "walk_figures"]


def whole_episodes(steps: Mapping[int, Mapping[str, float]], items: Mapping[str, Item]) -> dict[int, dict[str, float]]:
    """By run and last step, 100 for an episode whose steps all have 100, else 0; none where a step has no score."""
    whole = defaultdict[int, dict[str, float]](dict)
    for run, scores in steps.items():
        for of in _steps_by_episode(scores, items).values():
            step = items[of[-1]].step
            if step and len(of) == step.steps:
                whole[run][of[-1]] = 100.0 * all(scores[item] == 100 for item in of)
    return whole


def by_episode(scores: Mapping[str, float], items: Mapping[str, Item]) -> dict[str, float]:
    """The scores, with one value for all steps of an episode: their mean; other questions stay as they are."""
    others = {item: score for item, score in scores.items() if items[item].step is None}
    episodes = _steps_by_episode(scores, items).items()
    return others | {episode: fmean(scores[item] for item in of) for episode, of in episodes}


def _steps_by_episode(scores: Mapping[str, float], items: Mapping[str, Item]) -> dict[str, list[str]]:
    """The steps that have a score, by their episodes, in the order of the items."""
    steps = defaultdict[str, list[str]](list)
    for item in items.values():
        if item.step and item.id in scores:
            steps[item.step.episode].append(item.id)
    return steps


RIGHT = 50.0  # an answer with at least this score counts as right in figures that need a yes or no


def scores_of(dataset: Dataset, outcomes: Iterable[Outcome], judgements: Iterable[Judgement], model: str) -> Scores:
    """The scores of one method's outcomes: 0 for a failed one, and for a substitute's answer in a `model`'s place."""
    items = dataset.by_id
    judged = {judgement.key: judgement.scores for judgement in judgements}
    rated = {name for scores in judged.values() for name in scores}
    scores: Scores = {name: defaultdict(dict) for name in dataset.metrics}
    by_run = defaultdict[int, list[tuple[Item, Outcome]]](list)
    for outcome in outcomes:
        failed = dict.fromkeys(metrics_for_question(rated, items[outcome.item]), 0.0)
        given = failed if outcome.status == "failed" else judged.get(outcome.key, {})
        if outcome.by_substitute(model):
            given = dict.fromkeys(given, 0.0)
        item, answered = items[outcome.item], outcome.by_method(model)
        by_run[outcome.run].append((item, answered))
        for name in dataset.metrics:
            metric = METRICS[name]
            score = metric.score_best(item, answered) if metric.score else given.get(name)
            if score is not None:
                scores[name][outcome.run][outcome.item] = 0.0 if outcome.status == "failed" else score
    for metric in map(METRICS.__getitem__, dataset.metrics):
        if metric.all_of:
            scores[metric.name] |= whole_episodes(scores[metric.all_of], items)
        if metric.of_run:
            scores[metric.name] |= {run: found for run, asked in by_run.items() if (found := metric.of_run(asked))}
    return scores


GAVE_AN_ANSWER = ("answered", "nearest")  # statuses of a reading that gives one; without a model it is a passage


@dataclass(frozen=True, slots=True)
class WalkFigures:
    """Figures of the walks of a set of questions; percentages from 0 to 100, None if there is nothing to count.

    `stray_ratio`: questions whose walk turned back; `recovery_rate`: the share of these that were answered correctly
    all the same. `percent_read`: words of the text in the segments that were read, on average; `percent_shown`: those
    of all tree nodes and segments that were shown, as the paper counts (figure 4). `usable_replies`: with a tree built
    before, its valid actions. `hops`: decisions a question.
    """

    questions: int
    answered: float
    stray_ratio: float
    recovery_rate: float | None
    percent_read: float
    usable_replies: float | None
    hops: float
    percent_shown: float | None = None


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
    shown = [outcome.percent_shown for outcome in walks if outcome.percent_shown is not None]
    replies, refused = sum(outcome.calls for outcome in walks), sum(outcome.refused for outcome in walks)
    return WalkFigures(
        questions=len(walks),
        answered=_percent([outcome.status in GAVE_AN_ANSWER for outcome in walks]),
        stray_ratio=_percent([bool(outcome.strayed) for outcome in walks]),
        recovery_rate=_percent(recovered) if recovered else None,
        percent_read=round(fmean(outcome.percent_read or 0.0 for outcome in walks), 2),
        percent_shown=round(fmean(shown), 2) if shown else None,
        usable_replies=round(100 * (replies - refused) / replies, 2) if replies else None,
        hops=round(fmean(outcome.hops or 0 for outcome in walks), 2),
    )


def _percent(flags: Sequence[bool]) -> float:
    return round(100 * sum(flags) / len(flags), 2)


FIGURES = (
    *("compression_rate", "look_ups", "answer_words", "hops", "percent_read"),
    *("calls", "input_words", "output_words", "refused", "percent_cached"),
)  # properties of outcomes whose means are given, over the questions that have a value


class ScoredEvaluation(FolderContents):
    """The contents of a folder with the scores of its answers, and the results that are made of both."""

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """The scores of each method's outcomes, by the raters that the folder's record names."""
        rater = Raters.of_record(self.what).model_names(self.dataset.metrics)
        judged = [judgement for judgement in self.judgements if judgement.rater == rater]
        return {name: scores_of(self.dataset, of, judged, self.model) for name, of in self.outcomes.items()}

    @cached_property
    def results(self) -> dict[str, Any]:
        """The value of results.json: see `results_of`."""
        judging = summarise_judging(self, self.scores)
        methods = [self._results_of(name) for name in self.outcomes]
        for method in methods:
            for name, metric in method["metrics"].items():
                metric["unproven_judge"] = name in (judging or {}).get("unproven", ())
        return {
            "what": self.what,
            "metrics": list(self.dataset.metrics),
            "methods": methods,
            "judging": judging,
            "paired": [*self._pairs()],
            "floors": score_floors(self.dataset),
            "published": figures_of_papers(self.dataset.name, self.what.get("experiment", "")),
        }

    @property
    def methods(self) -> list[dict[str, Any]]:
        """The results of each method."""
        return list(self.results["methods"])

    @property
    def metrics(self) -> list[str]:
        """The dataset's metrics that have scores (one that needs a judge may have none), the leading one first."""
        scored = {name for scores in self.scores.values() for name, by_run in scores.items() if by_run}
        return [name for name in self.dataset.metrics if name in scored] or [self.dataset.metrics[0]]

    @property
    def built(self) -> list[dict[str, Any]]:
        """The finished memories."""
        return [memory for memory in self.memories if "memory" in memory]

    @property
    def text_words(self) -> dict[str, int]:
        """The words of each text that a memory was built of."""
        return {memory["text"]: memory["words"] for memory in self.built}

    def leading_scores(self, method: str) -> dict[int, dict[str, float]]:
        """A method's scores by its first metric that has any: a metric that needs a judge may have none."""
        return next((by_run for by_run in self.scores[method].values() if by_run), {})

    def score(self, outcome: Outcome, metric: str) -> float | None:
        """An outcome's score; None if the metric doesn't apply to the question or the outcome was not rated."""
        return self.scores[outcome.method][metric].get(outcome.run, {}).get(outcome.item)

    def _pairs(self) -> Iterator[dict[str, Any]]:
        """Each method beside each other system, by the leading metric (see `pair_methods`)."""
        others, texts = self.what.get("answers", {}), texts_of(self.dataset.items)
        for one, other in product([name for name in self.outcomes if name not in others], others):
            if other in self.outcomes:
                runs = [[*self.leading_scores(name).values()] for name in (one, other)]
                if pair := pair_methods(runs[0], runs[1], texts):
                    unanswered = [sum(outcome.by_substitute(self.model) for outcome in self.outcomes[one]), 0]
                    yield {"methods": [one, other], **pair, "not_answered": unanswered}

    def _results_of(self, method: str) -> dict[str, Any]:
        outcomes, items = self.outcomes[method], self.dataset.by_id
        answered = [outcome for outcome in outcomes if outcome.status != "failed"]
        failed = [outcome for outcome in outcomes if outcome.status == "failed"]
        # The lines of the method's memories, whichever method built them, and of its unfinished memories.
        mine = [line for line in self.memories if line["method"] == method]
        own = {line["memory"] for line in mine if "memory" in line}
        built = [line for line in self.memories if line.get("memory") in own]
        built += [line for line in mine if "memory" not in line]
        counted = [*(line["fallbacks"] for line in built), *(one.fallbacks for one in answered)]
        fallbacks = sum(map(Counter, counted), Counter[str]())
        leading = self.leading_scores(method)
        right = [leading.get(one.run, {}).get(one.item, 0.0) >= RIGHT for one in answered]
        walks = walk_figures(answered, right)
        replies = sum(one.calls for one in answered)
        return {
            "method": method,
            "runs": len({outcome.run for outcome in outcomes}),
            "outcomes": len(outcomes),
            "statuses": dict(Counter(outcome.status for outcome in outcomes)),
            "not_answered": sum(outcome.by_substitute(self.model) for outcome in outcomes),
            "left_out": count_left_out(method, self.what, self.dataset.items),
            "metrics": {name: _metric(by_run, items) for name, by_run in self.scores[method].items() if by_run},
            "figures": self._figures(answered),
            "walks": asdict(walks) if walks else None,
            "valid_replies": 100 * (1 - sum(one.refused for one in answered) / replies) if replies else None,
            "fallbacks": dict(sorted(fallbacks.items())),
            "seconds": _of_known(fmean, (one.usage["seconds"] for one in answered)),
            "cost": _of_known(sum, (one.cost for one in outcomes)),
            "building": _build_usage(method, built),
            "failures": [{"item": one.item, "run": one.run, "problem": one.problem} for one in failed],
        }

    def _figures(self, answered: Sequence[Outcome]) -> dict[str, float | None]:
        """The means of `FIGURES`, of a method's own free answers, and the words of the text in view (GAM, table 4)."""
        items, sizes = self.dataset.by_id, self.text_words
        mine = [outcome.by_method(self.model) for outcome in answered]
        of_figure = {"answer_words": [outcome for outcome in mine if not items[outcome.item].options]}
        in_view = [
            (1 - one.compression_rate / 100) * sizes[items[one.item].text]
            for one in answered
            if one.compression_rate is not None and items[one.item].text in sizes
        ]
        figures = {name: [getattr(one, name) for one in of_figure.get(name, mine)] for name in FIGURES}
        return {name: _of_known(fmean, values) for name, values in {**figures, "words_in_view": in_view}.items()}


def results_of(dataset: Dataset, folder: EvaluationFolder) -> dict[str, Any]:
    """All results as a plain JSON value, without those about other questions than the dataset's.

    `what` is the folder's record, `published` holds papers' figures, `paired` each method beside each other system,
    `judging` see `summarise_judging`, `floors` what answers score that nobody read for (`readgraph_evaluation.floors`;
    empty without the dataset's texts). Each of the `methods` has `metrics` by name (see `_metric`), `figures` (means
    per question; `words_in_view`: of the text, in an answer's context), `building` (the memories' usage in all runs),
    `fallbacks`, `not_answered` (but by its substitute), `left_out` (questions that the row does not take), and
    `failures`.
    """
    return ScoredEvaluation.of(dataset, folder).results


def _metric(by_run: Mapping[int, Mapping[str, float]], items: Mapping[str, Item]) -> dict[str, Any]:
    """The summary of a metric's scores, overall and by categories and groups; an episode counts as one question."""
    asked = {items[item] for scores in by_run.values() for item in scores}
    own = sorted({item.category for item in asked})
    named = dict.fromkeys([*own, *sorted({name for item in asked for name in item.groups})])

    def summary_of(category: str | None) -> ScoreSummary | None:
        """The summary of a category's questions, or of all."""
        counted = {item.id for item in items.values() if category in (None, item.category, *item.groups)}
        runs = [{item: score for item, score in run.items() if item in counted} for run in by_run.values()]
        return summarise_scores([by_episode(run, items) for run in runs], texts_of(items.values()))

    overall = summary_of(None)
    parts = {name: part for name in named if (part := summary_of(name))}
    assert overall is not None, "metrics without scores are left out"
    return {
        **asdict(overall),
        "category_mean": fmean(parts[name].mean for name in own if name in parts) if len(own) > 1 else None,
        "categories": {name: asdict(part) for name, part in parts.items()},
    }


def categories_of(metric: dict[str, Any] | None) -> dict[str, Any]:
    """The figures of a metric by category; none where the dataset has no categories."""
    categories: dict[str, Any] = metric["categories"] if metric else {}
    return categories if any(categories) else {}


def _build_usage(method: str, built: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The usage of the method's memories, and their sizes; rows that share one wait together, so the longest counts."""
    longest: dict[object, float] = {}
    for number, line in enumerate(built):
        memory = line.get("memory", number)
        longest[memory] = max(longest.get(memory, 0.0), line["seconds"])
    own = {line["memory"]: line for line in built if line["method"] == method and "memory" in line}
    return {
        "memories": len(own),
        **{used: sum(line[used] for line in built) for used in COUNTS},
        "seconds": sum(longest.values()),
        "cost": _of_known(sum, (line["cost"] for line in built)),
        "text_words": sum(line["words"] for line in own.values()),
        "pages": sum(len(line["page_words"]) for line in own.values()),
        "note_words": sum(sum(line["note_words"]) for line in own.values()),
    }


def _of_known(figure: Callable[[list[float]], float], values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return figure(known) if known else None


def difference_of(one: Path, other: Path) -> dict[str, Any]:
    """The second evaluation minus the first, as a plain JSON value.

    `pairs`: see `pair_methods`; `not_answered` counts what a substitute answered. `differs` has both values of settings
    and versions that are not the same, `unproven_judge` whether each one's judge is. Raises `BadInput` without a pair.
    """
    records = [EvaluationFolder(path).what() for path in (one, other)]
    shown = printable_path(one), printable_path(other)
    _check_the_same_questions(*shown, records)
    evaluations = [_load_scored(path) for path in (one, other)]
    metric, metric_after = (evaluation.metrics[0] for evaluation in evaluations)
    if metric != metric_after:
        raise BadInput(f"{shown[0]} is scored by {metric} and {shown[1]} by {metric_after}: run both again.")
    before, after = (evaluation.scores for evaluation in evaluations)
    pairs, texts = list[dict[str, Any]](), texts_of(evaluations[0].dataset.items)
    shared = [(name, name) for name in before if name in after]
    left, right = [name for name in before if name not in after], [name for name in after if name not in before]
    for first, second in [*shared, *([(left[0], right[0])] if len(left) == len(right) == 1 else [])]:
        if pair := pair_methods([*before[first][metric].values()], [*after[second][metric].values()], texts):
            readings = zip(evaluations, (first, second), strict=True)
            unanswered = [sum(one.by_substitute(each.model) for one in each.outcomes[name]) for each, name in readings]
            pairs.append({"methods": [first, second], **pair, "not_answered": unanswered})
    if not pairs:
        raise BadInput(f"{shown[0]} and {shown[1]} have no method, or no question, in common.")
    flat = [_flat_settings(record) for record in records]
    of_judges = [find_unproven_metrics(newest_calibration(each), each.dataset) for each in evaluations]
    return {
        "folders": [str(one), str(other)],
        "dataset": records[0]["dataset"],
        "metric": metric,
        "unproven_judge": [metric in unproven for unproven in of_judges],
        "pairs": pairs,
        "differs": {
            name: [record.get(name) for record in flat]
            for name in dict.fromkeys([*flat[0], *flat[1]])
            if flat[0].get(name) != flat[1].get(name)
        },
    }


def _check_the_same_questions(one: str, other: str, records: list[dict[str, Any]]) -> None:
    names = [record["dataset"] for record in records]
    if names[0] != names[1]:
        raise BadInput(f"{one} is about {names[0]} and {other} about {names[1]}: nothing to compare.")
    if records[0]["file"] and records[1]["file"] and records[0]["file"]["sha256"] != records[1]["file"]["sha256"]:
        raise BadInput(f"{one} and {other} were made with different files of questions: run one again with the same.")


def _load_scored(path: Path) -> ScoredEvaluation:
    if not (path / SCORES).exists():
        raise fault_of(path, f"holds no {SCORES}: the evaluation isn't finished; give the same command again to go on.")
    folder = EvaluationFolder(path)
    return ScoredEvaluation.of(folder.dataset(), folder)


def _flat_settings(record: Mapping[str, Any]) -> dict[str, Any]:
    """All that figures depend on in one flat dictionary: settings, and versions of prompts and packages."""
    named = {"runs": record["runs"], "judge": record["judge"], "questions": record["questions"], **record["settings"]}
    for group in ("prompts", "packages"):
        named |= {f"{group[:-1]} {name}": version for name, version in record[group].items()}
    return named

"""The results of an evaluation: each method's scores and usage, from the answers and judgements in its folder."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from readgraph.evaluation.folder.contents import FolderContents
from readgraph.evaluation.folder.evaluation_folder import EvaluationFolder
from readgraph.evaluation.folder.usage import COUNTS
from readgraph.evaluation.judges.judging_summary import judging_summed_up
from readgraph.evaluation.metrics import Scores
from readgraph.evaluation.records import Dataset, Item, Outcome, texts_of
from readgraph.evaluation.results.episodes import by_episode
from readgraph.evaluation.results.papers_figures import published_figures
from readgraph.evaluation.results.scores import RIGHT, leading, scores_by_method
from readgraph.evaluation.rows.summary_row import left_out
from readgraph.evaluation.statistics import Summary, summarise
from readgraph.evaluation.walks import walk_figures

FIGURES = (
    *("compression_rate", "look_ups", "answer_words", "hops", "percent_read"),
    *("calls", "input_words", "output_words", "refused"),
)
"""Properties of outcomes whose means are given, over the questions that have a value."""


def results_of(dataset: Dataset, folder: EvaluationFolder) -> dict[str, Any]:
    """All results as a plain JSON value, without those about other questions than the dataset's.

    `what` is the folder's record, `metrics` are the names of the dataset's metrics, `published` holds papers' figures.
    `methods` has one entry per method, in the order in which they were named: `metrics` by name (see `_metric`),
    `figures` (means per question; `words_in_view`: words of the text in an answer's context), `building` (the memories'
    usage in all runs), `fallbacks` (of memories and answers), `not_answered` (by the method, but by its substitute),
    `left_out` (questions that the row does not take), `failures`. `judging` describes the rater: see
    `judging_summed_up`.
    """
    contents = FolderContents.of(dataset, folder)
    return summed_up(dataset, contents, scores_by_method(dataset, contents))


def summed_up(dataset: Dataset, contents: FolderContents, scores: Mapping[str, Scores]) -> dict[str, Any]:
    """The results (see `results_of`) with these scores."""
    judging = judging_summed_up(dataset, contents, scores)
    methods = [_method(name, dataset, contents, scores[name]) for name in contents.outcomes]
    for method in methods:
        for name, metric in method["metrics"].items():
            metric["unproven_judge"] = name in (judging or {}).get("unproven", ())
    return {
        "what": contents.what,
        "metrics": list(dataset.metrics),
        "methods": methods,
        "judging": judging,
        "published": published_figures(dataset.name),
    }


def _method(name: str, dataset: Dataset, contents: FolderContents, scores: Scores) -> dict[str, Any]:
    outcomes, memories = contents.outcomes[name], contents.memories
    items = {item.id: item for item in dataset.items}
    answered = [outcome for outcome in outcomes if outcome.status != "failed"]
    in_building = [line["fallbacks"] for line in _built(name, memories)]
    fallbacks = sum(map(Counter, [*in_building, *(one.fallbacks for one in answered)]), Counter[str]())
    return {
        "method": name,
        "runs": len({outcome.run for outcome in outcomes}),
        "outcomes": len(outcomes),
        "statuses": dict(Counter(outcome.status for outcome in outcomes)),
        "not_answered": sum(outcome.by_substitute(contents.model) for outcome in outcomes),
        "left_out": left_out(name, contents.what, dataset.items),
        "metrics": {metric: _metric(by_run, items) for metric, by_run in scores.items() if by_run},
        "figures": {
            **_figures(answered, items, contents.model),
            "words_in_view": _mean(_words_in_view(answered, items, memories)),
        },
        "walks": _walks(answered, leading(scores)),
        "valid_replies": _valid_replies(answered),
        "fallbacks": dict(sorted(fallbacks.items())),
        "seconds": _mean(one.usage["seconds"] for one in answered),
        "cost": _sum(one.cost for one in outcomes),
        "building": _building(name, memories),
        "failures": [
            {"item": one.item, "run": one.run, "problem": one.problem} for one in outcomes if one.status == "failed"
        ],
    }


def _metric(by_run: Mapping[int, Mapping[str, float]], items: Mapping[str, Item]) -> dict[str, Any]:
    """The summary of a metric's scores (see `Summary`), overall and by the questions' categories and groups.

    Steps of an episode count together as one question, with their mean. `category_mean` is the mean of the categories'
    means, where each category counts alike; None with one category.
    """
    asked = {items[item] for scores in by_run.values() for item in scores}
    own = sorted({item.category for item in asked})
    named = dict.fromkeys([*own, *sorted({name for item in asked for name in item.groups})])
    of_category = {
        name: [{item: score for item, score in run.items() if _counts_in(items[item], name)} for run in by_run.values()]
        for name in named
    }
    overall = _summary(by_run.values(), items)
    parts = {name: part for name, runs in of_category.items() if (part := _summary(runs, items))}
    assert overall is not None, "metrics without scores are left out"
    return {
        **asdict(overall),
        "category_mean": fmean(parts[name].mean for name in own if name in parts) if len(own) > 1 else None,
        "categories": {name: asdict(part) for name, part in parts.items()},
    }


def named_categories(metric: dict[str, Any] | None) -> dict[str, Any]:
    """The figures of a metric by category; none where the dataset has no categories."""
    categories: dict[str, Any] = metric["categories"] if metric else {}
    return categories if any(categories) else {}


def _counts_in(item: Item, category: str) -> bool:
    return category == item.category or category in item.groups


def _summary(runs: Iterable[Mapping[str, float]], items: Mapping[str, Item]) -> Summary | None:
    return summarise([by_episode(run, items) for run in runs], texts_of(items.values()))


def _walks(outcomes: Sequence[Outcome], leading: Mapping[int, Mapping[str, float]]) -> dict[str, Any] | None:
    """Figures of the walks; an answer counts as right if the leading metric scores it at least `RIGHT`."""
    right = [leading.get(outcome.run, {}).get(outcome.item, 0.0) >= RIGHT for outcome in outcomes]
    figures = walk_figures(outcomes, right)
    return asdict(figures) if figures else None


def _figures(outcomes: Sequence[Outcome], items: Mapping[str, Item], model: str) -> dict[str, float | None]:
    """The means of `FIGURES`. An answer has words where the method gave it, and where no option was to be chosen."""
    mine = [outcome.by_method(model) for outcome in outcomes]
    free = [outcome for outcome in mine if not items[outcome.item].options]
    return {
        field: _mean(getattr(one, field) for one in (free if field == "answer_words" else mine)) for field in FIGURES
    }


def _words_in_view(
    outcomes: Iterable[Outcome], items: Mapping[str, Item], memories: Iterable[dict[str, Any]]
) -> Iterator[float]:
    """Words of the text in the context of each answer (GAM, table 4, counts tokens)."""
    sizes = {memory["text"]: memory["words"] for memory in memories if "words" in memory}
    for outcome in outcomes:
        words = sizes.get(items[outcome.item].text)
        if words is not None and outcome.compression_rate is not None:
            yield (1 - outcome.compression_rate / 100) * words


def _valid_replies(outcomes: Sequence[Outcome]) -> float | None:
    """The percentage of replies that could be used; None if no model was asked."""
    replies = sum(outcome.calls for outcome in outcomes)
    return 100 * (1 - sum(outcome.refused for outcome in outcomes) / replies) if replies else None


def _building(method: str, memories: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The total usage of the method's memories, whichever method built them, and the sizes of pages and notes."""
    built = _built(method, memories)
    own = {line["memory"]: line for line in built if line["method"] == method and "memory" in line}
    return {
        "memories": len(own),
        **{used: sum(line[used] for line in built) for used in COUNTS},
        "seconds": _seconds(built),
        "cost": _sum(line["cost"] for line in built),
        "text_words": sum(line["words"] for line in own.values()),
        "pages": sum(len(line["page_words"]) for line in own.values()),
        "note_words": sum(sum(line["note_words"]) for line in own.values()),
    }


def _built(method: str, memories: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of the method's memories, whichever method built them, and of its unfinished memories."""
    mine = [line for line in memories if line["method"] == method]
    own = {line["memory"] for line in mine if "memory" in line}
    return [line for line in memories if line.get("memory") in own] + [line for line in mine if "memory" not in line]


def _seconds(built: Iterable[dict[str, Any]]) -> float:
    """The seconds of the memories: rows that share one wait for it together, so it counts once, with the longest."""
    longest: dict[object, float] = {}
    for number, line in enumerate(built):
        memory = line.get("memory", number)
        longest[memory] = max(longest.get(memory, 0.0), line["seconds"])
    return sum(longest.values())


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None

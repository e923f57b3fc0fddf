"""The files of results in an evaluation's folder: results.json, results.csv, scores.csv, and report.html.

The page's plots are SVG in the page itself; everything else is data that the page's script puts in as text.
"""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from typing import Any

from readgraph.doors.report.page import html_page
from readgraph.state.tables import disarm_formulas
from readgraph_evaluation.folder import REPORT, RESULTS, SCORES, TABLE, EvaluationFolder
from readgraph_evaluation.records import Dataset, Outcome
from readgraph_evaluation.report.plots import plots_of
from readgraph_evaluation.results import ScoredEvaluation, categories_of

SHOWN = ("id", "text", "question", "options", "correct", "references", "category", "unanswerable")
"""The fields of a question that the page shows."""


def report_data(evaluation: ScoredEvaluation) -> dict[str, Any]:
    """All data of the page except its plots.

    `results` are as in results.json, `recipes` memories' fingerprints by method. Each of the `questions` has its
    `answers`, by method (an index) and run, with `scores` by metric, the option's index (`choice`), why the reading
    failed (`problem`), and `substitute` where passages were quoted in the model's place.
    """
    recipes = defaultdict[str, dict[str, None]](dict)
    for memory in evaluation.built:
        recipes[memory["method"]][memory["fingerprint"]] = None
    answers = defaultdict[str, list[dict[str, Any]]](list)
    for number, outcomes in enumerate(evaluation.outcomes.values()):
        for outcome in outcomes:
            answers[outcome.item].append({"method": number, **_answer(evaluation, outcome)})
    dataset = evaluation.dataset
    return {
        "results": evaluation.results,
        "metrics": evaluation.metrics,
        "titles": {text.id: text.title for text in dataset.texts},
        "recipes": {method: list(of) for method, of in recipes.items()},
        "questions": [
            {**{name: getattr(item, name) for name in SHOWN}, "answers": answers[item.id]} for item in dataset.items
        ],
    }


def _answer(evaluation: ScoredEvaluation, outcome: Outcome) -> dict[str, Any]:
    scores = {metric: evaluation.score(outcome, metric) for metric in evaluation.dataset.metrics}
    shown = {
        "run": outcome.run,
        "status": outcome.status,
        "scores": {metric: round(score, 2) for metric, score in scores.items() if score is not None},
        "answer": outcome.answer,
        "choice": outcome.choice,
        "problem": outcome.problem or None,
        "substitute": outcome.by_substitute(evaluation.model) or None,
    }
    return {name: value for name, value in shown.items() if value is not None}


STYLES, SCRIPTS = ("evaluation.css", "questions.css"), ("tables.js", "judge.js", "questions.js", "evaluation.js")


def evaluation_page(evaluation: ScoredEvaluation) -> str:
    """The page: plots, and the data that its scripts show."""
    shared, own = (files(package).joinpath("assets") for package in ("readgraph.doors.report", __package__))
    styles = [shared.joinpath("base.css"), *map(own.joinpath, STYLES)]
    scripts = [shared.joinpath("elements.js"), *map(own.joinpath, SCRIPTS)]
    figures = [
        f'\n<figure class="plot"><figcaption><h3>{escape(plot.heading)}</h3><p>{escape(plot.line)}</p></figcaption>'
        f'<div class="panels">{"".join(plot.panels)}</div></figure>'
        for plot in plots_of(evaluation)
    ]
    return html_page("Evaluation", styles, scripts, report_data(evaluation), "".join(figures))


TABLE_COLUMNS = ("method", "metric", "category", "mean", "low", "high", "deviation", "questions", "runs", "judge")
"""`low` and `high` bound the 95 % interval, `deviation` is that of the runs' means: of scores, overall. `judge` is
"unproven" for a metric whose judge may agree with known verdicts by chance, otherwise empty."""

OVERALL, ALIKE = "overall", "mean of categories"  # in the column `category`


def write_results(dataset: Dataset, folder: EvaluationFolder) -> dict[str, Any]:
    """Rewrite all files of results from what the folder holds; gives the value of results.json."""
    evaluation = ScoredEvaluation.of(dataset, folder)
    folder.write(RESULTS, json.dumps(evaluation.results, ensure_ascii=False, indent=1) + "\n")
    folder.write(TABLE, _csv(TABLE_COLUMNS, table_rows(evaluation.results)))
    categories = {item.id: item.category for item in dataset.items}
    scores = (
        (method, outcome.run, outcome.item, categories[outcome.item], metric, score)
        for method, outcomes in evaluation.outcomes.items()
        for outcome in outcomes
        for metric in dataset.metrics
        if (score := evaluation.score(outcome, metric)) is not None
    )
    folder.write(SCORES, _csv(("method", "run", "item", "category", "metric", "score"), scores))
    folder.write(REPORT, evaluation_page(evaluation))
    return evaluation.results


def table_rows(results: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """The rows of results.csv: of each method and metric that of all questions, then one a category; then its use."""
    for method in results["methods"]:
        for name, metric in method["metrics"].items():
            low, high = metric["interval"] or (None, None)
            figures = (metric["mean"], low, high, metric["deviation"], metric["questions"])
            runs_and_judge = (method["runs"], "unproven" if metric["unproven_judge"] else "")
            yield method["method"], name, OVERALL, *figures, *runs_and_judge
            if metric["category_mean"] is not None:
                alike = (metric["category_mean"], None, None, None, metric["questions"])
                yield method["method"], name, ALIKE, *alike, *runs_and_judge
            for category, of in categories_of(metric).items():
                yield method["method"], name, category, of["mean"], None, None, None, of["questions"], *runs_and_judge
        questions, walks = method["outcomes"] // method["runs"], method["walks"] or {}
        used = method["figures"] | {name: walks[name] for name in ("stray_ratio", "recovery_rate") if name in walks}
        used |= {name: method[name] for name in ("valid_replies", "seconds", "cost")}
        used |= {f"building_{name}": value for name, value in method["building"].items()}
        used |= {"not_answered": method["not_answered"], "failures": len(method["failures"])}
        for name, value in used.items():
            if value is not None:
                yield method["method"], name, OVERALL, value, None, None, None, questions, method["runs"], ""

    for name, metrics in results["floors"].items():
        for metric, mean in metrics.items():
            yield name, metric, OVERALL, mean, None, None, None, results["what"]["questions"], None, ""


def _csv(columns: Iterable[str], rows: Iterable[tuple[object, ...]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:  # names, ids and categories are a dataset's
        writer.writerow([disarm_formulas(value) if isinstance(value, str) else value for value in row])
    return written.getvalue()

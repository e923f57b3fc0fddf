"""The files of results in an evaluation's folder, for programs, for spreadsheets, and for people.

results.json   all figures (see `readgraph.evaluation.results.figures`)
results.csv    a figure a row: what a method scored, overall and by category, and what it used
scores.csv     a score a row: of every answer, by every metric, so that others can test and plot
report.html    one page that shows it all
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from readgraph.evaluation.folder.evaluation_folder import REPORT, RESULTS, SCORES, TABLE, EvaluationFolder
from readgraph.evaluation.records import Dataset
from readgraph.evaluation.report.page import evaluation_page
from readgraph.evaluation.results.figures import named_categories
from readgraph.evaluation.results.scored_evaluation import ScoredEvaluation, scored_evaluation
from readgraph.report.table_files import harmless

TABLE_COLUMNS = ("method", "metric", "category", "mean", "low", "high", "deviation", "questions", "runs", "judge")
"""`low` and `high` bound the 95 % interval, `deviation` is that of the runs' means: of scores, overall. `judge` is
`UNPROVEN` for a metric whose judge may agree with known verdicts by chance, otherwise empty."""

UNPROVEN = "unproven"

SCORE_COLUMNS = ("method", "run", "item", "category", "metric", "score")

OVERALL, ALIKE = "overall", "mean of categories"
"""In the column `category`: all questions; the mean of the categories' means."""


def write_results(dataset: Dataset, folder: EvaluationFolder) -> dict[str, Any]:
    """Rewrite all files of results from what the folder holds; gives the value of results.json."""
    evaluation = scored_evaluation(dataset, folder)
    folder.write(RESULTS, json.dumps(evaluation.results, ensure_ascii=False, indent=1) + "\n")
    folder.write(TABLE, _csv(TABLE_COLUMNS, table_rows(evaluation.results)))
    folder.write(SCORES, _csv(SCORE_COLUMNS, score_rows(evaluation)))
    folder.write(REPORT, evaluation_page(evaluation))
    return evaluation.results


def table_rows(results: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """The rows of results.csv: of each method and metric that of all questions, then one a category; then its use."""
    for method in results["methods"]:
        for name, metric in method["metrics"].items():
            low, high = metric["interval"] or (None, None)
            figures = (metric["mean"], low, high, metric["deviation"], metric["questions"])
            runs_and_judge = (method["runs"], UNPROVEN if metric["unproven_judge"] else "")
            yield method["method"], name, OVERALL, *figures, *runs_and_judge
            if metric["category_mean"] is not None:
                alike = (metric["category_mean"], None, None, None, metric["questions"])
                yield method["method"], name, ALIKE, *alike, *runs_and_judge
            for category, of in named_categories(metric).items():
                yield method["method"], name, category, of["mean"], None, None, None, of["questions"], *runs_and_judge
        questions = method["outcomes"] // method["runs"]
        for name, value in _use(method).items():
            if value is not None:
                yield method["method"], name, OVERALL, value, None, None, None, questions, method["runs"], ""


def _use(method: dict[str, Any]) -> dict[str, Any]:
    """What a method used by the names of results.json: means a question, and sums of cost and of what memories took."""
    walks = {name: value for name, value in (method["walks"] or {}).items() if name in ("stray_ratio", "recovery_rate")}
    building = {f"building_{name}": value for name, value in method["building"].items()}
    sums = {name: method[name] for name in ("valid_replies", "seconds", "cost")}
    counts = {"not_answered": method["not_answered"], "failures": len(method["failures"])}
    return {**method["figures"], **walks, **sums, **building, **counts}


def score_rows(evaluation: ScoredEvaluation) -> Iterator[tuple[object, ...]]:
    """The rows of scores.csv."""
    categories = {item.id: item.category for item in evaluation.dataset.items}
    for outcome, metric, score in evaluation.each_score():
        yield outcome.method, outcome.run, outcome.item, categories[outcome.item], metric, score


def _csv(columns: Iterable[str], rows: Iterable[tuple[object, ...]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:  # names, ids and categories are a dataset's
        writer.writerow([harmless(value) if isinstance(value, str) else value for value in row])
    return written.getvalue()

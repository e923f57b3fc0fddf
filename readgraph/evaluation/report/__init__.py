"""The files of results in an evaluation's folder, for programs, for spreadsheets, and for people.

results.json   all figures (see `readgraph.evaluation.results`)
results.csv    a figure a row: what a method scored, overall and by category, and what it used
scores.csv     a score a row: of every answer, by every metric, so that others can test and plot
report.html    one page that shows it all, made as the reading report is (see `readgraph.report.page`)

The page's plots are SVG in the page itself; everything else is data that the page's script puts in as text.
"""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from typing import Any, NotRequired

from typing_extensions import TypedDict

from readgraph.evaluation.folder import REPORT, RESULTS, SCORES, TABLE, EvaluationFolder
from readgraph.evaluation.records import Dataset, Item, Outcome
from readgraph.evaluation.report.plots import Plot, can_draw, plots_of
from readgraph.evaluation.results import ScoredEvaluation, categories_of
from readgraph.report.page import html_page
from readgraph.report.table_files import disarm_formulas


class ShownAnswer(TypedDict):
    """A method's answer to a question in a run. `method` is an index; `scores` are by metric, from 0 to 100.

    `choice` is the index of the option that was chosen; `problem` says why a reading failed; `substitute`: passages
    were quoted in the model's place.
    """

    method: int
    run: int
    status: str
    scores: dict[str, float]
    answer: NotRequired[str]
    choice: NotRequired[int]
    problem: NotRequired[str]
    substitute: NotRequired[bool]


class ShownQuestion(TypedDict):
    """A question with its right answer and the methods' answers, by method and run."""

    id: str
    text: str
    question: str
    options: list[str]
    correct: int | None
    references: list[str]
    category: str
    unanswerable: bool
    answers: list[ShownAnswer]


class EvaluationReportData(TypedDict):
    """All data of the page except its plots.

    `results` as in results.json, `titles` of texts by their ids, `recipes` the fingerprints of memories by method,
    `missing` says what is missing for plots, or is empty.
    """

    results: dict[str, Any]
    metrics: list[str]
    titles: dict[str, str]
    recipes: dict[str, list[str]]
    questions: list[ShownQuestion]
    missing: str


def report_data(evaluation: ScoredEvaluation, missing: str) -> EvaluationReportData:
    """The report of an evaluation."""
    answers = _answers(evaluation)
    recipes = defaultdict[str, dict[str, None]](dict)
    for memory in evaluation.built:
        recipes[memory["method"]][memory["fingerprint"]] = None
    return {
        "results": evaluation.results,
        "metrics": evaluation.metrics,
        "titles": {text.id: text.title for text in evaluation.dataset.texts},
        "recipes": {method: list(of) for method, of in recipes.items()},
        "questions": [_question(item, answers[item.id]) for item in evaluation.dataset.items],
        "missing": missing,
    }


def _question(item: Item, answers: list[ShownAnswer]) -> ShownQuestion:
    return {
        "id": item.id,
        "text": item.text,
        "question": item.question,
        "options": list(item.options),
        "correct": item.correct,
        "references": list(item.references),
        "category": item.category,
        "unanswerable": item.unanswerable,
        "answers": answers,
    }


def _answers(evaluation: ScoredEvaluation) -> dict[str, list[ShownAnswer]]:
    answers = defaultdict[str, list[ShownAnswer]](list)
    for number, outcomes in enumerate(evaluation.outcomes.values()):
        for outcome in sorted(outcomes, key=lambda outcome: outcome.run):
            answers[outcome.item].append(_answer(evaluation, number, outcome))
    return answers


def _answer(evaluation: ScoredEvaluation, method: int, outcome: Outcome) -> ShownAnswer:
    scores = {metric: evaluation.score(outcome, metric) for metric in evaluation.dataset.metrics}
    shown: ShownAnswer = {
        "method": method,
        "run": outcome.run,
        "status": outcome.status,
        "scores": {metric: round(score, 2) for metric, score in scores.items() if score is not None},
    }
    if outcome.answer is not None:
        shown["answer"] = outcome.answer
    if outcome.choice is not None:
        shown["choice"] = outcome.choice
    if outcome.problem:
        shown["problem"] = outcome.problem
    if outcome.by_substitute(evaluation.model):
        shown["substitute"] = True
    return shown


NO_PLOTS = "The plots need matplotlib: pip install 'readgraph[evaluation]'."

SHARED_STYLES, SHARED_SCRIPTS = ("base.css",), ("elements.js",)
"""Files of the reading report that this page uses too."""

STYLES, SCRIPTS = ("evaluation.css", "questions.css"), ("tables.js", "judge.js", "questions.js", "evaluation.js")


def evaluation_page(evaluation: ScoredEvaluation) -> str:
    """The page; without matplotlib it has a note instead of plots."""
    reading, own = (
        files(package).joinpath("assets") for package in ("readgraph.report", "readgraph.evaluation.report")
    )
    styles = [reading.joinpath(name) for name in SHARED_STYLES] + [own.joinpath(name) for name in STYLES]
    scripts = [reading.joinpath(name) for name in SHARED_SCRIPTS] + [own.joinpath(name) for name in SCRIPTS]
    drawable = can_draw()
    plots = plots_of(evaluation) if drawable else []
    data = report_data(evaluation, "" if drawable else NO_PLOTS)
    return html_page("Evaluation", styles, scripts, data, "".join(map(_figure, plots)))


def _figure(plot: Plot) -> str:
    caption = f"<h3>{escape(plot.heading)}</h3><p>{escape(plot.line)}</p>"
    panels = "".join(plot.panels)
    return f'\n<figure class="plot"><figcaption>{caption}</figcaption><div class="panels">{panels}</div></figure>'


TABLE_COLUMNS = ("method", "metric", "category", "mean", "low", "high", "deviation", "questions", "runs", "judge")
"""`low` and `high` bound the 95 % interval, `deviation` is that of the runs' means: of scores, overall. `judge` is
`UNPROVEN` for a metric whose judge may agree with known verdicts by chance, otherwise empty."""

UNPROVEN = "unproven"

SCORE_COLUMNS = ("method", "run", "item", "category", "metric", "score")

OVERALL, ALIKE = "overall", "mean of categories"
"""In the column `category`: all questions; the mean of the categories' means."""


def write_results(dataset: Dataset, folder: EvaluationFolder) -> dict[str, Any]:
    """Rewrite all files of results from what the folder holds; gives the value of results.json."""
    evaluation = ScoredEvaluation.of(dataset, folder)
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
            for category, of in categories_of(metric).items():
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
        writer.writerow([disarm_formulas(value) if isinstance(value, str) else value for value in row])
    return written.getvalue()

"""The runs that people have contributed, as a table."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from readgraph_evaluation.replaying import read_published_answers, read_published_scores, run_of

RUNS = Path(__file__).parents[2] / "runs"


class RowFigures(NamedTuple):
    """A row's figures by the run's records: the mean of each metric, questions, and calls a question."""

    scores: dict[str, float]
    questions: int
    calls: float | None


def figures_of_records(folder: Path) -> dict[str, RowFigures]:
    """The figures of each row, from the records alone: run.json only repeats them, and may say anything.

    A mean is over the questions, each question's runs averaged first (each step on web pages is a question).
    """
    scores, answers = read_published_scores(folder), read_published_answers(folder).values()
    of_questions: dict[str, Any] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for (method, _, item, metric), score in scores.items():
        of_questions[method][metric][item].append(score)
    found = {}
    for method in dict.fromkeys([*of_questions, *(answer.method for answer in answers)]):
        mine = [answer for answer in answers if answer.method == method]
        calls = [answer.calls for answer in mine if answer.status != "failed"]
        means = {metric: fmean(map(fmean, items.values())) for metric, items in of_questions[method].items()}
        found[method] = RowFigures(means, len({answer.item for answer in mine}), fmean(calls) if calls else None)
    return found


def contributed_runs(runs: Path = RUNS) -> str:
    """Each run of the folder with its figures, by its records; a line that says so where there is none."""
    folders = sorted(path.parent for path in runs.glob("*/run.json"))
    if not folders:
        return "No run has been contributed yet."
    rows = ["| run | dataset | model | row | scores | calls a question |", "|---|---|---|---|---|--:|"]
    return "\n".join([*rows, *(row for folder in folders for row in _rows(folder))])


def _rows(folder: Path) -> Iterator[str]:
    run = run_of(folder)
    model = run["settings"]["model"]
    model = run["models"].get(model, model) or "none: the extractive floor"
    for number, (method, found) in enumerate(figures_of_records(folder).items()):
        dataset = f"{run['dataset']}, {found.questions} questions"
        about = ["", "", ""] if number else [f"`{folder.name}`", dataset, model]
        shown = ", ".join(f"`{metric}` {value:.1f}" for metric, value in found.scores.items())
        calls = "–" if found.calls is None else f"{found.calls:.1f}"
        yield f"| {' | '.join([*about, f'`{method}`', shown, calls])} |"

"""The data of an evaluation's report as plain JSON values: the contract between Python and the page's script."""

from collections import defaultdict
from typing import Any, NotRequired

from typing_extensions import TypedDict

from readgraph.evaluation.records import Item, Outcome
from readgraph.evaluation.results.scored_evaluation import ScoredEvaluation


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
    for memory in evaluation.memories:
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

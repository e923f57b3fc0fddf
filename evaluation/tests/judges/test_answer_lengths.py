"""Whether a judge prefers long answers: scores by length, and with what is shared with the reference held equal."""

from typing import Any

import pytest

from evaluation.tests.support.evaluations import every, folder_of, quiz
from readgraph_evaluation.judges.calibration import JudgedAnswer, by_length, preference
from readgraph_evaluation.records import Item, Judgement, Outcome
from readgraph_evaluation.report import write_results
from readgraph_evaluation.results import results_of

ITEM = Item("q", "t", "What was lit?", ("the oil lamp",))


def lengths(*judged: tuple[str, float], item: Item = ITEM) -> dict[str, Any] | None:
    outcomes = [(Outcome("q", "gam", run, "answered", answer), score) for run, (answer, score) in enumerate(judged)]
    return by_length("judged_accuracy", {"q": item}, outcomes)


def test_answers_are_in_thirds_by_their_length() -> None:
    short, middle, long = ("lamp", 0.0), ("a lamp of oil", 0.0), ("it was the oil lamp on the stair", 100.0)
    found = lengths(*[long] * 4, *[short] * 4, *[middle] * 4)
    assert found and found["groups"] == [
        {"from": 1, "to": 1, "answers": 4, "score": 0, "shared": 50},
        {"from": 4, "to": 4, "answers": 4, "score": 0, "shared": 100},
        {"from": 8, "to": 8, "answers": 4, "score": 100, "shared": 100},
    ]


def test_answers_of_one_length_stay_together() -> None:
    found = lengths(*[("lamp", 0.0)] * 11, ("the oil lamp", 100.0))
    assert found and [(group["from"], group["to"], group["answers"]) for group in found["groups"]] == [
        (1, 1, 11),
        (3, 3, 1),
    ]


def test_few_answers_and_unanswerable_questions_say_nothing() -> None:
    assert lengths(*[("lamp", 0.0)] * 11) is None
    unanswerable = Item("q", "t", "Who?", ("It isn't told.",), unanswerable=True)
    assert lengths(*[("lamp", 0.0)] * 12, item=unanswerable) is None


def test_a_judge_that_likes_long_answers_has_a_preference() -> None:
    fair = [JudgedAnswer(words, 100.0 * (shared > 50), shared) for words in (2, 5, 20) for shared in (10, 40, 60, 90)]
    assert preference(fair) == pytest.approx(0, abs=1e-9)
    biased = [one._replace(score=100.0 * (one.words > 4)) for one in fair]
    found = preference(biased)
    assert found is not None and found > 0.8
    assert preference([one._replace(shared=50.0) for one in biased]) == pytest.approx(found)
    assert preference([one._replace(score=100.0) for one in fair]) is None, "a judge that says yes to all"
    assert preference([one._replace(words=3) for one in fair]) is None
    same = [JudgedAnswer(words, 100.0 * (words > 4), words) for words in (2, 5, 20, 30)]
    assert preference(same) is None, "longer answers just share more"


def test_the_results_hold_the_scores_by_length(tmp_path: Any) -> None:
    dataset = quiz(13)
    items = tuple(Item(item.id, item.text, item.question, ("this",)) for item in dataset.items)
    dataset = type(dataset)("own", dataset.texts, items, ("judged_accuracy",))
    made = folder_of(tmp_path / "a", quiz(13), {"bm25": every}, choice=None, answer="this")
    made.write("evaluation.json", (made.path / "evaluation.json").read_text().replace('"judge": null', '"judge": "j"'))
    for item in items:
        made.keep_judgement(Judgement(item.id, "bm25", 0, "j", {"judged_accuracy": 100.0}))
    judging = results_of(dataset, made)["judging"]
    assert judging["lengths"]["groups"] == [{"from": 1, "to": 1, "answers": 13, "score": 100, "shared": 100}]
    assert (judging["lengths"]["preference"], judging["calibration"]) == (None, None)
    write_results(dataset, made)
    assert "reference's words" in (made.path / "report.html").read_text(encoding="utf-8")

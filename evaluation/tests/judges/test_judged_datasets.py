"""`evaluate --judge` from the file of a dataset to its results: each kind of question is judged by its own rule."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.tests.support import datasets as made
from evaluation.tests.support.evaluations import by_method
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.rater import RULES, Rater
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, Command
from tests.support.questions import CHOICE, GOAT, WELL, story_file

pytestmark = pytest.mark.slow

JUDGE = ("--methods", "bm25", "--no-full-text", "--judge", "openai:judge")
TYPES = ("temporal-reasoning", "knowledge-update", "single-session-preference", "multi-session", "single-session-user")


def judged(rater: Rater) -> Any:
    """A model that reads as any does, and judges by a script."""
    return lambda request: rater(request) if asked_for(request).startswith("Agrees") else reader(request)


def test_long_mem_eval(readgraph: Command, server: ModelServer, tmp_path: Path, out: Path) -> None:
    asked = [made.long_mem_question(kind) | {"question_type": kind} for kind in TYPES]
    asked.append(made.long_mem_question("unknown_abs") | {"answer": "No oil was spoken of."})
    file = made.array(tmp_path / "longmemeval_s.json", *asked)
    known = {rule: {"7": "yes"} for rule in ("temporal", "update", "preference")}
    rater = Rater(**known, steps={"7": "no"}, abstention={"No oil was spoken of.": "yes"})
    server.respond = judged(rater)
    results = readgraph("evaluate", file, *DOUBLE, *JUDGE, "--out", out, "--json").json
    found = by_method(results)["bm25"]["metrics"]["judged_accuracy"]
    assert found["mean"] == pytest.approx(400 / 6) and found["questions"] == 6, "also what can't be answered"
    scores = {name: of["mean"] for name, of in found["categories"].items()}
    assert scores == {**dict.fromkeys(TYPES[:3], 100), **dict.fromkeys(TYPES[3:], 0), "abstention": 100}
    assert {kind for kind, _ in rater.asked} == {"abstention", "preference", "steps", "temporal", "update"}
    assert results["metrics"][0] == "judged_accuracy" and results["judging"]["calls"] == 6


def test_locomo_is_judged_generously_and_without_what_can_t_be_answered(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    file = made.array(tmp_path / "locomo10.json", made.locomo_sample())
    server.respond = judged(rater := Rater(generous={"2022": "yes", "No; it sank": "no"}))
    command = ("evaluate", file, *DOUBLE, *JUDGE, "--out", out)
    results = readgraph(*command, "--json").json
    found = by_method(results)["bm25"]["metrics"]
    assert results["metrics"][0] == "locomo_f1", "the official score leads"
    assert {kind for kind, _ in rater.asked} == {"generous"}
    assert "adversarial" not in found["judged_accuracy"]["categories"]
    assert found["judged_accuracy"]["questions"] == 2 and results["judging"]["unrated"] == 2, "two got no usable reply"
    assert found["judged_accuracy"]["mean"] == 50
    assert "2 answers got no usable verdict and no score" in readgraph(*command).text


def test_questions_of_one_s_own(readgraph: Command, server: ModelServer, tmp_path: Path, out: Path) -> None:
    unanswerable = {**GOAT, "id": "none", "unanswerable": True, "answer": "The log tells of no price."}
    silent = {**GOAT, "id": "silent", "unanswerable": True, "answer": ""}
    file = story_file(tmp_path, GOAT, WELL, CHOICE, unanswerable, silent)
    verdicts = {"It says so.": "yes", "Thirty-one feet.": "no"}
    server.respond = judged(rater := Rater(right=verdicts, abstention={"The log tells of no price.": "no"}))
    results = readgraph("evaluate", file, *DOUBLE, *JUDGE, "--out", out, "--json").json
    found = by_method(results)["bm25"]["metrics"]
    assert next(iter(found)) == "f1" and found["judged_accuracy"]["questions"] == 3
    assert found["judged_accuracy"]["mean"] == pytest.approx(100 / 3)
    assert sorted(kind for kind, _ in rater.asked) == ["abstention", "right", "right"]
    written = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert written["judging"]["lengths"] is None, "three answers say nothing of lengths"


def test_a_verdict_that_can_t_be_used_is_asked_for_again_with_a_complaint(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    complaints: list[str] = []

    def hesitant(request: ChatRequest) -> Any:
        if not asked_for(request).startswith("Agrees"):
            return reader(request)
        assert RULES["right"] in request.text
        complaints.append(request.last)
        return {"reason": "well", "agrees": "perhaps"} if len(complaints) == 1 else {"reason": "so", "agrees": "Yes."}

    server.respond = hesitant
    file = story_file(tmp_path, GOAT)
    results = readgraph("evaluate", file, *DOUBLE, *JUDGE, "--out", out, "--json").json
    assert by_method(results)["bm25"]["metrics"]["judged_accuracy"]["mean"] == 100
    assert (results["judging"]["calls"], results["judging"]["refused"]) == (2, 1)
    assert "agrees" in complaints[1] and complaints[1] != complaints[0]

"""What a substitute says in the model's place is not the method's answer: it is counted wrong, and shown apart."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.tests.support.evaluations import by_method, every, folder_of, quiz
from readgraph.state.context import ReaderContext
from readgraph_evaluation.records import Dataset
from readgraph_evaluation.report import write_results
from readgraph_evaluation.results import difference_of
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.support.command import DOUBLE, Command, plain
from tests.support.questions import GOAT, story_file

SAID = "Goat on gallery. Do not know how."
WHO = {
    "id": "who",
    "question": "Who wrote about the goat on the gallery?",
    "options": ["The keeper's goat on the gallery", "Nobody at all"],
    "answer_index": 0,
    "answer": "The keeper's goat on the gallery",
}


def useless(request: ChatRequest) -> str:
    return "I would rather not."


@pytest.mark.slow
def test_an_agent_that_never_answers_finds_no_nested_key(readgraph: Command, server: ModelServer, out: Path) -> None:
    server.respond = useless
    told = readgraph(
        "evaluate", "--dataset", "nested-keys", "--limit", 1, *DOUBLE, "--methods", "mem-gpt", "--out", out
    )
    assert "readings not answered by the method" in told.text
    found = by_method(json.loads((out / "results.json").read_text(encoding="utf-8")))["mem-gpt"]
    metric = found["metrics"]["substring_accuracy"]
    assert (metric["mean"], found["not_answered"]) == (0, 1)


@pytest.mark.slow
def test_a_substitutes_answer_is_wrong_in_every_method(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = useless
    unanswerable = {**GOAT, "id": "none", "question": "Zeppelins or xylophones?", "unanswerable": True, "answer": ""}
    file = story_file(tmp_path, {**GOAT, "answer": SAID}, WHO, unanswerable)
    methods = "mem-walker,recurrent,mem-gpt,gam,full-text,walk-and-research,overwrite-memory"
    told = readgraph("evaluate", file, *DOUBLE, "--methods", methods, "--out", out, "--json")
    for name, found in by_method(told.json).items():
        assert (name, found["not_answered"]) == (name, 3)
        assert {of["mean"] for metric, of in found["metrics"].items() if metric != "evidence_recall"} == {0}, name
        assert {"f1", "accuracy", "abstention"} <= found["metrics"].keys()


def dataset_of_words() -> Dataset:
    return replace(quiz(4), metrics=("f1",))


def substituted(path: Path, model: str, status: str = "nearest") -> Any:
    dataset, context = dataset_of_words(), ReaderContext(model=model)
    folder = folder_of(path, dataset, {"bm25": every}, context=context, status=status, by_rule=status == "budget")
    return folder, write_results(dataset, folder)


@pytest.mark.parametrize("status", ["nearest", "budget"])
def test_a_substitutes_answers_are_shown_apart(tmp_path: Path, readgraph: Command, status: str) -> None:
    folder, results = substituted(tmp_path / "a", "openai:double", status)
    (found,) = results["methods"]
    assert (found["metrics"]["f1"]["mean"], found["not_answered"]) == (0, 4)
    with (folder.path / "results.csv").open(encoding="utf-8", newline="") as file:
        assert {row["metric"]: row["mean"] for row in csv.DictReader(file)}["not_answered"] == "4"
    assert '"substitute":true' in (folder.path / "report.html").read_text(encoding="utf-8").replace(" ", "")
    other, floor = substituted(tmp_path / "b", "", status)
    assert (floor["methods"][0]["metrics"]["f1"]["mean"], floor["methods"][0]["not_answered"]) == (100, 0)
    assert difference_of(folder.path, other.path)["pairs"][0]["not_answered"] == [4, 0]
    shown = plain(readgraph("evaluate", "--diff", folder.path, other.path).out)
    assert "not answered" in shown and shown.split("bm25")[1].split()[-2:] != ["4", "4"]

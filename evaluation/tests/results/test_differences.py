"""The difference of two evaluations."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.tests.support.evaluations import CONTEXT, Right, even, every, folder_of, never, quiz
from readgraph.state.errors import BadInput
from readgraph_evaluation.report import write_results
from readgraph_evaluation.results import difference_of
from tests.support.command import Command, assert_refused


def test_the_same_answers_differ_by_nothing(tmp_path: Path) -> None:
    (pair,) = difference(tmp_path, {"bm25": even}, {"bm25": even})["pairs"]
    assert (pair["difference"], pair["p"], pair["better"]) == (0, 1, [0, 0])


def test_all_better_is_no_chance(tmp_path: Path) -> None:
    found = difference(tmp_path, {"bm25": never}, {"bm25": every})
    (pair,) = found["pairs"]
    assert pair["difference"] == 100 and pair["interval"] == (100, 100) and pair["p"] < 0.001
    assert (pair["means"], pair["better"], pair["questions"]) == ([0, 100], [0, 20], 20)
    assert found["differs"] == {}


def test_what_is_left_over_in_each_is_a_pair(tmp_path: Path) -> None:
    found = difference(tmp_path, {"full-text": even, "bm25": even}, {"gam": never, "full-text": even})
    assert [pair["methods"] for pair in found["pairs"]] == [["full-text", "full-text"], ["bm25", "gam"]]
    assert found["pairs"][1]["difference"] == -50 and found["pairs"][1]["better"] == [10, 0]


def test_questions_of_one_alone_are_left_out(tmp_path: Path) -> None:
    made(tmp_path / "a", {"bm25": even}, questions=6)
    made(tmp_path / "b", {"bm25": every}, questions=20)
    (pair,) = difference_of(tmp_path / "a", tmp_path / "b")["pairs"]
    assert (pair["questions"], pair["means"]) == (6, [50, 100])


def test_the_leading_metric_counts_also_where_the_first_question_has_none(tmp_path: Path) -> None:
    dataset = replace(quiz(6), metrics=("f1", "accuracy"))
    dataset = replace(dataset, items=(replace(dataset.items[0], references=()), *dataset.items[1:]))
    for name in ("a", "b"):
        write_results(dataset, folder_of(tmp_path / name, dataset, {"bm25": even}))
    found = difference_of(tmp_path / "a", tmp_path / "b")
    assert (found["metric"], found["pairs"][0]["questions"]) == ("f1", 5)


def test_what_differs_is_reported(tmp_path: Path, readgraph: Command) -> None:
    made(tmp_path / "a", {"bm25": even})
    made(tmp_path / "b", {"bm25": every}, context=replace(CONTEXT, model="openai:other", children=4))
    ran = readgraph("evaluate", "--diff", tmp_path / "a", tmp_path / "b")
    assert re.search(r"bm25 +20 +50\.0 +100\.0 +\+50\.0 \[\+\d\d\.0, \+\d\d\.0\] +0\.00\d +0 +10\n", ran.out)
    assert "model: openai:double → openai:other" in ran.out and "children: 8 → 4" in ran.out
    assert "children" not in readgraph("evaluate", "--diff", tmp_path / "a", tmp_path / "b", "-q").out
    differs = readgraph("evaluate", "--diff", tmp_path / "a", tmp_path / "b", "--json").json["differs"]
    assert differs == {"model": ["openai:double", "openai:other"], "children": [8, 4]}


def test_what_can_not_be_paired_is_refused(tmp_path: Path, readgraph: Command) -> None:
    made(tmp_path / "a", {"bm25": even})
    made(tmp_path / "other", {"bm25": even}, name="locomo")
    made(tmp_path / "methods", {"gam": even, "mem-walker": even})
    unfinished = folder_of(tmp_path / "unfinished", quiz(20), {"bm25": even})
    reasons = {
        "other": "is about quality and",
        "methods": "no method, or no question, in common",
        "nothing": "holds no evaluation",
        unfinished.path.name: "the evaluation isn't finished",
    }
    for name, reason in reasons.items():
        assert_refused(readgraph("evaluate", "--diff", tmp_path / "a", tmp_path / name), reason)
    assert_refused(readgraph("evaluate", "some.jsonl", "--diff", "a", "b"), "leave the file out")
    made(tmp_path / "file", {"bm25": even})
    for name in ("a", "file"):
        record = tmp_path / name / "evaluation.json"
        kept = json.loads(record.read_text(encoding="utf-8"))
        record.write_text(json.dumps({**kept, "file": {"name": "dev", "sha256": name}}), encoding="utf-8")
    with pytest.raises(BadInput, match="different files of questions"):
        difference_of(tmp_path / "a", tmp_path / "file")


def test_scores_are_those_of_the_answers_whatever_the_files_of_results_say(tmp_path: Path) -> None:
    honest = difference(tmp_path, {"bm25": even}, {"bm25": even})
    scores = tmp_path / "b" / "scores.csv"
    scores.write_text(scores.read_text(encoding="utf-8").replace(",0.0", ",100.0"), encoding="utf-8")
    assert difference_of(tmp_path / "a", tmp_path / "b") == honest


def made(path: Path, methods: dict[str, Right], questions: int = 20, name: str = "quality", **more: Any) -> None:
    dataset = quiz(questions, texts=questions, name=name)
    write_results(dataset, folder_of(path, dataset, methods, **more))


def difference(path: Path, one: dict[str, Right], other: dict[str, Right]) -> dict[str, Any]:
    made(path / "a", one)
    made(path / "b", other)
    return difference_of(path / "a", path / "b")

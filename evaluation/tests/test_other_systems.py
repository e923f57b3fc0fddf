"""Answers of other systems get the same metrics, intervals and paired tests as the methods'."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph.state.errors import BadInput
from readgraph_evaluation.metrics.answers import evidence_recall
from readgraph_evaluation.other_systems import load_answers
from readgraph_evaluation.records import Dataset, Item, Text, TextSpan
from tests.support.command import Command, assert_refused
from tests.support.examples import EXAMPLES

STORY = "The lamp went out at nine. Mara climbed the stair with oil. By dawn it burned again."
LAMP = Item("a", "story", "What went out?", ("The lamp",), evidence=(TextSpan(0, 26),))
WHO = Item("b", "story", "Who climbed?", options=("Nell", "Mara"), correct=1)
DATASET = Dataset("any", (Text("story", "Story", STORY),), (LAMP, WHO), ("f1", "accuracy", "evidence_recall"))


def written(folder: Path, *lines: dict[str, Any] | str, name: str = "mem0.jsonl") -> Path:
    file = folder / name
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return file


def test_answers_become_outcomes_with_what_was_in_view(tmp_path: Path) -> None:
    lamp = {"id": "a", "answer": "The lamp", "retrieved": ["the LAMP went out", "a whale sang of it"], "tokens": 400}
    file = written(tmp_path, lamp | {"seconds": 1.5, "cost": 0.02}, "", {"id": "b", "choice": "b"}, {"id": "z"})
    found = load_answers(file, DATASET)
    one, other = found.outcomes
    assert (one.method, one.status, one.read, one.cost) == ("mem0", "answered", (TextSpan(0, 17),), 0.02)
    assert (one.usage["input_tokens"], one.input_words, one.usage["seconds"]) == (400, 300, 1.5)
    assert (other.answer, other.choice) == ("Mara", 1)
    assert [*found.notes] == [
        "mem0: 1 retrieved passage not found in the texts, and not counted",
        "mem0: 1 answer to other questions left out",
    ]


def test_a_system_that_never_says_what_it_had_in_view_has_no_recall(tmp_path: Path) -> None:
    answers = {"id": "a", "answer": "The lamp"}, {"id": "b", "answer": "Mara"}
    items = [replace(item, evidence=(TextSpan(0, 4),)) for item in DATASET.items]
    never, once = (
        written(tmp_path, *answers),
        written(tmp_path, answers[0] | {"retrieved": []}, answers[1], name="b.jsonl"),
    )
    outcomes = [load_answers(file, DATASET).outcomes for file in (never, once)]
    untold, told = ([*map(evidence_recall, items, each)] for each in outcomes)
    assert (untold, told) == ([None, None], [0.0, 0.0])


def test_a_question_without_an_answer_counts(tmp_path: Path) -> None:
    declined, missing = load_answers(written(tmp_path, {"id": "a", "answer": None}), DATASET).outcomes
    assert (declined.status, missing.status, missing.problem) == (
        "no_answer",
        "failed",
        "mem0.jsonl has no line for it",
    )


@pytest.mark.parametrize("answer", ["B", "(b)", "Mara", "(B) Mara", "mara."])
def test_an_option_is_named_by_its_letter_or_its_words(tmp_path: Path, answer: str) -> None:
    (found,) = (
        each
        for each in load_answers(written(tmp_path, {"id": "b", "answer": answer}), DATASET).outcomes
        if each.item == "b"
    )
    assert (found.choice, found.answer) == (1, "Mara")


@pytest.mark.slow
def test_two_files_of_one_name_are_refused_and_others_take_the_place_of_what_is_held(
    tmp_path: Path, readgraph: Command
) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    questions, identity = EXAMPLES / "questions.jsonl", "the-lamp-at-sarn-head-q01"
    for folder in folders:
        folder.mkdir()
        written(folder, "\ufeff" + json.dumps({"id": identity, "answer": folder.name}))
    files = [folder / "mem0.jsonl" for folder in folders]
    command = ("evaluate", questions, "--out", tmp_path / "out", "--answers")
    assert_refused(readgraph(*command, files[0], "--answers", files[1]), "Two files of answers have one name")
    assert "take the place" not in readgraph(*command, files[0]).err
    assert "mem0: these answers take the place of others" in readgraph(*command, files[1]).err


@pytest.mark.parametrize(
    ("lines", "name", "told"),
    [
        (["nonsense"], "mem0.jsonl", "mem0.jsonl, line 1: "),
        (['{"answer": "x"}'], "mem0.jsonl", "line 1: id: Field required"),
        (['{"id": "a", "answer": 3}'], "mem0.jsonl", "answer: Input should be a valid string"),
        (['{"id": "b", "choice": "C"}'], "mem0.jsonl", "'C' is no option of 'b', which has 2"),
        (['{"id": "a"}', '{"id": "a"}'], "mem0.jsonl", "answers 'a' twice, the second time in line 2"),
        (['{"id": "a", "tokens": -4}'], "mem0.jsonl", "tokens: Input should be greater than or equal to 0"),
        (['{"id": "z"}'], "mem0.jsonl", "answers none of the questions of any"),
        (['{"id": "a"}'], "gam.jsonl", "would be called 'gam' like a row of ours"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_one_line(tmp_path: Path, lines: list[str], name: str, told: str) -> None:
    with pytest.raises(BadInput) as problem:
        load_answers(written(tmp_path, *lines, name=name), DATASET)
    assert told in str(problem.value) and "\n" not in str(problem.value)


@pytest.mark.slow
def test_they_stand_beside_the_methods_or_alone(tmp_path: Path, readgraph: Command) -> None:
    questions, out = EXAMPLES / "questions.jsonl", tmp_path / "out"
    asked = [question for line in questions.read_text().splitlines() for question in json.loads(line)["questions"]]
    right = [{"id": each["id"], "answer": each["answer"]} for each in asked if "answer" in each][:8]
    file = written(tmp_path, *right)
    command = ("evaluate", questions, "--answers", file, "--out", out)
    alone = readgraph(*command, "--json").json
    assert [method["method"] for method in alone["methods"]] == ["mem0"] and alone["paired"] == []
    assert alone["what"]["answers"]["mem0"]["name"] == "mem0.jsonl"
    lines = (out / "answers.jsonl").read_text()
    both = readgraph(*command, "--methods", "bm25", "--no-full-text")
    assert "bm25 → mem0" in both.out and "paired permutation test" in both.out
    assert (out / "answers.jsonl").read_text().startswith(lines), "what is held is not written again"
    assert "mem0" in (out / "report.html").read_text()
    again = readgraph("evaluate", questions, "--methods", "bm25", "--no-full-text", "--out", out, "--json").json
    assert [pair["methods"] for pair in again["paired"]] == [["bm25", "mem0"]], "they stay in the folder"
    assert_refused(readgraph(*command, "--publish", tmp_path / "to"), "can't be replayed")

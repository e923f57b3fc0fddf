"""The example texts and their questions: whole, and true to one another."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from readgraph_evaluation.datasets import load_dataset
from tests.support.examples import EXAMPLES
from tests.support.question_file import FILE, question_lines

QUESTIONS = sorted(EXAMPLES.glob("*.questions.json"))


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_questions_quote_their_text(path: Path) -> None:
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    text = (EXAMPLES / kept["document"]).read_text(encoding="utf-8")
    assert len(kept["questions"]) >= 15
    assert len({question["id"] for question in kept["questions"]}) == len(kept["questions"])
    for question in kept["questions"]:
        assert all(quote in text for quote in question["evidence"]), question["id"]
        assert bool(question["evidence"]) == (question["answer"] is not None), question["id"]
        if "options" in question:
            assert question["answer"] == question["options"][question["answer_index"]]


def test_the_story_is_long_and_asked_about_in_every_way() -> None:
    kept = json.loads((EXAMPLES / "the-lamp-at-sarn-head.questions.json").read_text(encoding="utf-8"))
    assert len((EXAMPLES / kept["document"]).read_text(encoding="utf-8").split()) >= 9_000
    kinds = {question["category"] for question in kept["questions"]}
    assert kinds == {"fact", "two-hop", "time order", "multiple choice", "unanswerable"}


def test_the_file_of_questions_holds_all_of_them() -> None:
    if "READGRAPH_RENEW_SNAPSHOTS" in os.environ:
        FILE.write_text(question_lines(), encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == question_lines()
    dataset = load_dataset(FILE)
    assert (dataset.name, len(dataset.texts), dataset.licence) == ("examples", 3, "MIT")
    assert all(item.unanswerable or item.evidence for item in dataset.items)

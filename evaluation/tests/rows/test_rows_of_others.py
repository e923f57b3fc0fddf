"""Rows with methods and prompts that are not ours."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.model_server import ModelServer
from tests.graphs import test_plugged_in_methods as plugged_in
from tests.graphs.test_own_methods import PLACE, TEXT
from tests.graphs.test_plugged_in_methods import run
from tests.models import test_own_prompts as prompts
from tests.models.test_own_prompts import change
from tests.support.command import DOUBLE, Command, assert_refused

folder, own = plugged_in.folder, prompts.own


@pytest.mark.slow
def test_an_evaluation_has_rows_of_own_methods(readgraph: Command, tmp_path: Path) -> None:
    asked = [{"question": "Who stood on the gallery?", "answer": "The goat."}]
    (tmp_path / "own.jsonl").write_text(json.dumps({"doc_id": "a", "text": TEXT, "questions": asked}))
    names = f"{PLACE},{PLACE}@max_pages=1"
    done = readgraph("evaluate", tmp_path / "own.jsonl", "--methods", names, "--out", tmp_path / "out", "--json").json
    assert {PLACE, f"{PLACE}@max_pages=1"} <= {row["method"] for row in done["methods"]}, done


@pytest.mark.slow
def test_a_method_that_is_plugged_in_is_a_row(folder: Path, tmp_path: Path) -> None:
    asked: Any = [{"question": "Who?", "answer": "The goat."}]
    text = "The keeper climbed to the lamp. The goat stood on the gallery.\n\n" * 40
    (tmp_path / "own.jsonl").write_text(json.dumps({"doc_id": "a", "text": text, "questions": asked}))
    rows = ("--methods", "opening,bm25", "--out", tmp_path / "out", "--json")
    done = run("evaluate", tmp_path / "own.jsonl", *rows).json
    assert {"opening", "bm25"} <= {row["method"] for row in done["methods"]}


@pytest.mark.slow
def test_an_evaluation_records_own_prompts_without_their_folder(
    readgraph: Command, server: ModelServer, own: Path, tmp_path: Path
) -> None:
    change(own, "answer", "Answer the question", "Say it")
    asked = [{"question": "Who stood on the gallery?", "answer": "The goat."}]
    (tmp_path / "own.jsonl").write_text(json.dumps({"doc_id": "a", "text": TEXT, "questions": asked}))
    line = ["evaluate", tmp_path / "own.jsonl", "--methods", "read-agent", "--out", tmp_path / "out", *DOUBLE, "--json"]
    for _ in range(2):
        done = readgraph(*line, "--prompts", own).json
    assert [*done["what"]["own_prompts"]] == ["answer"] and str(own) not in json.dumps(done["what"])
    assert_refused(readgraph(*line), "was begun with")

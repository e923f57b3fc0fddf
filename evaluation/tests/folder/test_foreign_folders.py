"""An evaluation's folder that comes from somebody else: what is odd in it is reported in one line."""

import csv
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph.state.errors import BadInput
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.records import Dataset, Item, Judgement, Outcome
from readgraph_evaluation.report import write_results
from readgraph_evaluation.results import results_of

WHAT: dict[str, Any] = {
    "format": 1,
    "dataset": "d",
    "methods": ["bm25"],
    "runs": 1,
    "judge": None,
    "begun": "2026-01-01",
    "questions": 1,
    "prompts": {},
    "packages": {},
    "settings": {"model": "", "embeddings": ""},
}
ITEM = Item("q", "t", "Who took the log book?", ("the goat",))
BUILT = {"method": "bm25", "run": 0, "text": "t", "words": 5, "page_words": [5], "note_words": [0]}


def folder(path: Path, **files: str) -> EvaluationFolder:
    """A folder with an outcome, a judgement and a memory; `files` replace the contents of some."""
    made = EvaluationFolder(path)
    made.write("evaluation.json", files.get("evaluation") or json.dumps(WHAT))
    made.keep_questions(Dataset("d", (), (ITEM,), ("f1",)))
    made.keep_outcome(Outcome("q", "bm25", 0, "answered", "the goat"))
    made.keep_judgement(Judgement("q", "bm25", 0, "openai:judge", {"llm_judge": 50.0}))
    made.append("memories", [BUILT])
    for kind in files.keys() - {"evaluation"}:
        made.write(f"{kind}.jsonl", files[kind] + "\n")
    return made


def evaluated(made: EvaluationFolder) -> object:
    return results_of(made.dataset(), made)


def test_a_sound_folder_is_read(tmp_path: Path) -> None:
    made = folder(tmp_path)
    assert made.dataset().items == (ITEM,) and made.outcomes()[0].answer == "the goat" and evaluated(made)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *[
            ("evaluation", text)
            for text in ("[]", "{}", '{"format": 1}', "[" * 5000, json.dumps({**WHAT, "runs": "1"}))
        ],
        *[("questions", text) for text in ("7", "{}", '{"dataset": "d", "metrics": ["zork"], "licence": ""}')],
        *[("answers", text) for text in ("[]", "{}", '{"item": "q", "method": "bm25", "run": 0, "status": 7}')],
        ("answers", '{"item": "q", "method": "bm25", "run": 0, "status": "answered", "read": [[1]]}'),
        ("answers", '{"item": "q", "method": "bm25", "run": 0, "status": "answered", "cost": 1e999}'),
        ("answers", '{"item": "q", "method": "bm25", "run": 0, "status": "answered", "calls": 1%s}' % ("0" * 400)),
        *[("judgements", text) for text in ('{"item": []}', '{"scores": {"llm_judge": NaN}}', "[" * 5000)],
        *[("memories", text) for text in ("{}", json.dumps({**BUILT, "calls": "x"}), json.dumps({**BUILT, "run": []}))],
    ],
)
def test_what_is_odd_is_reported_in_one_line(tmp_path: Path, kind: str, text: str) -> None:
    with pytest.raises(BadInput) as raised:
        evaluated(folder(tmp_path, **{kind: text}))
    assert f"{kind}.json" in str(raised.value) or "format" in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_an_id_or_a_category_is_no_formula_of_a_spreadsheet(tmp_path: Path) -> None:
    made = folder(tmp_path)
    odd = replace(ITEM, id="=1+1", category="@SUM(1)")
    made.keep_questions(Dataset("d", (), (odd,), ("f1",)))
    made.keep_outcome(Outcome("=1+1", "bm25", 0, "answered", "the goat"))
    write_results(made.dataset(), made)
    for name, value in (("scores.csv", "'=1+1"), ("scores.csv", "'@SUM(1)"), ("results.csv", "'@SUM(1)")):
        assert value in {cell for row in csv.reader((tmp_path / name).open()) for cell in row}, name


def test_a_pipe_is_not_waited_for_and_other_methods_are_left_out(tmp_path: Path) -> None:
    made = folder(tmp_path, evaluation=json.dumps({**WHAT, "methods": []}))
    assert evaluated(made)
    (tmp_path / "answers.jsonl").unlink()
    os.mkfifo(tmp_path / "answers.jsonl")
    with pytest.raises(BadInput, match="it is a pipe"):
        evaluated(made)

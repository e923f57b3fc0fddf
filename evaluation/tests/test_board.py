"""The board's histories are right by construction, the same for a seed, and hard for words alone."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from readgraph.language.terms import content_words
from readgraph_evaluation.board import ABILITIES, WORDS, Board, write_board
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.records import Item, Outcome
from tests.support.command import Command, assert_refused

SIZE = 60_000


@pytest.fixture(scope="module", params=[1, 2])
def board(request: pytest.FixtureRequest) -> Board:
    return Board(SIZE, request.param)


def said_of(board: Board) -> dict[str, tuple[int, dict[str, Any]]]:
    """The turns that are asked about, by their ids, with the number of their session."""
    sessions = enumerate(board.line["sessions"])
    return {turn["id"]: (number, turn) for number, session in sessions for turn in session["turns"] if "id" in turn}


def test_each_ability_is_asked_once_of_each_speaker(board: Board) -> None:
    asked = [question["category"] for question in board.line["questions"]]
    assert asked == [ability for ability in ABILITIES for _ in WORDS["speakers"]]
    assert len({question["question"] for question in board.line["questions"]}) == len(asked)
    words = sum(len(turn["text"].split()) for session in board.line["sessions"] for turn in session["turns"])
    assert SIZE <= words <= 1.15 * SIZE


def test_the_evidence_holds_the_answer(board: Board) -> None:
    said = said_of(board)
    for question in board.line["questions"]:
        turns = [said[identity] for identity in question.get("evidence", [])]
        assert bool(turns) != question.get("unanswerable", False)
        text = " ".join(f"{turn['speaker']}: {turn['text']}" for _, turn in turns).lower()
        if question["category"] in ("two facts", "update", "as-of", "contradiction", "speaker"):
            assert all(part.strip().lower() in text for part in question["answer"].split(";")), question
        if question["category"] == "count":
            assert question["answer"] == str(len(turns))
        assert all(before[0] < after[0] for before, after in pairwise(turns)), "in the order in which they were said"


def test_words_alone_do_not_give_the_answer_away(board: Board) -> None:
    """The question shares fewer words with the evidence than with the turn that shares most with it."""
    said, nearer = said_of(board), 0
    every = [
        {*content_words(f"{turn['speaker']} {turn['text']}")}
        for session in board.line["sessions"]
        for turn in session["turns"]
    ]
    known = [question for question in board.line["questions"] if question.get("evidence")]
    for question in known:
        asked = {*content_words(question["question"])}
        best = max(len(asked & words) for words in every)
        evidence = [said[identity][1] for identity in question["evidence"]]
        own = [len(asked & {*content_words(f"{turn['speaker']} {turn['text']}")}) for turn in evidence]
        nearer += min(own) == best
    assert nearer < len(known) / 2


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path: Path) -> None:
    files = [tmp_path / name / "board.jsonl" for name in ("one", "again", "other")]
    for file, seed in zip(files, (1, 1, 2), strict=True):
        file.parent.mkdir()
        write_board(file, SIZE, seed)
    one, again, other = (file.read_bytes() for file in files)
    assert one == again != other
    dataset = load_dataset(files[0])
    assert (dataset.name, len(dataset.items), dataset.metrics[0]) == ("board", 100, "named")
    assert all(item.evidence or item.unanswerable for item in dataset.items)


@pytest.mark.parametrize(
    ("answer", "reference", "right"),
    [
        ("On 2022-07-14.", "14 July 2022", 100),
        ("July 14, 2022", "14 July 2022", 100),
        ("14 July 2021", "14 July 2022", 0),
        ("three times", "3", 100),
        ("33", "3", 0),
        ("In 2011, before that in 2009", "2009; 2011", 100),
        ("2009", "2009; 2011", 0),
        ("The exam", "the exam", 100),
        ("Oxholm, or Sorley, or Quillan, or Tarn Ferry, or Penhallow, or Orrin", "Orrin", 0),
    ],
)
def test_an_answer_names_what_is_right_and_little_else(answer: str, reference: str, right: float) -> None:
    item = Item("a", "t", "?", (reference,))
    assert METRICS["named"].score_best(item, Outcome("a", "m", 0, "answered", answer)) == right


@pytest.mark.slow
def test_the_command_measures_methods_and_systems(tmp_path: Path, readgraph: Command) -> None:
    out, command = tmp_path / "out", ("board", "--tokens", "80000", "--out", tmp_path / "out")
    assert_refused(readgraph("board"), "name one with --out")
    (tmp_path / "file").write_text("no folder")
    assert_refused(readgraph("board", "--out", tmp_path / "file"), "can't be used as a folder")
    readgraph(*command, "--estimate")
    assert_refused(readgraph(*command, "--methods", "nonsense"), "There is no method 'nonsense'")
    assert not [*out.iterdir()], "nothing was begun"
    assert readgraph(*command, "--methods", "none", "--json").json["questions"].endswith("board-80000-1.jsonl")
    (file,) = out.glob("*.jsonl")
    line = json.loads(file.read_text(encoding="utf-8"))
    answers = tmp_path / "knows.jsonl"
    known = [{"id": each["id"], "answer": each["answer"] or None} for each in line["questions"]]
    answers.write_text("".join(json.dumps(each) + "\n" for each in known))
    doubts = tmp_path / "doubts.jsonl"
    unsure = [each | {"answer": "42", "confidence": 8 if each["answer"] else 0.5} for each in known]
    doubts.write_text("".join(json.dumps(each) + "\n" for each in unsure))
    ran = readgraph(*command, "--methods", "bm25", "--answers", answers, "--answers", doubts)
    assert "evidence_recall by category" in ran.out and "bm25 → knows" in ran.out
    results = json.loads((out / file.stem / "results.json").read_text())
    knows = next(each for each in results["methods"] if each["method"] == "knows")["metrics"]
    assert knows["named"]["mean"] == knows["abstention"]["mean"] == knows["abstention_at_coverage"]["mean"] == 100
    doubting = next(each for each in results["methods"] if each["method"] == "doubts")["metrics"]
    assert doubting["abstention"]["mean"] == doubting["named"]["mean"] == 0
    assert doubting["abstention_at_coverage"]["mean"] == doubting["abstention_auroc"]["mean"] == 100
    assert results["floors"]["always declining"]["abstention_at_coverage"] == 10
    assert all(
        "confidence" in json.loads(each) for each in (out / file.stem / "answers.jsonl").read_text().splitlines()
    )
    bm25 = next(each for each in results["methods"] if each["method"] == "bm25")["metrics"]
    assert 0 < bm25["evidence_density"]["mean"] < bm25["evidence_recall"]["mean"] < 100

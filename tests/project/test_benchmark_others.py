"""The benchmark beside other systems prints what each took and how many answers were right, or what is missing."""

import logging
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from benchmarks.others.__main__ import SCRIPTS, SYSTEMS, main
from benchmarks.others.perfect_reader import DECLINED, PerfectReader
from readgraph_evaluation import board
from tests.doubles.model_server import ChatRequest

SHORT = ("--words", "1200", "--questions", "3", "--methods")


@pytest.fixture(autouse=True)
def _left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "EMBEDDING_DIMENSIONS", "EMBEDDING_TIMEOUT"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(board, "SESSION_WORDS", board.SESSION_WORDS)
    monkeypatch.syspath_prepend(SCRIPTS)
    yield
    logging.disable(logging.NOTSET)


def rows_of(printed: str) -> dict[str, list[str]]:
    """The table's figures by their systems."""
    lines = [line.strip("| ").split(" | ") for line in printed.splitlines() if line.startswith("| `")]
    return {name.split("`")[1]: figures for name, *figures in lines}


def test_a_question_is_answered_just_when_all_of_its_evidence_is_shown() -> None:
    line = board.Board(1_200, 1).line
    said = {turn.get("id"): turn["text"] for session in line["sessions"] for turn in session["turns"]}
    reader = PerfectReader(line)
    for asked in line["questions"][::10]:  # one of each ability
        shown = [said[turn] for turn in asked.get("evidence", ())]
        right = asked["answer"] or DECLINED
        replies = [reader(prompt_of(asked["question"], passages)) for passages in (shown, shown[1:], [])]
        assert replies == [right, DECLINED, DECLINED]


def prompt_of(question: str, passages: list[str]) -> ChatRequest:
    prompt = "\n\n".join([f"If they do not hold it, reply: {DECLINED}", *passages, f"Question: {question}"])
    return ChatRequest({"messages": [{"role": "user", "content": prompt}]})


@pytest.mark.parametrize("missing", ["mem0", "lightrag"])
def test_a_missing_system_is_skipped_with_what_to_install(
    missing: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = {"mem0": "mem0_memory", "lightrag": "light_rag"}[missing]
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, name, raising=False)
    main([*SHORT, "--systems", name])
    printed = capsys.readouterr().out
    assert not rows_of(printed)
    assert f"{name} skipped (" in printed and "pip install -r examples/others/requirements.txt" in printed


@pytest.mark.other_systems
def test_other_systems_are_measured_beside_methods(capsys: pytest.CaptureFixture[str]) -> None:
    if not (find_spec("lightrag") and find_spec("mem0")):  # not imported here: mem0's script first turns telemetry off
        pytest.skip("needs pip install -r examples/others/requirements.txt")
    main([*SHORT, "full-text", "bm25"])
    printed = capsys.readouterr().out
    rows = rows_of(printed)
    assert [*rows] == ["full-text", "bm25", *SYSTEMS]
    assert all(float(rows[name][1]) > 1 for name in ("light_rag", "mem0_memory"))
    calls, sent, asked, share, embedded, right = rows["whole_context"]
    assert (calls, sent, asked, embedded, right) == ("0", "0.00", "1.0", "0.00", "100") and float(share) > 100
    assert rows["full-text"][-1] == "100"
    assert "answered right without reading, by random sentences: " in printed

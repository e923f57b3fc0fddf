"""The row `summary`: a text is summed up where a question asks for it, at the length of the dataset's answers."""

import json
from pathlib import Path

import pytest

from evaluation.tests.support.evaluations import by_method
from readgraph.state.context import ReaderContext
from readgraph.state.words import count_words
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.plan import with_papers_settings
from readgraph_evaluation.rows import row_named, rows_to_run
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, Command, assert_refused
from tests.support.examples import EXAMPLES
from tests.support.questions import CHOICE, GOAT, story_file

WHOLE = {
    "id": "whole",
    "question": "Summarize the whole story.",
    "answer": "A keeper minds a lamp, and a goat comes.",
    "category": "general",
}
ABOUT = {**GOAT, "category": "specific"}


@pytest.mark.slow
def test_a_text_is_summed_up_beside_the_methods_and_paid_for_once(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    file = story_file(tmp_path, WHOLE, ABOUT, dataset="qmsum")
    command = ("evaluate", file, *DOUBLE, "--methods", "summary,read-agent", "--no-full-text", "--json")
    foreseen = readgraph(*command, "--estimate").json["calls"]
    results = by_method(readgraph(*command, "--out", out).json)
    assert server.calls <= foreseen["high"]
    assert server.calls == pytest.approx(foreseen["expected"], rel=0.6)
    found, beside = results["summary"], results["read-agent"]
    assert found["statuses"] == {"summarised": 2} and not found["failures"] and found["left_out"] == 0
    assert found["metrics"].keys() == beside["metrics"].keys() >= {"rouge_1", "rouge_l"}
    assert found["metrics"]["rouge_1"]["categories"].keys() == {"general", "specific"}
    assert found["figures"]["calls"] >= 2 and found["figures"]["output_words"] > 0
    assert found["building"]["calls"] == beside["building"]["calls"] > 0, "one memory, which both use"
    words = {
        one.item: count_words(one.answer or "") for one in EvaluationFolder(out).outcomes() if one.method == "summary"
    }
    assert all(0 < each <= 75 for item, each in words.items() if item == "whole-0"), "as long as QMSum's answers"
    asked = [str(request.text) for request in server.requests if asked_for(request) == "WrittenSummary"]
    assert sorted(str(GOAT["question"]) in text for text in asked) == [False, True], "only one is about something"
    assert not any(WHOLE["question"] in text for text in asked)
    before = server.calls
    readgraph(*command, "--out", out)
    assert server.calls == before


def test_a_question_that_asks_for_no_summary_is_left_out_and_counted(
    readgraph: Command, tmp_path: Path, out: Path
) -> None:
    file = story_file(tmp_path, {**WHOLE, "summary": True}, GOAT, CHOICE)
    command = ("evaluate", file, "--methods", "summary,gists-only", "--no-full-text")
    shown = readgraph(*command, "--out", out).out
    assert "summary: 2 questions left out, which ask for no summary" in " ".join(shown.split())
    results = by_method(json.loads((out / "results.json").read_text(encoding="utf-8")))
    assert {name: (one["outcomes"], one["left_out"]) for name, one in results.items()} == {
        "summary": (1, 2),
        "gists-only": (3, 0),
    }
    longer = readgraph(*command, "--answer-length", "paragraph", "--out", tmp_path / "longer", "--json").json
    assert by_method(longer)["summary"]["left_out"] == 1, "an option can't be chosen by a summary"


def test_where_nothing_asks_for_a_summary_the_row_is_refused(readgraph: Command, tmp_path: Path, out: Path) -> None:
    file = story_file(tmp_path, CHOICE)
    refused = readgraph("evaluate", file, "--method", "summary@check_sentences=off", "--out", out)
    assert_refused(refused, "No question asks for a summary: leave 'summary@check_sentences=off' out")
    refused = readgraph("read", EXAMPLES / "the-lamp-at-sarn-head.txt", "--method", "summary")
    assert_refused(refused, "'readgraph summarise' writes summaries")


def test_a_summary_is_as_long_as_answers_are_unless_its_row_says_so() -> None:
    context = ReaderContext(answer_words=200)
    lengths = [row_named(row, context).context.summary_words for row in ("summary", "summary@summary_words=90")]
    assert lengths == [200, 90]
    assert row_named("summary", ReaderContext(answer_words=5)).context.summary_words == 20
    assert row_named("summary", ReaderContext()).context.summary_words == ReaderContext().summary_words


@pytest.mark.parametrize(("name", "whole"), [("qmsum_mini", 5), ("squality_mini", 4)])
def test_real_questions_about_the_whole_text_are_known(name: str, whole: int) -> None:
    file = Path(__file__).parents[4] / "shared" / "data" / f"{name}.jsonl"
    if not file.exists():
        pytest.skip(f"{file.name} is not beside the checkout, in ../shared/data")
    dataset = load_dataset(file)
    assert sum(item.summary for item in dataset.items) == whole
    assert len({item.text for item in dataset.items if item.summary}) == whole
    (row,) = rows_to_run(["summary"], dataset, with_papers_settings(dataset, ReaderContext()), full_text=False)
    assert row.context.summary_words == dataset.answers.answer_words

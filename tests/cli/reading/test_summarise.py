"""`summarise`: a summary as text, JSON and report, with what is not supported marked in each."""

import json
import re
import signal
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from tests.doubles import summariser
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, STORY, Command, assert_refused, kinds
from tests.support.forking import ended, forked

pytestmark = pytest.mark.quick

LINE = ("summarise", STORY, "--words", 60)


def doubting(request: ChatRequest) -> Any:
    """The reader, to whom every second sentence is unsupported."""
    if asked_for(request) != "SentenceVerdicts":
        return reader(request)
    said: Any = summariser.verdicts(request)["verdicts"]
    return {"verdicts": [{**each, "supported": each["sentence"] % 2 == 1} for each in said]}


def test_what_is_not_supported_is_marked_wherever_the_summary_is_shown(
    readgraph: Command, server: ModelServer, tmp_path: Path
) -> None:
    server.respond = doubting
    report = tmp_path / "report.html"
    found = readgraph(*LINE, *DOUBLE, "--json", "--report", report).json
    wrong = [each for each in found["sentences"] if each["supported"] is False]
    assert found["unsupported"] == len(wrong) > 0 and found["method"] == "summary"
    flags = [flag["said"] for flag in found["flags"] if flag["doubted"]]
    assert len(flags) == len(wrong) and all(flag.endswith(": not supported") for flag in flags)
    assert all(f"[{flag}]" in found["marked_answer"] for flag in flags) and "[1]" in found["marked_answer"]
    data = re.search(r'id="data">(.*?)</script>', report.read_text(encoding="utf-8"))
    shown = json.loads(data[1]) if data else {}
    assert shown["question"] == f"Summary of {STORY.stem}" and shown["found"]["flags"] == found["flags"]
    printed = readgraph(*LINE, *DOUBLE).text
    assert f"{len(wrong)} of {len(found['sentences'])} sentences not supported by the places named" in printed
    assert printed.count(": not supported]") == len(wrong) and "[1]" in printed


def test_a_question_that_a_summary_of_notes_answers_does_not_say_that_nothing_was_looked_at(
    readgraph: Command, server: ModelServer, tmp_path: Path
) -> None:
    server.respond = reader
    (tmp_path / "settings.toml").write_text("summary_words = 20\nwindow_words = 3000\n")
    ran = readgraph("ask", "What is the plot?", STORY, *DOUBLE)
    assert "Summarised, since" in ran.text and "looked at" not in ran.text


def test_without_a_model_a_summary_says_that_it_is_extracted(readgraph: Command) -> None:
    ran = readgraph(*LINE)
    assert ran.text.startswith("Extracted, the text's own sentences: ") and "[1]" in ran.text
    assert "[1] " in ran.out and "“" not in ran.out.partition("\n  [1]")[2], "no sentence is printed twice"
    assert "without a model" in ran.err
    assert "not supported" not in ran.text and "not checked" not in ran.text
    part = readgraph(*LINE, "--part", "2. Across the Sarn", "--json").json
    assert [each["name"] for each in part["parts"]] == ["2. Across the Sarn"]
    assert {each["place"] for each in part["citations"]} == {"2. Across the Sarn"}
    assert readgraph(*LINE, "--part", "chapter 2", "--json").json["answer"] == part["answer"]
    assert "says nothing of this" in readgraph(*LINE, "--about", "xylophones").text


def test_what_no_model_wrote_is_said_of_a_part_and_of_nothing(readgraph: Command, server: ModelServer) -> None:
    def unusable(request: ChatRequest) -> Any:
        spoilt = asked_for(request) == "WrittenSummary" and "<page 0>" in request.text
        return {"sentences": []} if spoilt else reader(request)

    server.respond = unusable
    printed = readgraph(*LINE[:2], "--words", 1000, *DOUBLE, "--no-check").text
    assert not printed.startswith("Extracted") and re.search(r"\d+ of \d+ sentences extracted, since", printed)
    server.respond = lambda request: "no" if asked_for(request) == "WrittenSummary" else reader(request)
    printed = readgraph(*LINE, *DOUBLE, "--about", "xylophones").text
    assert printed.startswith("The model gave no summary that could be used") and "says nothing" not in printed


def test_what_was_not_checked_is_said_once(readgraph: Command, server: ModelServer) -> None:
    printed = readgraph(*LINE, *DOUBLE, "--no-check").text
    assert "sentences not checked against the text" in printed and ": not checked]" not in printed
    assert "[1. The Auction]" in printed  # where nothing is quoted, the place itself stands after the sentence


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--part", "3. Accross"), "its places have names such as '2. Across the Sarn'"),
        (("--estimate", "--show-steps"), "leave --show-steps out"),
        (("--open",), "name a file for it with --report"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(readgraph: Command, given: tuple[str, ...], told: str) -> None:
    assert_refused(readgraph(*LINE, "--quiet", *given), told)


def test_an_estimate_holds(readgraph: Command, server: ModelServer) -> None:
    for words in (60, 900):
        line = ("summarise", STORY, "--words", words, *DOUBLE, "--json")
        expected = readgraph(*line, "--estimate").json
        used = readgraph(*line).json["usage"]
        for told, took in (("calls", "calls"), ("input_words", "input_words")):
            assert used[took] <= expected[told]["high"]
            # The double's summary of 900 words is half as long, and so are the checks of its sentences.
            assert 0.4 * used[took] <= expected[told]["expected"] <= 3 * used[took]


@pytest.mark.slow
def test_a_summary_that_is_killed_while_it_is_checked_goes_on(readgraph: Command, server: ModelServer) -> None:
    started: list[BaseProcess] = []

    def killing(request: ChatRequest) -> Any:
        if asked_for(request) == "SentenceVerdicts" and started[0].is_alive():
            started[0].kill()
        return reader(request)

    server.respond = killing
    started.append(forked(*LINE, *DOUBLE))
    assert ended(started[0]) == -signal.SIGKILL
    asked = len(server.requests)
    found = readgraph(*LINE, *DOUBLE, "--json").json
    assert {*kinds(server.requests[asked:])} == {"SentenceVerdicts"} and found["status"] == "summarised"


def test_a_spent_budget_is_said(readgraph: Command, server: ModelServer) -> None:
    none = readgraph(*LINE, *DOUBLE, "--max-calls", 0).text
    assert none.startswith("The budget ran out before anything was found.")
    some = readgraph(*LINE, *DOUBLE, "--max-calls", 3).text
    assert some.startswith("The budget ran out first. Extracted, the text's own sentences: ")


def test_a_summary_is_no_question_to_follow_up(readgraph: Command) -> None:
    readgraph(*LINE, "--about", "the oil")
    assert_refused(readgraph("ask", "--continue", "And then?"), "no question to follow up")

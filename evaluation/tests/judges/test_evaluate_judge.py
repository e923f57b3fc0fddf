"""`evaluate --judge` as a user meets it: who rates, what that takes, and what is asked again."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.tests.support.evaluations import by_method
from readgraph_evaluation.folder import EvaluationFolder
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.doubles.rater import Rater
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, Command
from tests.support.questions import GOAT, WELL, story_file

EVALUATE = ("evaluate", *DOUBLE, "--methods", "bm25")


def judging(request: ChatRequest) -> Any:
    """A judge that likes what the first judge's name says, and reads as any model does."""
    if not asked_for(request).startswith("Agrees"):
        return reader(request)
    return {"reason": "so it is", "agrees": "yes" if request.body["model"] == "kind" else "no"}


def test_answers_are_judged_by_the_model_that_is_named(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    rater = Rater(strict={"It says so.": "yes"}, permissive={"It says so.": "yes"})
    server.respond = lambda request: rater(request) if asked_for(request).startswith("Agrees") else reader(request)
    file = story_file(tmp_path, GOAT, dataset="qmsum")
    command = (*EVALUATE, file, "--out", out, "--json")
    assert "lr_1" not in by_method(readgraph(*command).json)["bm25"]["metrics"]
    assert "not rated: lr_1, lr_2; run again with --judge and a model" in readgraph(*command[:-1]).text
    judged = by_method(readgraph(*command, "--judge", "openai:judge").json)["bm25"]["metrics"]
    assert judged["lr_1"]["mean"] == judged["lr_2"]["mean"] == 100
    assert {one.rater for one in EvaluationFolder(out).judgements()} == {"openai:judge"}
    paid = server.calls
    readgraph(*command, "--judge", "openai:judge")
    assert server.calls == paid


def test_scores_are_those_of_the_judge_that_is_named(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = judging
    file = story_file(tmp_path, GOAT, dataset="qmsum")
    command = (*EVALUATE, file, "--out", out, "--price", "1/2", "--json")

    def lr_1(*judge: str) -> tuple[float, Any]:
        results = readgraph(*command, *judge).json
        assert results["what"]["judge"] == results["judging"]["rater"]
        return by_method(results)["bm25"]["metrics"]["lr_1"]["mean"], results["judging"]

    score, first = lr_1("--judge", "openai:kind", "--runs", "2")
    assert (score, first["judgements"], first["calls"], first["unrated"], first["others"]) == (100, 4, 4, 0, [])
    assert first["cost"] > 0 and first["input_words"] > 100 and first["output_words"] > 0
    score, second = lr_1("--judge", "openai:harsh", "--runs", "2")
    assert (score, second["calls"], second["others"]) == (0, 8, ["openai:kind"]), "the permissive rater is asked too"
    assert lr_1()[0] == 0, "the judge that was named last"
    assert "judgements by openai:kind are kept" in readgraph(*command[:-1]).text
    paid = server.calls
    assert lr_1("--judge", "openai:kind") == (100, {**first, "others": ["openai:harsh"]})
    assert server.calls == paid
    assert EvaluationFolder(out).what()["runs"] == 2, "what was run stays"


def test_what_a_judge_does_not_answer_is_counted_and_asked_again(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = lambda request: "hm" if asked_for(request).startswith("Agrees") else reader(request)
    file = story_file(tmp_path, GOAT, WELL, dataset="qmsum")
    command = (*EVALUATE, file, "--judge", "openai:judge", "--out", out, "--max-calls", 2)
    useless = readgraph(*command)
    assert "4 answers got no usable verdict and no score; --again asks the model again" in useless.text
    for more in ([], ["--again"]):
        before = server.calls
        found = readgraph(*command, "--json", *more).json["judging"]
        assert (found["unrated"], found["problems"], bool(more)) == (4, {}, server.calls > before)
        assert found["calls"] == found["refused"] == 12 + server.calls - before
    server.fault_for = lambda request, call: Fault.unauthorized() if request.body["model"] == "judge" else None
    (problem,) = readgraph(*command, "--json", "--again").json["judging"]["problems"]
    assert "refused the key" in problem
    server.respond, server.fault_for = judging, None
    judged = readgraph(*command, "--json", "--again").json
    assert judged["judging"]["unrated"] == 0 and by_method(judged)["bm25"]["metrics"]["lr_1"]["questions"] == 2


def test_what_is_asked_again_counts_once_more_and_what_is_recorded_does_not(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    rater = Rater(strict={"It says so.": "no"})
    server.respond = lambda request: rater(request) if asked_for(request).startswith("Agrees") else reader(request)
    file = story_file(tmp_path, GOAT, dataset="qmsum")
    command = (*EVALUATE, "--no-full-text", file, "--judge", "openai:judge", "--price", "1/2", "--out", out, "--json")

    def took(*more: str) -> tuple[int, int, float]:
        judging = readgraph(*command, *more).json["judging"]
        assert judging["calls"] == len(rater.asked) and judging["cost"] > 0
        return judging["unrated"], judging["refused"], judging["cost"]

    first = took()
    assert took() == first and len(rater.asked) == 4, "nothing is paid for twice"
    second = took("--again")
    assert (first[:2], second[:2]) == ((1, 3), (1, 6)), (
        "the strict rater's reply is recorded, the other's can't be used"
    )
    assert [kind for kind, _ in rater.asked] == ["strict", *["permissive"] * 6]
    rater.verdicts["permissive"] = {"It says so.": "yes"}
    third = took("--again")
    assert third[:2] == (0, 6) and first[2] < second[2] < third[2]
    assert took() == third


def test_the_estimate_tells_what_the_judge_will_use(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = judging
    file = story_file(tmp_path, GOAT, WELL, dataset="qmsum")
    command = (*EVALUATE, file, "--judge", "openai:harsh", "--price", "1/2", "--out", out)
    foreseen = readgraph(*command, "--estimate", "--json").json["judging"]
    assert "answers to rate with openai:harsh" in readgraph(*command, "--estimate").text and server.calls == 0
    found = readgraph(*command, "--json").json["judging"]
    for name in ("calls", "input_words"):
        assert found[name] == pytest.approx(foreseen[name]["expected"], rel=0.5)
    assert found["calls"] <= foreseen["calls"]["high"]
    assert found["cost"] == pytest.approx(foreseen["cost"], rel=1)
    assert readgraph(*command, "--estimate", "--json").json["judging"]["calls"]["expected"] == 0

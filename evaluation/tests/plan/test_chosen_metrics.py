"""`evaluate --metrics`: which metrics are shown and judged, in which order, and what can't be chosen."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.tests.support.evaluations import by_method
from readgraph.state.errors import BadInput
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.plan import with_metrics
from readgraph_evaluation.records import AddressedMessage, Dataset, Item, WebStep
from tests.doubles.model_server import ModelServer
from tests.doubles.rater import Rater
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, Command, assert_refused
from tests.support.questions import CHOICE, GOAT, WELL, story_file


def own(*items: Item) -> Dataset:
    return Dataset("own", (), items, ("f1",))


FREE = Item("1", "t", "Who?", ("the goat",))


def test_metrics_are_those_that_are_named_in_their_order() -> None:
    assert with_metrics(own(FREE), " rouge_1, lr_1 ,f1,rouge_1").metrics == ("rouge_1", "lr_1", "f1")
    step = Item("2", "t", "Click.", step=WebStep("e", 1, (), ("3",), "CLICK"))
    assert with_metrics(own(step), "episode_success,element_accuracy").metrics[0] == "episode_success"
    opener = Item("3", "t", "Hello?", about=("I row.",), addressed=AddressedMessage("a", "b"))
    assert with_metrics(own(FREE, opener), "csim_1").metrics == ("csim_1",)


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (" , ", "There is no metric to show"),
        ("f1,f2", f"There is no metric 'f2': choose among {', '.join(METRICS)}."),
        ("f1,accuracy", "accuracy scores none of the questions of own: leave it out."),
        ("step_success", "step_success scores none"),
        ("episode_success", "episode_success scores none"),
        ("csim_1", "csim_1 scores none"),
        ("abstention", "abstention scores none"),
    ],
)
def test_what_scores_nothing_is_refused_in_one_line(names: str, line: str) -> None:
    with pytest.raises(BadInput) as refused:
        with_metrics(own(FREE), names)
    assert str(refused.value).startswith(line) and "\n" not in str(refused.value)


@pytest.mark.slow
def test_answers_that_are_there_are_scored_by_other_metrics_without_a_call(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    rater = Rater(right={"It says so.": "yes"}, strict={"It says so.": "yes", "The inspector": "yes"})
    server.respond = lambda request: rater(request) if asked_for(request).startswith("Agrees") else reader(request)
    file = story_file(tmp_path, GOAT, CHOICE)
    command = ("evaluate", file, *DOUBLE, "--methods", "bm25", "--no-full-text", "--out", out, "--json")

    def metrics(*more: str) -> dict[str, Any]:
        found: dict[str, Any] = by_method(readgraph(*command, *more).json)["bm25"]["metrics"]
        return found

    assert [*metrics()] == ["f1", "accuracy", "rouge_l", "evidence_recall"]
    paid = server.calls
    assert [*metrics("--metrics", "rouge_1,f1")] == ["rouge_1", "f1"]
    assert [*metrics("--metrics", "accuracy")] == ["accuracy"] and server.calls == paid
    refused = readgraph(*command, "--metrics", "judged_accuracy,f1")
    assert_refused(refused, "judged_accuracy needs a model as judge: name one with --judge.")
    judge = ("--judge", "openai:judge")
    assert_refused(readgraph(*command, "--metrics", "f1", *judge), "leave --judge out")
    found = metrics("--metrics", "judged_accuracy,f1", *judge)
    assert [*found] == ["judged_accuracy", "f1"] and found["judged_accuracy"]["questions"] == 1
    assert server.calls == paid + 1 and [kind for kind, _ in rater.asked] == ["right"]
    assert metrics("--metrics", "lr_1", *judge)["lr_1"]["mean"] == 100
    both = readgraph(*command, "--metrics", "lr_1,judged_accuracy").json
    assert [*by_method(both)["bm25"]["metrics"]] == ["lr_1", "judged_accuracy"], "what was judged before is kept"
    assert (both["judging"]["calls"], both["judging"]["unrated"]) == (3, 0), "and counted"


def test_the_first_metric_leads_the_table(readgraph: Command, server: ModelServer, tmp_path: Path, out: Path) -> None:
    server.respond = reader
    file = story_file(tmp_path, GOAT, WELL)
    told = readgraph("evaluate", file, *DOUBLE, "--methods", "bm25", "--metrics", "rouge_1,f1", "--out", out).text
    assert "method rouge_1 f1" in told and "not rated" not in told

"""Steps on web pages: how Mind2Web's files are read, and how actions and episodes are scored."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.tests.support import datasets as made
from evaluation.tests.support.evaluations import by_method
from readgraph.features.web.elements import elements_of
from readgraph.state.errors import BadInput
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.records import ChosenWebAction, Item, Outcome, WebStep
from readgraph_evaluation.results import by_episode, whole_episodes
from readgraph_evaluation.sweeps import SWEEPS
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.web_agent import WebAgent, does
from tests.support.command import DOUBLE, Command, assert_refused


class RightOnTheFirstTask(WebAgent):
    """Does what is right on the pages of `mind2web_task`; where the second task's page lacks it, that is wrong too."""

    def __call__(self, request: ChatRequest) -> str | dict[str, Any]:
        done = request.text.count(" -> ")
        right = (does("type", "7", "storm lantern"), does("select", "8", "Brass"), does("click", "11"))
        self.script = [right[done]]
        return super().__call__(request)


STEP = WebStep("task1", 2, (), ("7", "8"), "TYPE", "Ellen Walker")
ITEM = Item("task1/1", "page", "Book it.", step=STEP)


def acted(*action: str) -> Outcome:
    return Outcome(ITEM.id, "web-agent", 0, "answered", action=ChosenWebAction(*action) if action else None)


def test_each_step_of_a_task_is_a_question_on_its_page(tmp_path: Path) -> None:
    file = made.array(tmp_path / "any.json", made.mind2web_task())
    dataset = load_dataset(file)
    assert dataset.name == "mind2web" and dataset.metrics[0] == "step_success"
    first, second, third = dataset.items
    assert first.question == "Order a storm lantern of brass, 1." and first.category == ""
    assert first.step == WebStep("task1", 3, (), ("7",), "TYPE", "storm lantern")
    assert second.step and second.step.history == ("[input]  Search -> TYPE: storm lantern",)
    assert third.step and len(third.step.history) == 2 and third.references == ("[input]  Search -> CLICK: ",)
    assert elements_of(dataset.text(first.text).text)["8"].options == ("Brass", "Tin")


def test_a_folder_is_recognised_and_its_test_sets_are_the_categories(tmp_path: Path) -> None:
    for number, split in enumerate(("task", "website", "domain"), 1):
        (tmp_path / f"test_{split}").mkdir()
        made.array(tmp_path / f"test_{split}" / f"test_{split}_0.json", made.mind2web_task(number))
    categories = [item.category for item in load_dataset(tmp_path).items]
    assert categories == ["cross-domain"] * 3 + ["cross-task"] * 3 + ["cross-website"] * 3
    assert len(load_dataset(tmp_path, items=4).items) == 4
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="holds no test set of Mind2Web"):
        load_dataset(tmp_path / "empty", "mind2web")


def test_a_step_without_a_page_is_named(tmp_path: Path) -> None:
    task = made.mind2web_task()
    task["actions"][1] |= {"cleaned_html": " ", "raw_html": ""}
    with pytest.raises(BadInput, match=r"In step 2 of item 1 of .*any\.json, there is no page"):
        load_dataset(made.array(tmp_path / "any.json", task))


@pytest.mark.parametrize(
    ("action", "element", "operation", "step"),
    [
        (("7", "type", "Ellen Walker"), 100, 100, 100),
        (("8", "type", "Walker Ellen"), 100, 100, 100),  # a set of tokens, as in the official script
        (("8", "type", "Ellen"), 100, 200 * 2 / 5, 0),
        (("9", "type", "Ellen Walker"), 0, 100, 0),
        (("7", "type", "ellen walker"), 100, 200 * 1 / 6, 0),
        (("7", "click", "Ellen Walker"), 100, 0, 0),
        ((), 0, 0, 0),
    ],
)
def test_an_action_is_scored(action: tuple[str, ...], element: float, operation: float, step: float) -> None:
    measures = [METRICS[name].score for name in ("element_accuracy", "operation_f1", "step_success")]
    assert [measure(ITEM, acted(*action)) for measure in measures if measure] == pytest.approx(
        [element, operation, step]
    )
    no_step = replace(ITEM, step=None)
    assert [measure(no_step, acted(*action)) for measure in measures if measure] == [None] * 3


def test_a_step_whose_page_lacks_the_right_element_counts_as_failed() -> None:
    item = replace(ITEM, step=STEP._replace(elements=(), operation="CLICK", value="ignored"))
    element, operation = METRICS["element_accuracy"].score, METRICS["operation_f1"].score
    assert element and operation
    assert (element(item, acted("7", "click")), operation(item, acted("7", "click"))) == (0, 100)


def test_episodes_count_once_and_succeed_as_a_whole() -> None:
    steps = [("a", 2), ("a", 2), ("b", 1), ("c", 2)]
    items = {
        str(place): replace(ITEM, id=str(place), step=STEP._replace(episode=episode, steps=of))
        for place, (episode, of) in enumerate(steps)
    }
    scores = {"0": 100.0, "1": 0.0, "2": 100.0, "3": 100.0}
    assert by_episode(scores, items) == {"a": 50, "b": 100, "c": 100}
    assert whole_episodes({0: scores}, items) == {0: {"1": 0, "2": 100}}, "of c, only one step was asked"


@pytest.mark.slow
def test_the_rows_of_the_papers_table_are_one_command(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    (tmp_path / "test_task").mkdir()
    file = made.array(tmp_path / "test_task" / "test_task_0.json", made.mind2web_task(), made.mind2web_task(2))
    agent = RightOnTheFirstTask()
    server.respond = agent
    vectors = ("--embeddings", "openai:vectors")
    line = ("evaluate", file, "--sweep", "web-agent-snippets", "--out", out, *DOUBLE, *vectors)
    estimate = readgraph(*line, "--estimate", "--json").json["calls"]
    results = by_method(readgraph(*line, "--json").json)
    assert tuple(results) == SWEEPS["web-agent-snippets"].rows
    assert server.calls <= estimate["high"]
    for name in ("web-agent@max_pages=1", "web-page", "web-bm25@max_pages=5"):
        metrics = results[name]["metrics"]
        assert metrics["element_accuracy"]["mean"] == pytest.approx((100 + 200 / 3) / 2), name
        assert (metrics["operation_f1"]["mean"], metrics["step_success"]["questions"]) == (100, 2)
        assert (metrics["episode_success"]["mean"], metrics["episode_success"]["questions"]) == (50, 2)
        assert metrics["episode_success"]["categories"].keys() == {"cross-task"}
    assert results["web-gists-only"]["figures"]["look_ups"] == 0
    assert all("TYPE: storm lantern" in request.text for request in agent.acted if "SELECT: Brass" in request.text)
    shown = readgraph(*line).text
    assert "29.2 (PaLM 2-L)" in shown


def test_only_methods_for_web_pages_take_such_steps(readgraph: Command, tmp_path: Path, out: Path) -> None:
    file = made.array(tmp_path / "any.json", made.mind2web_task())
    refused = readgraph("evaluate", file, "--methods", "read-agent", "--out", out)
    assert_refused(refused, "There is no method 'read-agent' for web pages: choose one of web-agent, ")
    (tmp_path / "text.txt").write_text("The lamp was lit.")
    assert_refused(
        readgraph("ask", "Who?", tmp_path / "text.txt", "--method", "web-agent"),
        "'web-agent' answers no question: 'readgraph browse' runs",
    )

"""`trajectories`: prompts and replies of an evaluation as examples that training libraries read."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, Command, assert_refused
from tests.support.questions import GOAT, WELL, story_file

MESSAGES = {"role", "content"}


@pytest.fixture
def evaluated(readgraph: Command, server: ModelServer, tmp_path: Path) -> Path:
    """Two runs of GAM: one answers the goat's question right, one wrong; a reply of no use comes in between."""
    answers, planned = iter(["It says so.", "Nothing at all."]), iter(["no plan at all"])

    def varying(request: ChatRequest) -> Any:
        wanted, goat = asked_for(request), "goat" in request.last
        if wanted == "AnswerAlone" and goat:
            return {"answer": next(answers)}
        if wanted == "SearchPlan" and goat and len(request.messages) == 2 and (useless := next(planned, None)):
            return useless
        return reader(request)

    server.respond = varying
    file, out = story_file(tmp_path, GOAT, WELL), tmp_path / "out"
    ran = readgraph(
        "evaluate", file, *DOUBLE, "--methods", "gam", "--window-words", 1000, "--runs", 2, "--out", out, "-q"
    )
    assert ran.code == 0, ran.err
    return out


def written(readgraph: Command, folder: Path, form: str, out: Path) -> list[dict[str, Any]]:
    ran = readgraph("trajectories", folder, "--format", form, "--out", out)
    assert ran.code == 0 and "written" in ran.err
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def assert_conversational(example: dict[str, Any], *replies: str) -> None:
    assert [message["role"] for message in example["prompt"]] == ["system", "user"]
    for reply in replies:
        (said,) = example[reply]
        assert said.keys() == MESSAGES and said["role"] == "assistant" and said["content"]


def test_good_paths_are_for_fine_tuning(readgraph: Command, evaluated: Path, tmp_path: Path) -> None:
    examples = written(readgraph, evaluated, "sft", tmp_path / "sft.jsonl")
    for example in examples:
        assert_conversational(example, "completion")
    assert {example["item"] for example in examples} == {"goat-0"}, "the other question was answered wrong"
    assert len({example["run"] for example in examples}) == 1, "the other run was wrong"
    assert {example["asked"] for example in examples} >= {"plan", "integrate", "answer_from_notes"}
    assert not any("no plan at all" in json.dumps(example) for example in examples)


def test_of_two_replies_the_better_is_preferred(readgraph: Command, evaluated: Path, tmp_path: Path) -> None:
    examples = written(readgraph, evaluated, "preference", tmp_path / "pairs.jsonl")
    assert examples
    for example in examples:
        assert_conversational(example, "chosen", "rejected")
    pairs = {(example["chosen"][0]["content"], example["rejected"][0]["content"]) for example in examples}
    assert any(rejected == "no plan at all" for _, rejected in pairs)
    assert any("It says so." in chosen and "Nothing at all." in rejected for chosen, rejected in pairs)


def test_rewards_are_relative_to_their_group(readgraph: Command, evaluated: Path, tmp_path: Path) -> None:
    examples = written(readgraph, evaluated, "reward", tmp_path / "rewards.jsonl")
    for example in examples:
        assert_conversational(example, "completion")
    by_role = {role: [one for one in examples if one["role"] == role] for role in ("memorizer", "researcher")}
    assert all(by_role.values()) and len(examples) == sum(map(len, by_role.values()))
    assert {one["asked"] for one in by_role["memorizer"]} == {"memorize"}
    assert "answer_from_notes" not in {one["asked"] for one in by_role["researcher"]}, "the client is not trained"
    goat = [
        one for one in by_role["researcher"] if one["item"] == "goat-0" and one["completion"][0]["content"][0] == "{"
    ]
    assert {(one["reward"], one["advantage"]) for one in goat} == {(1.0, 0.5), (0.0, -0.5)}
    assert all(one["advantage"] == 0 for one in by_role["researcher"] if one["item"] == "well-0")
    memories = {(one["reward"], one["advantage"]) for one in by_role["memorizer"]}
    assert memories == {(0.5, 0.25), (0.0, -0.25)}


@pytest.mark.parametrize("form", ["sft", "preference", "reward"])
@pytest.mark.slow
def test_what_was_asked_again_is_one_example(readgraph: Command, evaluated: Path, tmp_path: Path, form: str) -> None:
    once = written(readgraph, evaluated, form, tmp_path / "once.jsonl")
    exchanges = evaluated / "exchanges.jsonl"
    exchanges.write_bytes(exchanges.read_bytes() * 2)
    assert written(readgraph, evaluated, form, tmp_path / "twice.jsonl") == once


@pytest.mark.slow
@pytest.mark.parametrize("form", ["sft", "preference", "reward"])
def test_training_libraries_read_them(readgraph: Command, evaluated: Path, tmp_path: Path, form: str) -> None:
    datasets = pytest.importorskip("datasets")
    examples = written(readgraph, evaluated, form, tmp_path / "examples.jsonl")
    loaded = datasets.load_dataset(
        "json", data_files=str(tmp_path / "examples.jsonl"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert len(loaded) == len(examples)
    assert loaded[0]["prompt"] == examples[0]["prompt"]


def test_what_can_t_be_written_is_refused(readgraph: Command, evaluated: Path, tmp_path: Path) -> None:
    assert_refused(readgraph("trajectories", tmp_path), "holds no evaluation")
    kept = tmp_path / "kept.jsonl"
    kept.write_text("examples of before")
    assert_refused(readgraph("trajectories", tmp_path, "--out", kept), "holds no evaluation")
    assert kept.read_text() == "examples of before"
    assert_refused(readgraph("trajectories", evaluated, "--format", "dpo"), "choose one of sft, preference, reward")
    assert_refused(readgraph("trajectories", evaluated, "--out", tmp_path), "can't be written")

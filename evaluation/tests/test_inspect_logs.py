"""Logs of inspect-ai: what they say of an evaluation, and that inspect-ai itself reads them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.tests.support.evaluations import even, every, folder_of, quiz
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.inspect_logs import write_logs
from readgraph_evaluation.records import Dataset, Judgement
from readgraph_evaluation.results import ScoredEvaluation
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.support.command import DOUBLE, Command, assert_refused
from tests.support.questions import GOAT, story_file


def exchange(method: str, item: str, tokens: Any, reply: str = "yes") -> dict[str, Any]:
    about = {"method": method, "run": 0, "text": "t0", "item": item, "asked": "answer", "version": 1}
    return {**about, "model": "m", "messages": [["user", "?"]], "reply": reply, "refused": None, "tokens": tokens}


@pytest.fixture
def dataset() -> Dataset:
    return replace(quiz(3, categories=("easy", "hard")), metrics=("accuracy", "f1", "lr_1"))


@pytest.fixture
def folder(tmp_path: Path, dataset: Dataset) -> EvaluationFolder:
    """Two rows in two runs; the first question of the first row was judged, and its prompts were counted.

    The last question has no options.
    """
    folder = folder_of(tmp_path / "out", dataset, {"read-agent": every, "gam@rounds=1": even}, runs=2)
    answers = [json.loads(line) for line in (folder.path / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in answers:
        line["choice"] = None if line["item"] == "q2" else line["choice"]
    folder.write("answers.jsonl", "".join(json.dumps(line) + "\n" for line in answers))
    free = replace(dataset.items[2], options=(), correct=None, references=("this", "it"), groups=("short",))
    folder.keep_questions(replace(dataset, items=(*dataset.items[:2], free)))
    what = json.loads((folder.path / "evaluation.json").read_text(encoding="utf-8")) | {"judge": "openai:judge"}
    folder.write("evaluation.json", json.dumps(what))
    said = {"rate_strict": "agrees"}
    folder.keep_judgement(Judgement("q0", "read-agent", 0, "openai:judge", {"lr_1": 100.0}, said))
    lines = [exchange("read-agent", "q0", [5, 2]), exchange("read-agent", "", [10, 3], "memo")]
    again, uncounted = exchange("read-agent", "q0", [5, 2]), exchange("gam@rounds=1", "q0", None)
    folder.append("exchanges", [*lines, again, uncounted])
    return folder


def logs_of(folder: EvaluationFolder, logs: Path) -> list[dict[str, Any]]:
    paths = write_logs(ScoredEvaluation.of(folder.dataset(), folder), logs)
    assert sorted(paths) == sorted(logs.iterdir())
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def test_a_log_for_each_row(folder: EvaluationFolder, tmp_path: Path) -> None:
    first, second = logs_of(folder, tmp_path / "logs")
    assert [log["eval"]["solver"] for log in (first, second)] == ["read-agent", "gam@rounds=1"]
    assert second["plan"]["steps"] == [{"solver": "gam@rounds=1", "params": {"rounds": 1}}]
    assert (first["version"], first["status"], first["eval"]["task"]) == (2, "success", "quality")
    assert first["eval"]["model_roles"] == {"grader": {"model": "openai:judge"}}
    assert first["eval"]["run_id"] == second["eval"]["run_id"] and first["eval"]["eval_id"] != second["eval"]["eval_id"]
    assert first["eval"]["dataset"] == {
        "name": "quality", "samples": 3, "sample_ids": ["q0", "q1", "q2"], "shuffled": False
    }  # fmt: skip
    used = {"input_tokens": 15, "output_tokens": 5, "total_tokens": 20}
    assert (first["stats"]["model_usage"], second["stats"]["model_usage"]) == ({"m": used}, {})
    assert [path.name.split("_")[1:] for path in sorted((tmp_path / "logs").iterdir())] == [
        ["quality", "1-read-agent.json"], ["quality", "2-gam-rounds-1.json"]
    ]  # fmt: skip


def test_a_sample_for_each_question_and_run(folder: EvaluationFolder, tmp_path: Path) -> None:
    first, second = logs_of(folder, tmp_path / "logs")
    assert [(each["id"], each["epoch"]) for each in first["samples"]] == [
        (item, run) for run in (1, 2) for item in ("q0", "q1", "q2")
    ]
    choice, free = first["samples"][0], first["samples"][2]
    assert (choice["target"], choice["choices"], free["target"]) == ("A", ["this", "that"], ["this", "it"])
    assert choice["scores"]["accuracy"] == {"value": 1.0, "answer": "A"}
    assert choice["scores"]["lr_1"] == {"value": 1.0, "answer": "A", "explanation": "rate_strict: agrees"}
    assert "accuracy" not in free["scores"] and "lr_1" not in free["scores"]
    assert choice["model_usage"]["m"]["total_tokens"] == 7
    assert free["metadata"]["groups"] == ["short"] and free["metadata"]["category"] == "easy"
    wrong = second["samples"][1]
    assert wrong["scores"]["accuracy"]["value"] == 0 and wrong["model_usage"] == {}


def test_figures_stand_with_their_intervals_and_categories(folder: EvaluationFolder, tmp_path: Path) -> None:
    _, second = logs_of(folder, tmp_path / "logs")
    accuracy = second["results"]["scores"][0]
    assert (accuracy["name"], accuracy["scored_samples"], accuracy["unscored_samples"]) == ("accuracy", 4, 2)
    values = {name: metric["value"] for name, metric in accuracy["metrics"].items()}
    assert (values["mean"], values["category: easy"], values["category: hard"]) == (0.5, 1, 0)
    assert "low" not in values, "few texts have no interval"
    dataset = quiz(12, texts=6)
    (log,) = logs_of(folder_of(tmp_path / "more", dataset, {"gam": lambda number, run: number % 6 < 2}), tmp_path / "b")
    values = {name: metric["value"] for name, metric in log["results"]["scores"][0]["metrics"].items()}
    assert values["mean"] == pytest.approx(1 / 3) and 0 <= values["low"] < 1 / 3 < values["high"] <= 1


def test_what_failed_or_is_missing_is_told(tmp_path: Path, dataset: Dataset) -> None:
    folder = folder_of(tmp_path / "out", dataset, {"read-agent": every}, status="failed", problem="It broke.")
    (log,) = logs_of(folder, tmp_path / "logs")
    assert log["results"]["completed_samples"] == 0 and log["results"]["total_samples"] == 3
    assert log["samples"][0]["error"]["message"] == "It broke." and log["samples"][0]["output"]["choices"] == []
    lines = (folder.path / "answers.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    folder.write("answers.jsonl", "".join(lines[:2]))
    assert logs_of(folder, tmp_path / "fewer")[0]["status"] == "cancelled"


@pytest.mark.slow
def test_the_command_writes_logs_after_a_run_and_of_a_folder(
    readgraph: Command, server: ModelServer, tmp_path: Path, out: Path
) -> None:
    server.respond = reader
    command = ("evaluate", story_file(tmp_path, GOAT), *DOUBLE, "--methods", "bm25", "--no-full-text", "--out", out)
    ran = readgraph(*command, "--inspect", tmp_path / "logs")
    assert "1 log written: inspect view --log-dir" in ran.err
    (log,) = (tmp_path / "logs").iterdir()
    assert json.loads(log.read_text(encoding="utf-8"))["samples"][0]["output"]["completion"] == "It says so."
    calls = server.calls
    assert readgraph("evaluate", "--out", out, "--inspect", tmp_path / "again", "-q").code == 0
    assert (tmp_path / "again" / log.name).read_bytes() == log.read_bytes() and server.calls == calls
    refused = readgraph("evaluate", "--out", out, "--inspect", tmp_path / "x", "--methods", "gam")
    assert_refused(refused, "--inspect makes logs of a finished evaluation: leave --methods out")
    assert_refused(readgraph("evaluate", "--out", out, "--inspect", log), "can't be used as a folder for logs")
    assert_refused(readgraph("evaluate", "--out", tmp_path / "none", "--inspect", log), "holds no evaluation")


@pytest.mark.slow
def test_inspect_ai_reads_the_logs_and_drops_nothing(folder: EvaluationFolder, tmp_path: Path) -> None:
    log_module = pytest.importorskip("inspect_ai.log", reason="needs pip install inspect-ai")
    logs_of(folder, tmp_path / "logs")
    listed = log_module.list_eval_logs(str(tmp_path / "logs"))
    assert len(listed) == 2
    for info in listed:
        read = log_module.read_eval_log(info)
        written = json.loads(Path(info.name.removeprefix("file://")).read_text(encoding="utf-8"))
        assert_held(written, json.loads(read.model_dump_json()))
        assert read.samples[0].scores["accuracy"].as_float() in (0.0, 1.0)
        assert log_module.read_eval_log(info, header_only=True).results.scores[0].metrics["mean"].value <= 1


def assert_held(written: Any, read: Any, place: str = "") -> None:
    """Everything that was written is in what was read; times may be written in another way."""
    if isinstance(written, dict):
        assert isinstance(read, dict) and written.keys() <= read.keys(), f"{place}: {written.keys() - read.keys()}"
        for name, value in written.items():
            assert_held(value, read[name], f"{place}/{name}")
    elif isinstance(written, list):
        assert len(written) == len(read), place
        for one, other in zip(written, read, strict=True):
            assert_held(one, other, place)
    elif not place.endswith(("created", "started_at")):
        assert written == read, place

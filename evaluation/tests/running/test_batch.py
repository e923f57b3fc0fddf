"""`--batch`: an evaluation whose calls are made in batches is the same as without."""

from pathlib import Path

import pytest

from evaluation.tests.support.evaluations import by_method
from tests.cli.reading import test_batch as of_readings
from tests.cli.reading.test_batch import sizes
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, Command
from tests.support.questions import GOAT, WELL, story_file

hurried = of_readings.hurried


@pytest.mark.slow
def test_an_evaluation_and_its_judge_are_asked_in_batches(
    readgraph: Command, server: ModelServer, tmp_path: Path
) -> None:
    said = {"reason": "so it is", "agrees": "yes"}
    server.respond = lambda request: said if asked_for(request).startswith("Agrees") else reader(request)
    file = story_file(tmp_path, GOAT, WELL, dataset="qmsum")
    line = ("evaluate", file, *DOUBLE, "--methods", "bm25", "--judge", "openai:judge", "--price", "100/200", "--json")
    ordinary = readgraph(*line, "--out", tmp_path / "ordinary").json
    calls = server.calls
    batched = readgraph(*line, "--out", tmp_path / "batched", "--concurrency", 1, "--batch").json
    assert by_method(batched)["bm25"]["metrics"] == by_method(ordinary)["bm25"]["metrics"]
    assert server.calls == calls == len(server.batching.lines)
    assert len(sizes(server)) < calls, "answers are in one batch, and so are judgements of a kind"
    assert batched["judging"]["cost"] == pytest.approx(ordinary["judging"]["cost"] / 2, rel=0.01)

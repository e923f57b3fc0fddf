"""`--batch`: readings and surveys whose calls are made in batches are the same as without."""

import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from readgraph.models.waiting import use_clock
from tests.doubles.hurried import Hurried, Unhurried
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import DOUBLE, STORY, Command, assert_refused, finished, process
from tests.support.forking import ended, forked

PRICED = ("--price", "100/200", "--json")
QUESTION = "Who took the log book?"


@pytest.fixture
def hurried() -> Iterator[Hurried]:
    with use_clock(clock := Unhurried()):
        yield clock


def told(found: Any) -> Any:
    """What an answer tells, but for times and cost."""
    if isinstance(found, dict):
        return {name: told(value) for name, value in found.items() if name not in ("seconds", "cost")}
    return [told(value) for value in found] if isinstance(found, list) else found


def sizes(server: ModelServer) -> list[int]:
    return [len(batch.lines) for batch in server.batching.batches.values()]


def test_a_text_is_read_and_asked_about_as_without_batches(
    readgraph: Command, server: ModelServer, tmp_path: Path
) -> None:
    paging = ("--paging", "even", "--concurrency", 2)
    found = list[Any]()
    for more in ((), ("--batch",)):
        library = ("--library", tmp_path / f"library{len(more)}", *more)
        read = readgraph("read", STORY, *DOUBLE, *paging, *PRICED, *library).json
        found.append([read, readgraph("ask", QUESTION, STORY, *DOUBLE, *paging, *PRICED, *library).json])
    (ordinary, batched), calls = found, server.calls
    assert told(batched) == told(ordinary)
    bodies = [json.dumps(request.body, sort_keys=True) for request in server.requests]
    assert Counter(bodies) == Counter(json.dumps(line["body"], sort_keys=True) for line in server.batching.lines)
    assert len(server.batching.lines) == calls
    assert max(sizes(server)) == ordinary[0]["pages"] > 4, "all gists are one batch"
    for with_batch, without in zip(batched, ordinary, strict=True):
        assert with_batch["cost"] == pytest.approx(without["cost"] / 2, abs=1e-6) and without["cost"]


def test_an_estimate_shows_half_the_price(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("The lamp was lit. The goat stood on the gallery.\n\n" * 40)
    line = ("read", tmp_path / "text.txt", *DOUBLE, *PRICED, "--estimate")
    ordinary, batched = readgraph(*line).json, readgraph(*line, "--batch").json
    assert batched.pop("cost") == pytest.approx(ordinary.pop("cost") / 2, abs=1e-4)
    assert batched == ordinary


@pytest.mark.parametrize(
    "models", [("--model", "anthropic:claude"), ("--model", "local"), (*DOUBLE, "--reading-model", "ollama:llama")]
)
def test_other_providers_are_refused(readgraph: Command, server: ModelServer, models: tuple[str, ...]) -> None:
    refused = readgraph("ask", QUESTION, STORY, *models, "--batch")
    assert_refused(refused, f"'{models[-1].replace('local', 'local:SmolLM2-135M-Instruct')}' can't be asked in batches")
    assert server.batching.files == {} and server.calls == 0


@pytest.mark.slow
def test_the_records_of_a_survey_are_a_batch(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    line = ("ask", "How often did the keeper go up?", STORY, *DOUBLE, "--method", "survey")
    more = ("--survey-words", 200, "--json")
    ordinary = readgraph(*line, *more, "--library", tmp_path / "ordinary").json
    calls = Counter(asked_for(request) for request in server.requests)
    batched = readgraph(*line, *more, "--library", tmp_path / "batched", "--batch").json
    assert told(batched) == told(ordinary)
    assert sum(sizes(server)) == sum(calls.values()) and max(sizes(server)) > 4


@pytest.mark.slow
def test_a_table_is_made_as_without_batches(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    line = ("table", STORY, "every person: name", *DOUBLE, "--survey-words", 200, *PRICED)
    ordinary = readgraph(*line, "--library", tmp_path / "ordinary").json
    calls = server.calls
    batched = readgraph(*line, "--library", tmp_path / "batched", "--batch").json
    assert told(batched) == told(ordinary) and server.calls == calls > 4
    assert max(sizes(server)) > 4 and batched["cost"] == pytest.approx(ordinary["cost"] / 2, abs=1e-4)


@pytest.mark.slow
def test_a_killed_reading_takes_the_batch_that_goes_on(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    line = ("read", STORY, *DOUBLE, "--paging", "even", "--batch")
    server.batching.held, sent = True, threading.Event()
    server.batching.when_created = sent.set
    started = forked(*line)
    assert sent.wait(60)
    started.kill()
    assert ended(started) == -signal.SIGKILL
    server.batching.held = False
    assert readgraph(*line, "--json").json["complete"]
    (size, *more), keys = sizes(server), Counter(ChatRequest(each["body"]).key for each in server.batching.lines)
    assert size > 4 and max(keys.values()) == 1 and server.calls == 0 and sum(more) <= 1


@pytest.mark.slow
def test_a_stopped_reading_leaves_its_batch_which_can_be_cancelled(readgraph: Command, server: ModelServer) -> None:
    server.batching.held, sent = True, threading.Event()
    server.batching.when_created = sent.set
    line = ("read", STORY, *DOUBLE, "--paging", "even", "--batch")
    for batches in (1, 2):
        started = process(*line)
        assert sent.wait(60)
        os.kill(started.pid, signal.SIGINT)
        assert_refused(finished(started), "stopped. The batch goes on: run the same command again to take its rep", 130)
        (listed,) = readgraph("library", "batches", "--json").json
        assert listed["requests"] == sizes(server)[-1] and len(sizes(server)) == batches
        if batches == 1:
            (cancelled,) = readgraph("library", "batches", "--cancel", "--json").json
            assert cancelled == listed | {"replies": listed["requests"] // 2}
            assert readgraph("library", "batches", "--json").json == []
            sent.clear()
    server.batching.held = False
    assert readgraph(*line).code == 0 and server.respond is reader
    assert "no batch is under way" in readgraph("library", "batches", "--cancel").text
    done = [line["custom_id"] for batch in server.batching.batches.values() for line in batch.out]
    assert len(done) == len(set(done)) > 4, "nothing is paid twice"

"""What a person sees while a document is read."""

import re
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from readgraph.cli.terminal import progress
from readgraph.features.batches.under_way import progress_line
from readgraph.models.waiting import Clock, use_clock
from tests.doubles.hurried import Unhurried
from tests.doubles.model_server import Fault, ModelServer
from tests.support.command import ASK, DOUBLE, STORY, Command
from tests.support.questions import GOAT, story_file


@pytest.fixture
def terminal(monkeypatch: MonkeyPatch) -> None:
    """Outputs that are drawn as on a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")


def drawn(printed: str) -> str:
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", printed)


def test_steps_are_drawn_as_they_begin(readgraph: Command, server: ModelServer, terminal: None) -> None:
    read = drawn(readgraph("read", STORY, *DOUBLE).err)
    assert re.search(r"Reading .* 100% 11 parts, 11 notes +22 calls, [\d,]+ words", read)
    answered = drawn(readgraph(*ASK, *DOUBLE, "--method", "read-agent").err).rsplit("Answering", 1)[1]
    assert "%" not in answered and " left" not in answered and "2 calls" in answered, (
        "nobody knows how far an answer is"
    )


def test_a_narrow_terminal_shows_what_it_cost_and_the_time(
    readgraph: Command, server: ModelServer, terminal: None, monkeypatch: MonkeyPatch
) -> None:
    readgraph("show")
    monkeypatch.setattr("rich.console.Console.width", 60)
    seen = drawn(readgraph("read", STORY, *DOUBLE).err)
    assert re.search(r"Reading +100% \d+ calls, [\d,]+ words \d:\d\d:\d\d", seen)


@pytest.mark.slow
def test_a_wait_for_the_server_is_reported(readgraph: Command, server: ModelServer, terminal: None) -> None:
    server.fault_for = lambda request, call: Fault.rate_limited() if call == 12 else None
    with use_clock(Clock()):  # the bar goes by the real one
        seen = drawn(readgraph("read", STORY, *DOUBLE).err)
    assert "Waiting 1 s" in seen and "Reading" in seen.rsplit("Waiting", 1)[1]
    assert re.search(r"Waiting 1 s .* notes? +\d+ calls, [\d,]+ words \d:\d\d:\d\d left", seen), "at the pace so far"


def test_a_batch_is_reported_until_it_ends(readgraph: Command, server: ModelServer, terminal: None) -> None:
    server.batching.looks = 30
    with use_clock(Unhurried()):  # the bar goes by the real clock
        seen = drawn(readgraph("read", STORY, *DOUBLE, "--paging", "even", "--batch").err)
    assert re.search(r"Batch of \d\d submitted, 0 done", seen)
    assert "Reading" in seen.rsplit("submitted", 1)[1]


@pytest.mark.slow
def test_an_evaluation_shows_its_batches_while_they_go_on(
    readgraph: Command, server: ModelServer, terminal: None, tmp_path: Path, out: Path, monkeypatch: MonkeyPatch
) -> None:
    drawn_so_far = list[str]()

    def shown() -> list[str]:
        drawn_so_far.append(progress_line())
        server.batching.held = sum("0 done" in each for each in drawn_so_far) < 3  # it ends when it was drawn
        return list(filter(None, drawn_so_far[-1:]))

    server.batching.held = True
    monkeypatch.setattr("readgraph.cli.terminal.progress.progress_lines", shown)
    line = ("evaluate", story_file(tmp_path, GOAT), *DOUBLE, "--methods", "bm25", "--out", out)
    with use_clock(Unhurried()):
        seen = drawn(readgraph(*line, "--batch").err)
    assert re.search(r"Answering .* (Batch|\d batches) of \d submitted, 0 done", seen)
    assert "submitted" not in seen.rsplit("Judging", 1)[1]


@pytest.mark.slow
def test_a_wait_is_reported_without_a_terminal_where_that_is_asked_for(readgraph: Command, server: ModelServer) -> None:
    server.faults.append(Fault.rate_limited())
    server.faults.append(Fault.cut())
    told = readgraph(*ASK, *DOUBLE, "--verbose").err
    assert "waiting 1 s: the model server says 429" in told and "s: the model server gave no answer" in told
    server.faults.append(Fault.rate_limited())
    assert "waiting" not in readgraph("ask", "Who?", STORY, *DOUBLE).err


def test_tracing_is_reported_even_when_quiet(readgraph: Command, monkeypatch: MonkeyPatch, out: Path) -> None:
    monkeypatch.setattr("readgraph.nodes.opening.tracing_is_enabled", lambda: True)
    evaluate = ("evaluate", "--dataset", "nested-keys", "--limit", 1, "--methods", "bm25", "--out", out)
    said = "LangSmith tracing is on: questions, prompts and what is read are sent there."
    assert said in readgraph(*ASK).err
    for line in (ASK, ("read", STORY), ("compare", *ASK[1:], "--methods", "bm25"), evaluate):
        err = readgraph(*line, "--quiet").err
        assert said in err and err.count("\n") == 1, "nothing else is told"


def test_a_command_without_a_terminal_gives_a_sign_of_life(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0.0)
    ran = readgraph("read", STORY, *DOUBLE)
    assert re.search(r"(?m)^Reading, \d+ %, \d+ parts?, \d+ notes?, \d+ calls?, [\d,]+ words$", ran.err)
    assert readgraph("read", STORY, "--method", "gam", *DOUBLE, "--quiet").err == ""


def test_a_refused_key_leaves_no_empty_memory(readgraph: Command, server: ModelServer) -> None:
    server.fault_for = lambda request, call: Fault.unauthorized()
    for method in ("read-agent", "gam", "mem-walker"):
        assert readgraph("read", STORY, "--method", method, *DOUBLE).code == 2
    assert "has not been read yet" in readgraph("show", STORY).err

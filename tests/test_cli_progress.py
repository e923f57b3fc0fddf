"""What a person sees while a document is read."""

import re

import pytest
from pytest import MonkeyPatch

from tests.command import ASK, DOUBLE, STORY, Command
from tests.model_server import Fault, ModelServer


@pytest.fixture
def terminal(monkeypatch: MonkeyPatch) -> None:
    """Outputs that are drawn as on a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")


def drawn(printed: str) -> str:
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", printed)


def test_steps_are_drawn_as_they_begin(readgraph: Command, server: ModelServer, terminal: None) -> None:
    read = drawn(readgraph("read", STORY, *DOUBLE).err)
    assert re.search(r"Reading .* 100% 34 pages, 34 notes +67 calls, [\d,]+ words", read)
    answered = drawn(readgraph(*ASK, *DOUBLE).err).rsplit("Answering", 1)[1]
    assert "%" not in answered and "2 calls" in answered, "nobody knows how far an answer is"


def test_a_narrow_terminal_shows_what_it_cost(
    readgraph: Command, server: ModelServer, terminal: None, monkeypatch: MonkeyPatch
) -> None:
    readgraph("show")
    monkeypatch.setattr("rich.console.Console.width", 40)
    seen = drawn(readgraph("read", STORY, *DOUBLE).err)
    assert re.search(r"Reading +100% \d+ calls, [\d,]+ words", seen)


def test_a_wait_for_the_server_is_told(
    readgraph: Command, server: ModelServer, terminal: None, monkeypatch: MonkeyPatch
) -> None:
    monkeypatch.setattr("readgraph.nodes.calling._pause", lambda state: 0.6)
    server.fault_for = lambda request, call: Fault.rate_limited() if call == 5 else None
    seen = drawn(readgraph("read", STORY, *DOUBLE).err)
    assert "Waiting 1 s" in seen and "Reading" in seen.rsplit("Waiting", 1)[1]


def test_a_wait_is_told_without_a_terminal_where_that_is_asked_for(readgraph: Command, server: ModelServer) -> None:
    server.faults.append(Fault.rate_limited())
    server.faults.append(Fault.cut())
    told = readgraph(*ASK, *DOUBLE, "--verbose").err
    assert "waiting 0 s: the model server says 429" in told and "waiting 0 s: the model server gave no answer" in told
    server.faults.append(Fault.rate_limited())
    assert "waiting" not in readgraph("ask", "Who?", STORY, *DOUBLE).err

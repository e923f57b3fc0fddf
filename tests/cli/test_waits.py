"""What a command tells of a server that doesn't answer, where standard error is no terminal."""

import time
from itertools import count

import pytest
from pytest import CaptureFixture, MonkeyPatch

from readgraph.state import wait_teller
from readgraph.state.variables import awaiting, longest_awaited, tell_pause
from readgraph.state.wait_teller import WaitTeller
from tests.doubles.model_faults import embeddings, error_response
from tests.doubles.model_server import Fault, ModelServer
from tests.support.command import ASK, DOUBLE, Command

pytestmark = pytest.mark.quick


class Watch:
    """A watch that a test sets."""

    def __init__(self, monkeypatch: MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(wait_teller.wait_teller, "is_quiet", True)  # that of commands, on its thread
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


def test_a_line_after_ten_seconds_and_then_every_thirty(monkeypatch: MonkeyPatch, capsys: CaptureFixture[str]) -> None:
    watch, teller, told = Watch(monkeypatch), WaitTeller(), list[tuple[float, str]]()
    with awaiting("the model server at http://h:1/v1", 60.0, 300.0):
        for second in range(100):
            watch.now = 1000.0 + second
            if second == 35:
                tell_pause("the model server says 500", 8.0)
            teller.tell()
            told += [(second, line) for line in capsys.readouterr().err.splitlines()]
    teller.tell()
    assert capsys.readouterr().err == "", "nothing is waited for any more"
    at = "readgraph: Waiting for the model server at http://h:1/v1 since"
    assert told == [
        (10, f"{at} 10 s: no answer yet, given up in about 350 s."),
        (40, f"{at} 40 s: the model server says 500, tried again in 3 s, given up in about 295 s."),
        (70, f"{at} 70 s: the model server says 500, given up in about 265 s."),
    ]


@pytest.mark.parametrize(
    "quiet,terminal,log", [(True, False, ""), (False, True, ""), (False, False, "-")], ids=["quiet", "terminal", "log"]
)
def test_nothing_where_something_else_shows_it_or_only_the_result_is_wanted(
    monkeypatch: MonkeyPatch, capsys: CaptureFixture[str], quiet: bool, terminal: bool, log: str
) -> None:
    watch, teller = Watch(monkeypatch), WaitTeller()
    teller.is_quiet = quiet
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    monkeypatch.setenv("READGRAPH_LOG_JSON", log)
    with awaiting("a server", None, 1.0):
        watch.now += 60
        teller.tell()
    assert capsys.readouterr().err == ""


EMBEDS = ("--embeddings", "openai:double-embeddings")


@pytest.mark.parametrize(
    "command", [(*ASK, *DOUBLE), (*ASK, "--method", "dense", *EMBEDS)], ids=["model", "embeddings"]
)
def test_a_call_is_waited_for_until_it_ends(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, command: tuple[object, ...]
) -> None:
    told, tell = list[str](), tell_pause

    def look(reason: str, seconds: float) -> None:
        tell(reason, seconds)
        if waits := longest_awaited():
            told.append(waits.line())

    monkeypatch.setattr("readgraph.models.metering.tell_pause", look)
    server.faults.append(Fault.server_error())
    asked_for = count()
    server.embed = lambda body: embeddings(body) if next(asked_for) else error_response(500, "busy")
    asked = readgraph(*command, "--json")
    assert asked.code == 0 and "Waiting for" not in asked.out
    assert (
        told
        and told[0].startswith("Waiting for the ")
        and server.url.removesuffix("/v1") in told[0]
        and "says 500" in told[0]
    )
    assert longest_awaited() is None

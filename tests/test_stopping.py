"""Ctrl-C and other ways to end the command early: nothing is lost, and it says how to go on."""

import signal
import subprocess
import time
from collections.abc import Callable
from threading import Event

import pytest

from tests.command import ASK, DOUBLE, Command, assert_refused, finished, process
from tests.model_server import ChatRequest, Fault, ModelServer

Stop = Callable[["subprocess.Popen[str]"], None]


def twice(started: "subprocess.Popen[str]") -> None:
    started.send_signal(signal.SIGINT)
    started.send_signal(signal.SIGINT)


STOPS: dict[str, Stop] = {
    "Ctrl-C": lambda started: started.send_signal(signal.SIGINT),
    "Ctrl-C twice": twice,
    "terminated": lambda started: started.terminate(),
}


@pytest.mark.parametrize("name", STOPS)
def test_stopped_it_ends_soon_and_goes_on_from_there(readgraph: Command, server: ModelServer, name: str) -> None:
    hanging = Event()

    def hang(request: ChatRequest, call: int) -> Fault | None:
        if call > 10:
            hanging.set()
        return Fault.hang() if call > 10 else None

    server.fault_for = hang
    started = process(*ASK, *DOUBLE, "--concurrency", 1)
    reached, began = hanging.wait(60), time.perf_counter()
    STOPS[name](started)
    stopped = finished(started)
    assert reached and time.perf_counter() - began < 10, "it waited for the server"
    assert_refused(stopped, "stopped. What was read is kept; the same command goes on", code=130)
    paid, server.fault_for = set(server.answered), None
    assert "of about" in readgraph("show").out
    server.requests.clear()
    assert readgraph(*ASK, *DOUBLE, "--json").json["status"] == "answered"
    assert len(paid) == 10 and paid.isdisjoint(request.key for request in server.requests)


def test_in_the_background_of_a_shell_it_can_be_terminated(server: ModelServer) -> None:
    hanging = Event()

    def hang(request: ChatRequest, call: int) -> Fault:
        hanging.set()
        return Fault.hang()

    server.fault_for = hang
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for a command with an "&"
    try:
        started = process(*ASK, *DOUBLE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert hanging.wait(60)
    started.terminate()
    assert_refused(finished(started), "stopped. What was read is kept", code=130)

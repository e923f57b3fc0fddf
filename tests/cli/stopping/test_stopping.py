"""Ctrl-C and other ways to end the command early: nothing is lost, and it says how to go on."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.support.command import ASK, DOUBLE, Command, assert_refused, finished, process

Stop = Callable[["subprocess.Popen[str]"], None]


def twice(started: "subprocess.Popen[str]") -> None:
    started.send_signal(signal.SIGINT)
    started.send_signal(signal.SIGINT)


STOPS: dict[str, Stop] = {
    "Ctrl-C": lambda started: started.send_signal(signal.SIGINT),
    "Ctrl-C twice": twice,
    "terminated": lambda started: started.terminate(),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "Ctrl-C" else [pytest.mark.slow]) for name in STOPS]
)
@pytest.mark.slow
def test_stopped_it_ends_soon_and_goes_on_from_there(readgraph: Command, server: ModelServer, name: str) -> None:
    hanging = Event()

    def hang(request: ChatRequest, call: int) -> Fault | None:
        if call > 10:
            hanging.set()
        return Fault.hang() if call > 10 else None

    server.fault_for = hang
    started = process(*ASK, "--method", "read-agent", *DOUBLE, "--concurrency", 1)
    reached, began = hanging.wait(60), time.perf_counter()
    STOPS[name](started)
    stopped = finished(started)
    assert reached and time.perf_counter() - began < 10, "it waited for the server"
    assert_refused(stopped, "stopped. What was read is kept; run the same command again", code=130)
    paid, server.fault_for = set(server.answered), None
    assert "of about" in readgraph("show").out
    server.requests.clear()
    assert readgraph(*ASK, "--method", "read-agent", *DOUBLE, "--json").json["status"] == "answered"
    assert len(paid) == 10 and paid.isdisjoint(request.key for request in server.requests)


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_program_that_invokes_a_graph_ends_too(server: ModelServer, tmp_path: Path, story: str) -> None:
    hanging = Event()

    def hang(request: ChatRequest, call: int) -> Fault:
        hanging.set()
        return Fault.hang()

    server.fault_for = hang
    (tmp_path / "program.py").write_text(f"""
from readgraph import ReaderContext, open_library_in_background
from readgraph.graphs.read_agent import build

library = open_library_in_background({str(tmp_path / "kept")!r})
graph = build().compile(checkpointer=library.checkpointer, store=library.store)
context = ReaderContext(model="openai:double")
graph.invoke({{"text": {story!r}}}, {{"configurable": {{"thread_id": "1"}}}}, context=context)
""")
    started = subprocess.Popen([sys.executable, tmp_path / "program.py"], stderr=subprocess.PIPE, text=True)
    try:
        reached, began = hanging.wait(60), time.perf_counter()
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=30)
    finally:
        started.kill()
    assert reached and time.perf_counter() - began < 10, "it waited for the server"
    assert started.returncode == -signal.SIGINT and said.rstrip().endswith("KeyboardInterrupt")


INTERRUPT = """
import importlib.abc, os, signal, sys
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == os.environ["READGRAPH_TEST_AT"]:
            os.kill(os.getpid(), getattr(signal, os.environ["READGRAPH_TEST_SIGNAL"]))
sys.meta_path.insert(0, Finder())
"""
AT = ("readgraph.cli.main", "typer", "readgraph.cli.terminal.screen", "readgraph.state.context", "langgraph.graph")


@pytest.mark.parametrize("at", [AT[0], *(pytest.param(at, marks=pytest.mark.slow) for at in AT[1:])])
@pytest.mark.parametrize("signal_name", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.slow)])
def test_stopped_while_packages_are_imported_it_says_so_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str, signal_name: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT)
    for name, value in (("PYTHONPATH", tmp_path), ("READGRAPH_TEST_AT", at), ("READGRAPH_TEST_SIGNAL", signal_name)):
        monkeypatch.setenv(name, str(value))
    assert_refused(finished(process(*ASK)), "stopped.", code=130)

"""A rule that takes very long holds up nothing else: the page answers, other runs begin, and a stop ends it at once."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph.library.opening import Library
from readgraph.nodes import evidence
from readgraph.state.apart import compute, run_apart
from tests.doubles.model_server import ModelServer
from tests.serve.conftest import CONTEXT
from tests.support.development_server import REPOSITORY
from tests.support.reading_room import OpenRoom, reading_room

TEXT = "The goat stood there. The keeper took the log book to the tower on Monday.\n\nThen the lamp went out.\n"
DRAFT = "The keeper took the log book to the cellar on Monday."
SOON = 5.0  # seconds on a busy machine; the rule never ends


def never_ends(*_: Any) -> Any:
    """A rule that computes for ever; the event says that it is at work."""
    at_work.set()
    while True:
        len("rule" * 10)


at_work = threading.Event()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    at_work.clear()
    monkeypatch.setattr(evidence, "compare_sentences", never_ends)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(usual / 10)  # whatever else has to be done waits for it at each turn of a rule
    yield
    sys.setswitchinterval(usual)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


def begin(room: OpenRoom, document: str, **more: Any) -> str:
    return str(room.post("/api/runs", documents=[document], **more)["id"])


@pytest.mark.parametrize("model", ["", pytest.param("openai:double", marks=pytest.mark.slow)])
def test_the_room_goes_on_while_a_rule_computes_and_stops_it_at_once(
    server: ModelServer, tmp_path: Path, slow: None, model: str
) -> None:
    with reading_room(tmp_path / "library", replace(CONTEXT, model=model)) as room:
        document = room.added("lamp.txt", TEXT.encode())["id"]
        checks = [begin(room, document, task="check", question=DRAFT) for _ in range(2)]
        assert at_work.wait(20)
        with within(5 * SOON):
            room.get("/api/documents")
            room.get("/api/search", query="keeper")
            room.post("/api/estimate", documents=[document], question="Who took it?")
            asked = begin(room, document, question="Who took the log book?")
        assert room.until(asked, "end")[-1]["run"]["state"] == "done"
        for check in checks:
            with within(SOON):
                room.post(f"/api/runs/{check}/stop")
                assert room.until(check, "end")[-1]["run"]["state"] == "stopped"
        at_work.clear()
        begin(room, document, task="check", question=DRAFT)
        assert at_work.wait(20)
        closing = time.monotonic()
    assert time.monotonic() - closing < 3 * SOON, "the server's end stops it too"


async def test_what_computes_ends_with_its_task(library: Library) -> None:
    async def compute_in_a_loop() -> None:
        never_ends()

    for work in (lambda: compute(never_ends), lambda: run_apart(compute_in_a_loop)):
        at_work.clear()
        before = threading.active_count()
        task = asyncio.ensure_future(work())
        while not at_work.is_set():
            await asyncio.sleep(0.01)
        with within(SOON):
            task.cancel()
            await asyncio.wait([task])
        assert task.cancelled()
        while threading.active_count() > before:
            await asyncio.sleep(0.01)


async def test_what_can_t_be_ended_is_left_behind() -> None:
    ends = threading.Event()
    task = asyncio.ensure_future(run_apart(lambda: asyncio.sleep(0, ends.wait())))
    await asyncio.sleep(0)
    with within(SOON):
        task.cancel()
        await asyncio.wait([task])
    ends.set()
    assert task.cancelled()


async def test_errors_and_results_come_from_apart() -> None:
    async def fail() -> None:
        raise ValueError("no")

    for work in (lambda: run_apart(fail), lambda: compute(int, "no")):
        with pytest.raises(ValueError, match="no"):
            await work()
    assert await run_apart(lambda: asyncio.sleep(0, 3)) == await compute(int, "3") == 3


SLOWLY = """
import sys
from readgraph.nodes import evidence

def never_ends(*_):
    print("computing", file=sys.stderr, flush=True)
    while True:
        len("rule" * 10)

evidence.compare_sentences = never_ends
from readgraph.cli.main import run
run()
"""


@contextmanager
def slow_command(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """The command, in a process whose rule never ends."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", SLOWLY, *arguments], env=environment, text=True, **pipes)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_the_command_stops_while_a_rule_computes(tmp_path: Path, by: signal.Signals) -> None:
    (tmp_path / "draft.txt").write_text(DRAFT)
    (tmp_path / "text.txt").write_text(TEXT)
    given = ("verify", str(tmp_path / "draft.txt"), str(tmp_path / "text.txt"), "--library", str(tmp_path / "library"))
    with slow_command(*given) as process:
        assert process.stderr
        assert any("computing" in line for line in process.stderr)
        with within(3 * SOON):
            process.send_signal(by)
            _, told = process.communicate()
        assert process.returncode == 130 and "stopped" in told and "Traceback" not in told


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_server_for_agents_answers_and_stops_while_a_rule_computes(tmp_path: Path, by: signal.Signals) -> None:
    with slow_command("mcp", "--library", str(tmp_path / "library")) as process:
        assert process.stdin and process.stdout and process.stderr

        def send(**message: Any) -> None:
            assert process.stdin
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()

        def reply(identity: int) -> Any:
            assert process.stdout
            return next(said for line in process.stdout if (said := json.loads(line)).get("id") == identity)

        def call(identity: int, tool: str, **arguments: Any) -> None:
            send(id=identity, method="tools/call", params={"name": tool, "arguments": arguments})

        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
        send(id=1, method="initialize", params=about)
        call(2, "read", text=TEXT, wait_seconds=30)
        assert not reply(2)["result"].get("isError")
        call(3, "verify", draft=DRAFT)
        assert any("computing" in line for line in process.stderr)
        with within(2 * SOON):
            call(4, "search", query="keeper")
            assert not reply(4)["result"].get("isError")
        with within(SOON):
            send(method="notifications/cancelled", params={"requestId": 3})
            send(id=5, method="ping")
            assert reply(5)["result"] == {}
        call(6, "verify", draft=DRAFT)
        assert any("computing" in line for line in process.stderr)
        with within(3 * SOON):
            process.send_signal(by)
            assert process.wait() == 0

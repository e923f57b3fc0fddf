"""Workers in processes of their own: one is killed, all are stopped; on this machine and on Ray."""

import asyncio
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpus import Killing, check, made_corpus, read_once
from readgraph import ReaderContext
from readgraph.corpus.job import Job
from readgraph.corpus.on_ray import on_ray
from readgraph.corpus.processes import processes
from readgraph.corpus.reading import Workers
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import reader
from tests.support.command import DOUBLE, SECRET, Command
from tests.support.forking import ended, forked

IN_FLIGHT = 4

needs_ray = pytest.mark.skipif(not find_spec("ray"), reason="needs Ray: pip install 'readgraph[ray]'")


def one_is_killed(
    server: ModelServer, folder: Path, small: int, large: int, workers: Callable[[Job], Workers]
) -> tuple[Job, list[str], Killing]:
    """Read a corpus with two workers; one is killed while its call in the middle is in flight."""
    (folder / "corpus").mkdir()
    files = made_corpus(folder / "corpus", small, large)
    double = server.respond = Killing((small + large) // 2)
    job = Job(folder / "library", "read-agent", ReaderContext(model="openai:double", concurrency=IN_FLIGHT))
    read = asyncio.run(read_once(job, files, double.seen(workers(job))))
    assert double.killed and read.sum.workers == 2
    check(read, files, double, IN_FLIGHT)
    return job, files, double


@pytest.mark.slow
def test_a_process_is_killed_and_nothing_answered_is_paid_for_again(server: ModelServer, tmp_path: Path) -> None:
    job, files, double = one_is_killed(server, tmp_path, 60, 2, lambda job: processes(job, 2))
    calls = double.asked.total()
    again = asyncio.run(read_once(job, files, processes(job, 2)))
    assert again.sum.known == len(files) and double.asked.total() == calls
    with pytest.raises(ProcessLookupError):
        os.kill(double.killed, 0)


@pytest.mark.slow
def test_ctrl_c_ends_all_workers_and_the_same_command_goes_on(
    server: ModelServer, tmp_path: Path, readgraph: Command
) -> None:
    (tmp_path / "corpus").mkdir()
    made_corpus(tmp_path / "corpus", 20, 1)
    stopped, asked, known = threading.Event(), list[str](), threading.Event()

    def stop(request: ChatRequest) -> Any:
        asked.append(request.key)
        if len(asked) == 10:
            assert known.wait(60)
            os.kill(pid[0], signal.SIGINT)
            stopped.set()
        return reader(request)

    server.respond, pid = stop, list[int]()
    given = ("corpus", tmp_path / "corpus", *DOUBLE, "--workers", 2, "--concurrency", IN_FLIGHT)
    command = forked(*given)
    pid.append(command.pid or 0)
    known.set()
    assert ended(command) == 130 and stopped.is_set()
    server.respond = lambda request: asked.append(request.key) or reader(request)  # type: ignore[func-returns-value]
    assert readgraph(*given).text.startswith("21 documents: ")
    assert len(asked) - len({*asked}) <= 2 * IN_FLIGHT, "only calls in flight were made again"


@pytest.mark.ray
@needs_ray
def test_a_worker_of_ray_is_killed_and_nothing_answered_is_paid_for_again(server: ModelServer, tmp_path: Path) -> None:
    one_is_killed(server, tmp_path, 300, 3, lambda job: on_ray(job, 2, None))


@pytest.mark.ray
@needs_ray
def test_the_command_on_ray_prints_only_its_own_lines_and_no_key_is_in_ray_s_files(
    server: ModelServer, tmp_path: Path, readgraph: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    (tmp_path / "corpus").mkdir()
    made_corpus(tmp_path / "corpus", 3, 0)
    server.respond = keys = Headers()
    ran = readgraph("corpus", tmp_path / "corpus", *DOUBLE, "--on", "ray", "--workers", 1, "--json")
    *lines, last = map(json.loads, ran.out.splitlines())
    assert len(lines) == last["sum"]["read"] == 3 and not ran.err
    assert keys.seen == {f"Bearer {SECRET}"}, "the workers had it"
    session = Path("/tmp/ray/session_latest").resolve()
    texts = [file.read_bytes() for file in session.rglob("*") if file.is_file()]
    assert texts and not any(SECRET.encode() in text for text in texts)
    assert not any(b"Usage reporting is enabled" in text for text in texts)
    listening = re.findall(rb"server started, listening", b"".join(texts))
    assert listening and "ray" in sys.modules


class Headers:
    """Replies as the reader does, and keeps what the requests were authorised with."""

    def __init__(self) -> None:
        self.seen = set[str]()

    def __call__(self, request: ChatRequest) -> Any:
        self.seen.add(request.headers["authorization"])
        return reader(request)

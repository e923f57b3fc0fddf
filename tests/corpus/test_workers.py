"""Workers in processes of their own: one is killed, all are stopped; on this machine and on Ray."""

import asyncio
import json
import os
import signal
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpus import Killing, check, made_corpus, read_once
from readgraph import ReaderContext
from readgraph.doors.corpus.on_ray import on_ray
from readgraph.doors.corpus.processes import processes
from readgraph.doors.corpus.reading import Workers
from readgraph.doors.corpus.worker import CorpusJob
from readgraph.library.address import LibraryPlace, library_place
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import reader
from tests.support.command import DOUBLE, SECRET, Command, assert_refused
from tests.support.forking import forked
from tests.support.postgres_server import programs

IN_FLIGHT = 4

needs_postgres = pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")
needs_ray = pytest.mark.skipif(not find_spec("ray"), reason="needs Ray: pip install 'readgraph[ray]'")


def one_is_killed(
    server: ModelServer,
    folder: Path,
    small: int,
    large: int,
    workers: Callable[[CorpusJob], Workers],
    library: LibraryPlace | None = None,
) -> tuple[CorpusJob, list[str], Killing]:
    """Read a corpus with two workers; one is killed while its call in the middle is in flight."""
    (folder / "corpus").mkdir()
    files = made_corpus(folder / "corpus", small, large)
    double = server.respond = Killing((small + large) // 2)
    context = ReaderContext(model="openai:double", concurrency=IN_FLIGHT)
    job = CorpusJob(library or folder / "library", "read-agent", context)
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


@pytest.mark.postgres
@needs_postgres
def test_a_process_is_killed_over_a_library_on_a_server(server: ModelServer, tmp_path: Path, database: str) -> None:
    one_is_killed(server, tmp_path, 20, 1, lambda job: processes(job, 2), library_place(database))


def stopped(server: ModelServer, given: Sequence[object]) -> list[str]:
    """Run the command until Ctrl-C, which comes while its tenth call is in flight; returns what was asked."""
    asked, pid, known = list[str](), list[int](), threading.Event()

    def stop(request: ChatRequest) -> Any:
        asked.append(request.key)
        if len(asked) == 10:
            assert known.wait(60)
            os.kill(pid[0], signal.SIGINT)
        return reader(request)

    server.respond = stop
    command = forked(*given)
    pid.append(command.pid or 0)
    known.set()
    command.join(300)  # a cluster takes long to start on a busy machine
    assert command.exitcode == 130
    return asked


def goes_on(server: ModelServer, given: Sequence[object], readgraph: Command, asked: list[str], documents: int) -> None:
    """The same command reads the rest, and asks again only what was in flight."""
    server.respond = lambda request: asked.append(request.key) or reader(request)  # type: ignore[func-returns-value]
    assert readgraph(*given).text.startswith(f"{documents} documents: ")
    assert len(asked) - len({*asked}) <= 2 * IN_FLIGHT, "only calls in flight were made again"


@pytest.mark.slow
def test_ctrl_c_ends_all_workers_and_the_same_command_goes_on(
    server: ModelServer, tmp_path: Path, readgraph: Command
) -> None:
    (tmp_path / "corpus").mkdir()
    made_corpus(tmp_path / "corpus", 20, 1)
    given = ("corpus", tmp_path / "corpus", *DOUBLE, "--workers", 2, "--concurrency", IN_FLIGHT)
    goes_on(server, given, readgraph, stopped(server, given), 21)


@pytest.mark.ray
@needs_ray
def test_ctrl_c_ends_ray_too_and_the_same_command_goes_on_without_it(
    server: ModelServer, tmp_path: Path, readgraph: Command
) -> None:
    (tmp_path / "corpus").mkdir()
    made_corpus(tmp_path / "corpus", 20, 0)
    given = ("corpus", tmp_path / "corpus", *DOUBLE, "--workers", 2, "--concurrency", IN_FLIGHT)
    asked = stopped(server, (*given, "--on", "ray"))
    goes_on(server, given, readgraph, asked, 20)


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
    texts = files_of_ray()
    assert not any(SECRET.encode() in text for text in texts)
    assert any(b"Usage reporting is disabled" in text for text in texts)
    assert keys.nodes == {"127.0.0.1"}, "it listens on this machine only"


@pytest.mark.ray
@needs_ray
@needs_postgres
def test_on_ray_the_address_of_a_server_goes_by_the_environment(
    server: ModelServer, tmp_path: Path, readgraph: Command, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "corpus").mkdir()
    made_corpus(tmp_path / "corpus", 2, 0)
    monkeypatch.setenv("READGRAPH_LIBRARY", f"{database}&password={SECRET}")
    given = ("corpus", tmp_path / "corpus", "--on", "ray", "--workers", 1)
    assert readgraph(*given).text.startswith("2 documents: 2 read")
    assert not any(SECRET.encode() in text for text in files_of_ray())
    typed = readgraph(*given, "--library", f"{database}&password={SECRET}")
    assert_refused(typed, "put the library's address into READGRAPH_LIBRARY")


def files_of_ray() -> list[bytes]:
    """All that Ray wrote for its last cluster."""
    session = Path("/tmp/ray/session_latest").resolve()
    texts = [file.read_bytes() for file in session.rglob("*") if file.is_file()]
    assert texts
    return texts


class Headers:
    """Replies as the reader does, and keeps what the requests were authorised with, and where Ray is."""

    def __init__(self) -> None:
        self.seen, self.nodes = set[str](), set[str]()

    def __call__(self, request: ChatRequest) -> Any:
        self.nodes.add(import_module("ray").util.get_node_ip_address())
        self.seen.add(request.headers["authorization"])
        return reader(request)

"""Bad input and faults: one clear line, exit code 2, nothing lost."""

import shlex
import signal
import socket
from pathlib import Path
from threading import Event

import pytest
from pytest import MonkeyPatch

from tests.command import ASK, DOUBLE, SECRET, STORY, Command, assert_refused, finished, process
from tests.model_server import ChatRequest, Fault, ModelServer

BAD_INPUT = [
    ("ask who {tmp}/none.txt", "none.txt"),
    ("ask who {tmp}/hollow", "holds no file"),
    ("ask who", "name a file"),
    ("ask who --continue", "no question to go on from"),
    ("ask who {story} --price cheap", "is no price"),
    ("ask who {story} --price 1/-1", "0 or more"),
    ("ask who {story} --method none", "choose one of read-agent"),
    ("ask who {tmp}/empty.txt", "empty.txt is empty"),
    ("ask who {tmp}/blank.txt", "blank.txt is empty"),
    ("ask who {tmp}/book.pdf", "book.pdf"),
    pytest.param(f"read {'a' * 300}.txt", "too long"),
    ("ask ' \n\t' {story}", "question is empty"),
    ("ask who {story} --option one", "at least two options"),
    ("ask who {story} --option one --option ' '", "option is empty"),
    ("ask who {story} --model nonsense:x", "'nonsense'"),
    ("ask who {story} --model gpt", "'gpt'"),
    ("ask who {story} --model openai:gpt-4.1-mini", "OPENAI_API_KEY"),
    ("ask who {story} --min-page-words 600 --max-page-words 280", "600"),
    ("ask who {story} --library {tmp}/empty.txt", "is a file"),
    ("ask who {story} --library {tmp}", "not a library"),
    ("ask who {story} --library {tmp}/newer", "newer version"),
    ("show --library {tmp}/damaged", "is damaged"),
    pytest.param("show --library {tmp}/odd", "is damaged"),
    pytest.param("show --library {tmp}/spoilt", "spoilt"),
    ("show nothing", "'nothing'"),
]


@pytest.mark.parametrize("line,reason", BAD_INPUT)
def test_bad_input_is_one_line(readgraph: Command, tmp_path: Path, line: str, reason: str) -> None:
    files = {"empty.txt": "", "blank.txt": " \n\t\r\n", "book.pdf": "%PDF-1.7", "damaged/readgraph.json": "{"}
    files |= {"newer/readgraph.json": '{"format": 99}', "odd/readgraph.json": '{"format": "1"}'}
    files |= {"spoilt/readgraph.json": '{"format": 1}', "spoilt/checkpoints.sqlite": "no database " * 99}
    (tmp_path / "hollow").mkdir()
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    assert_refused(readgraph(*shlex.split(line.format(tmp=tmp_path, story=STORY))), reason)


@pytest.mark.parametrize("line", ["ask who f.txt --nonsense", "ask who f.txt --strategy both", "ask", "nonsense"])
def test_wrong_usage_ends_with_2(readgraph: Command, line: str) -> None:
    ran = readgraph(*line.split())
    assert (ran.code, ran.out) == (2, "") and "Traceback" not in ran.err


def test_a_server_that_is_not_there(readgraph: Command, monkeypatch: MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # taken, so that nobody else listens there
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
        assert_refused(readgraph(*ASK, *DOUBLE), "No model server answers")


def test_a_key_is_neither_told_nor_kept(
    readgraph: Command, server: ModelServer, monkeypatch: MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    server.faults.append(Fault(f"Incorrect API key provided: {SECRET}", status=401))
    refused = readgraph(*ASK, *DOUBLE, "--concurrency", 1)
    assert_refused(refused, "refused the key")
    assert SECRET not in refused.err and readgraph(*ASK, *DOUBLE).code == 0
    files = [path for path in (tmp_path / "library").rglob("*") if path.is_file()]
    assert len(files) >= 3 and not any(SECRET.encode() in path.read_bytes() for path in files)


def test_after_a_failing_server_nothing_is_paid_for_twice(readgraph: Command, server: ModelServer) -> None:
    server.fault_for = lambda request, call: Fault.server_error() if call > 10 else None
    assert_refused(readgraph(*ASK, *DOUBLE), "failed")
    paid, asked = set(server.answered), len(server.requests)
    server.fault_for = None
    assert readgraph(*ASK, *DOUBLE, "--json").json["status"] == "answered"
    assert len(paid) == 10 and paid.isdisjoint(request.key for request in server.requests[asked:])


def test_stopped_it_says_that_it_goes_on_from_there(readgraph: Command, server: ModelServer) -> None:
    hanging = Event()

    def hang(request: ChatRequest, call: int) -> Fault | None:
        if call > 10:
            hanging.set()
        return Fault.hang() if call > 10 else None

    server.fault_for = hang
    started = process(*ASK, *DOUBLE, "--concurrency", 1)
    reached = hanging.wait(20)
    started.send_signal(signal.SIGINT)
    stopped = finished(started)
    assert reached
    assert_refused(stopped, "stopped", code=130)

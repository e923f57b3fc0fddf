"""The command `serve` as a process: how it begins, how it ends, and what is left where it is killed."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from httpx2 import Client, get

from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ModelServer
from tests.support.examples import WHOLE_STORY

pytestmark = pytest.mark.slow

SIZES = ("--min-page-words", "40", "--max-page-words", "90")


@contextmanager
def served(*options: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process, and what it said until it was ready."""
    command = [sys.executable, "-m", "readgraph", "serve", "--no-open", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        said = ""
        for line in process.stderr:
            said += line
            if "Ctrl-C" in line:
                break
        yield process, said
    finally:
        process.kill()
        process.communicate()


def client_of(said: str) -> Client:
    """Let in by the address that was printed."""
    base, token = re.findall(r"(http://\S+)/\?token=(\S+)", said)[0]
    return Client(base_url=base, headers={"authorization": f"Bearer {token}"}, timeout=60)


def told(client: Client, run: str) -> Iterator[dict[str, object]]:
    """The events of a run."""
    with client.stream("GET", f"/api/runs/{run}/events") as response:
        for line in response.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line[6:])


def begun(client: Client) -> str:
    """A run that asks about the whole story."""
    adding = client.put("/api/files/story.txt", content=WHOLE_STORY.read_bytes()).json()["id"]
    *_, end = told(client, adding)
    documents = end["run"]["documents"]  # type: ignore[index]
    asked = {"documents": documents, "question": "Who took it?", "method": "read-agent"}
    return str(client.post("/api/runs", json=asked).json()["id"])


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_stopped_tells_its_followers_and_ends_in_order(
    server: ModelServer, by: signal.Signals
) -> None:
    with served("--model", "openai:double", *SIZES) as (process, said), client_of(said) as client:
        server.latency = 0.2
        events = told(client, begun(client))
        assert any(event["type"] == "pages" for event in events)
        for _ in range(3):  # the first one stops it
            process.send_signal(by)
        *_, last = events
        assert last["type"] == "end" and last["run"]["state"] == "stopped"  # type: ignore[index]
        _, rest = process.communicate(timeout=20)
        assert (process.returncode, rest) == (0, "")


def test_what_a_killed_server_read_is_not_paid_for_again(server: ModelServer) -> None:
    with served("--model", "openai:double", *SIZES) as (process, said), client_of(said) as client:
        server.latency = 0.02
        assert any(len(server.answered) >= 40 for _ in told(client, begun(client)))
        process.kill()
        process.wait()
    server.latency, paid, asked = 0.0, {*server.answered}, len(server.requests)
    with served("--model", "openai:double", *SIZES) as (process, said), client_of(said) as client:
        (asked_before,) = client.get("/api/questions").json()["questions"]
        assert asked_before["status"] == "failed"
        *_, end = told(client, begun(client))
        assert end["run"]["state"] == "done"  # type: ignore[index]
    again = [request for request in server.requests[asked:] if request.key in paid]
    assert len(again) <= ReaderContext().concurrency, "only calls that were in flight"


def test_the_address_for_other_machines_can_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READGRAPH_PASSWORD", "a long one")
    with served("--host", "0.0.0.0") as (_, said):
        assert "--allow-host" in said
        assert get(re.findall(r"http://\S+", said)[0]).status_code == 200

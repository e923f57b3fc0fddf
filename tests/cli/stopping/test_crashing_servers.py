"""Servers that are killed while a run is going on: started again, they go on, and end with the same answer."""

import json
import random
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Client, TransportError

from tests.cli.stopping.test_crashes import IN_FLIGHT, KILLS, QUESTION, SETTINGS, lasting
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.support.command import Command
from tests.support.crashing import NEVER, Crashing, crashing_server
from tests.support.examples import STORY

pytestmark = pytest.mark.slow

OF_RUN = {"thread", "run", "checkpoint", "at", "finished", "created", "handle"}


@pytest.fixture
def crashing(server: ModelServer, tmp_path: Path) -> Crashing:
    (tmp_path / "settings.toml").write_text(SETTINGS)
    (tmp_path / "text.txt").write_text(STORY.read_text(encoding="utf-8")[:4000], encoding="utf-8")
    return Crashing(server, tmp_path, reader)


def asked_in_a_room(folder: Path, library: Path, write: int) -> Any:
    """The answer that `serve` gives about the text; None where it was killed before."""
    command = ("serve", "--no-open", "--port", 0, "--library", library)
    with crashing_server(folder, *command, write=write) as process:
        assert process.stderr
        found = next(filter(None, (re.search(r"(http://\S+)/\?token=(\S+)", line) for line in process.stderr)), None)
        try:
            return found and _answer(found[1], found[2], (folder / "text.txt").read_bytes())
        except TransportError:
            assert process.wait(60) == -signal.SIGKILL
            return None


def _answer(base: str, token: str, text: bytes) -> Any:
    with Client(base_url=base, headers={"authorization": f"Bearer {token}"}, timeout=60) as client:

        def events(run: str) -> Iterator[dict[str, Any]]:
            with client.stream("GET", f"/api/runs/{run}/events") as response:
                yield from (json.loads(line[6:]) for line in response.iter_lines() if line.startswith("data: "))

        *_, added = events(client.put("/api/files/text.txt", content=text).json()["id"])
        body = {"documents": added["run"]["documents"], "question": QUESTION}
        *_, end = events(client.post("/api/runs", json=body).json()["id"])
        assert end["run"]["state"] == "done", end
        answered = client.get(f"/api/questions/{end['run']['thread']}").json()
        return answered["report"]


def read_over_mcp(folder: Path, library: Path, write: int) -> Any:
    """What `mcp` says when the text was read and asked about; None where it was killed before."""
    command = ("mcp", "--allow", folder, "--library", library)
    with crashing_server(folder, *command, write=write) as process:
        try:
            about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
            _call(process, 1, "initialize", about)
            reading = {"name": "read", "arguments": {"file": "text.txt", "wait_seconds": 60}}
            read = _call(process, 2, "tools/call", reading)
            assert read["state"] == "done", read
            asking = {"question": QUESTION, "document": read["document"]}
            return _call(process, 3, "tools/call", {"name": "ask", "arguments": asking})
        except (BrokenPipeError, EOFError):
            assert process.wait(60) == -signal.SIGKILL
            return None


def _call(process: "subprocess.Popen[str]", number: int, method: str, given: dict[str, Any]) -> Any:
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": given}) + "\n")
    process.stdin.flush()
    for line in process.stdout:
        if (said := json.loads(line)).get("id") == number:
            assert not said["result"].get("isError"), said
            return said["result"].get("structuredContent")
    raise EOFError


@pytest.mark.parametrize("serve", [asked_in_a_room, read_over_mcp])
def test_a_server_that_is_killed_goes_on(readgraph: Command, crashing: Crashing, tmp_path: Path, serve: Any) -> None:
    whole = serve(tmp_path, tmp_path / "whole", NEVER)
    assert whole
    asked, writes, chance = Counter(crashing.asked), len(crashing.writes), random.Random(3)
    for number in range(-(-KILLS // 20)):
        crashing.asked.clear()
        library, write = tmp_path / f"killed-{number}", chance.randint(1, writes)
        killed = serve(tmp_path, library, write) is None
        assert readgraph("library", "check", "--json", "--library", library).json == {"faults": []}, write
        assert without(serve(tmp_path, library, NEVER)) == without(whole), write
        again = crashing.asked - asked
        assert not asked - crashing.asked and again.total() <= IN_FLIGHT * killed and {*again} <= {*asked}, write


def without(answer: Any) -> Any:
    """An answer without what names its run."""
    return {name: part for name, part in lasting(answer).items() if name not in OF_RUN}

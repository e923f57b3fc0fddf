"""The command that serves agents, started as an agent's program starts it: by a list of servers, and over HTTP."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs pip install 'readgraph[mcp]'")
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.doubles.model_server import ModelServer
from tests.mcp.test_mcp_server import TEXT, call
from tests.support.development_server import REPOSITORY

SETTINGS = ["--min-page-words", "40", "--max-page-words", "90", "--concurrency", "1"]


@pytest.fixture
def listed(tmp_path: Path, server: ModelServer) -> Any:
    """The server as a client's configuration file lists it."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "finds.txt").write_text(TEXT, encoding="utf-8")
    arguments = ["-m", "readgraph", "mcp", "--allow", str(tmp_path / "papers"), "--model", "openai:double", *SETTINGS]
    environment = {
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": "sk-not-a-real-key",
        "READGRAPH_LIBRARY": str(tmp_path / "library"),
        "PYTHONPATH": str(REPOSITORY),
    }
    file = tmp_path / "mcp.json"
    entry = {"command": sys.executable, "args": arguments, "env": environment}
    file.write_text(json.dumps({"mcpServers": {"readgraph": entry}}), encoding="utf-8")
    return json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["readgraph"]


@pytest.mark.slow
async def test_started_from_a_configuration_file(listed: Any, server: ModelServer) -> None:
    async with Client(StdioServerParameters(**listed)) as client:
        read = await call(client, "read", file="finds.txt", wait_seconds=60)
        assert (read["state"], read["reading"]["complete"]) == ("done", True)
        assert (await call(client, "ask", question="What was found?"))["answer"] == "It says so."


@contextmanager
def started(listed: Any, *more: str) -> Iterator["subprocess.Popen[str]"]:
    """The listed server as a process of ours, whose end we decide."""
    process = subprocess.Popen(
        [listed["command"], *listed["args"], *more],
        env=os.environ | listed["env"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()


@pytest.mark.slow
async def test_over_http_a_handle_outlives_a_kill(listed: Any, server: ModelServer) -> None:
    server.latency = 3
    with started(listed, "--http", "--port", "0") as process:
        url = where(process)
        async with Client(url) as client:
            handle = (await call(client, "read", file="finds.txt"))["handle"]
            under_way = await call(client, "read", handle=handle, wait_seconds=1)
        assert under_way["state"] == "reading"
        process.send_signal(signal.SIGKILL)
    server.latency = 0
    with started(listed, "--http", "--port", "0") as process:
        async with Client(where(process)) as client:
            assert (await call(client, "read", handle=handle, wait_seconds=60))["state"] == "done"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    asked = [request.text for request in server.requests]
    assert len(asked) - len({*asked}) <= 1, "only the call in flight was made again"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["stdin", signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_its_client(listed: Any, way: Any) -> None:
    with started(listed) as process:
        assert process.stdin and process.stdout
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
                   "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}}  # fmt: skip
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "readgraph"
        if way == "stdin":
            process.stdin.close()
        else:
            process.send_signal(way)
        assert process.wait(20) == 0


@pytest.mark.slow
async def test_a_client_that_gives_up_on_a_call_asks_again(listed: Any, server: ModelServer) -> None:
    server.latency = 0.3
    async with Client(stdio_client(StdioServerParameters(**listed))) as client:
        handle = (await call(client, "read", file="finds.txt"))["handle"]
        with pytest.raises(Exception, match=r"(?i)timed? ?out"):
            await client.call_tool("read", {"handle": handle, "wait_seconds": 30}, read_timeout_seconds=1)
        server.latency = 0
        while (state := await call(client, "read", handle=handle, wait_seconds=1))["state"] == "reading":
            pass
    assert state["state"] == "done"


@pytest.mark.slow
async def test_over_http_it_ends_within_a_call_and_shows_no_traceback(listed: Any, server: ModelServer) -> None:
    server.latency = 30
    with started(listed, "--http", "--port", "0") as process:
        async with Client(where(process)) as client:
            asking = asyncio.ensure_future(call(client, "read", file="finds.txt", wait_seconds=60))
            while not server.calls:
                await asyncio.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            code, (_, told) = await asyncio.to_thread(process.wait, 20), await asyncio.to_thread(process.communicate)
            assert code == 0 and "Traceback" not in told
            await asyncio.wait([asking])
            assert asking.exception()


@pytest.mark.slow
def test_who_listens_to_others_is_told_so(listed: Any) -> None:
    with started(listed, "--http", "--port", "0", "--host", "0.0.0.0") as process:
        assert process.stderr and "is served at http://0.0.0.0:" in process.stderr.readline()
        assert "can read this library and use your model: there is no log-in." in process.stderr.readline()


def where(process: "subprocess.Popen[str]") -> str:
    """The address that the server says."""
    assert process.stderr
    said = process.stderr.readline()
    assert "is served at http://127.0.0.1:" in said
    return said.rstrip(".\n").rpartition(" ")[2]

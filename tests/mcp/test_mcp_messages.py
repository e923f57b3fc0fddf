"""What is no message of the protocol gets an error, over standard input and over HTTP, and the server goes on."""

import asyncio
import io
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

pytest.importorskip("mcp", reason="needs pip install 'readgraph[mcp]'")
from httpx2 import AsyncClient

from readgraph.api.servers import MOST_MB, open_listener
from readgraph.doors.mcp.server import LibraryTools, library_server, serve_http
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
BEGIN = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}).encode()
PING = b'{"jsonrpc":"2.0","id":9,"method":"ping"}'


def calls(arguments: str, tool: str = "search", end: str = "") -> bytes:
    head = f'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}'
    return f"{head}{end}}}".encode()


def last(arguments: str) -> bytes:
    """As some programs write it: the id behind what is called."""
    called = f'{{"method":"tools/call","params":{{"name":"search","arguments":{arguments}}}'
    return f'{called},"jsonrpc":"2.0","id":7}}'.encode()


NO_MESSAGES = {
    "half a character": (calls(r'{"query":"\ud800"}'), 7, "half a character"),
    "half a character in a name": (calls("{}", r"\udc00"), 7, "half a character"),
    "half a character as id": (rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}', None, "half a character"),
    "no UTF-8": (calls('{"query":"x"}').replace(b"x", b"\xff"), 7, "UTF-8"),
    "half a character in UTF-8": (b"\xed\xa0\x80", None, "UTF-8"),
    "a number of 5,000 digits": (calls('{"query":"x","most":1' + "0" * 5000 + "}"), 7, "number out of range"),
    "deep": (calls('{"query":' + "[" * 100_000 + "]" * 100_000 + "}"), 7, "64 lists and objects inside each other"),
    "deep, with the id last": (last('{"query":' + "[" * 100 + "]" * 100 + "}"), 7, "64 lists"),
    "many keys": (last("{" + ",".join(f'"{key}":1' for key in range(100_000)) + "}"), 7, "100,000 keys and values"),
    "long": (calls('{"query":"' + "x" * MOST_MB * 1_000_000 + '"}'), 7, f"more than {MOST_MB} MB"),
    "no end": (b'"' + rb"\"" * 100_000, None, "no valid JSON"),
    "no id": (b'{"jsonrpc":"2.0","method":"tools/list"}', None, "no id"),
    "a fraction as id": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, "no id"),
    "several at once": (b"[" + PING + b"]", None, "of which one is sent"),
    "parameters as a list": (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', 7, "no request"),
    "another version": (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, "no request"),
    "an empty object": (b"{}", None, "no request"),
    "words": (b"nonsense", None, "no valid JSON"),
}
WRONG = {
    "a list as arguments": calls("[1]"),
    "a word as arguments": calls('"x"'),
    "no number": calls('{"query":"x","most":NaN}'),
    "no end of a number": calls('{"text":"x","wait_seconds":1e400}', "read"),
    "a number of 400 digits": calls('{"query":"x","most":1' + "0" * 400 + "}"),
    "another type": calls('{"query":{"a":1}}'),
    "NUL in a name": calls(r'{"query":"x","document":"a\u0000b"}'),
    "NUL in a file": calls(r'{"file":"a\u0000b"}', "read"),
    "no such page": calls('{"document":"x","page":' + "9" * 30 + "}", "open_page"),
}


@pytest.fixture
async def tools(library: Library) -> AsyncIterator[LibraryTools]:
    made = LibraryTools(library, ReaderContext(), [])
    yield made
    await made.jobs.close()


@asynccontextmanager
async def begun(tools: LibraryTools) -> AsyncIterator[Callable[[bytes], Awaitable[Any]]]:
    """Writes a line to a server on pipes that has begun, and gives the line that it replies."""
    (theirs, ours), (reads, writes) = os.pipe(), os.pipe()
    with (
        os.fdopen(ours, "wb") as to_server,
        os.fdopen(reads, "rb") as from_server,
        os.fdopen(theirs, "rb") as read,
        os.fdopen(writes, "wb") as written,
        patch.object(sys, "stdin", io.TextIOWrapper(read)),
        patch.object(sys, "stdout", io.TextIOWrapper(written)),
    ):
        serving = asyncio.create_task(library_server(tools).run_stdio_async())

        def send(line: bytes) -> Any:
            to_server.write(line + b"\n")
            to_server.flush()
            return json.loads(from_server.readline())

        assert (await asyncio.to_thread(send, BEGIN))["result"]["serverInfo"]["name"] == "readgraph"
        try:
            yield lambda line: asyncio.to_thread(send, line)
        finally:  # also where a test fails: the server would wait for ever for its next line
            to_server.close()
            await serving


async def test_on_standard_input_each_gets_an_error(tools: LibraryTools) -> None:
    async with begun(tools) as say:
        for name, (line, identity, why) in NO_MESSAGES.items():
            reply = await say(line)
            assert reply["id"] == identity and why in reply["error"]["message"], (name, reply)
            assert len(str(reply)) < 500, name
        for name, line in WRONG.items():
            reply = await say(line)
            assert reply["id"] == 7 and ("error" in reply or reply["result"]["isError"]), (name, reply)
        assert await say(PING) == {"jsonrpc": "2.0", "id": 9, "result": {}}


async def test_over_http_each_gets_an_error(tools: LibraryTools) -> None:
    listener = open_listener("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    serving = asyncio.create_task(serve_http(library_server(tools), listener, "127.0.0.1", []))
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    async with AsyncClient(headers=headers, timeout=60) as http:
        for name, (line, identity, why) in NO_MESSAGES.items():
            reply = await http.post(url, content=line)
            assert reply.status_code in (400, 413), (name, reply.text)
            assert reply.json()["id"] == identity and why in reply.json()["error"]["message"], name
        for name, line in WRONG.items():
            reply = await http.post(url, content=line)
            assert (reply.status_code < 500 and '"error"' in reply.text) or '"isError":true' in reply.text, name
        assert '"result":{}' in (await http.post(url, content=PING)).text
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads this process's memory where Linux tells it")
async def test_what_is_too_much_leaves_no_memory_behind(tools: LibraryTools) -> None:
    line = last("{" + ",".join(f'"key {key}":1' for key in range(300_000)) + "}")

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    async with begun(tools) as say:
        await say(line)
        before = resident()
        for _ in range(20):
            await say(line)
        assert resident() - before < 5 * len(line)

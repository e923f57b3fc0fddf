"""Keys of what is served: neither the reading room nor the server for agents tells one."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'readgraph[serve]'")
pytest.importorskip("mcp", reason="needs pip install 'readgraph[mcp]'")
from mcp import Client

from readgraph.doors.mcp.refusing import resolve_allowed_folders
from readgraph.doors.mcp.server import LibraryTools, library_server
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from tests.doubles.model_server import Fault, ModelServer
from tests.support.command import SECRET
from tests.support.reading_room import OpenRoom, reading_room

TEXT = "The goat stood there. The keeper slept.\n\nThe lamp went out. " * 9
CONTEXT = ReaderContext(model="openai:double", min_page_words=40, max_page_words=90, retry_seconds=0.1)
FAULTS: list[Callable[[], Fault]] = [
    lambda: Fault(f"Incorrect API key provided: {SECRET}", status=401),
    lambda: Fault.foreign(f'{{"choices": "{SECRET}"}}'),
]


@pytest.fixture(autouse=True)
def planted(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    host = server.url.removeprefix("http://")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://ann:{SECRET}@{host}")


@pytest.fixture
def room(server: ModelServer, tmp_path: Path) -> Iterator[OpenRoom]:
    with reading_room(tmp_path / "library", CONTEXT) as opened:
        yield opened


def assert_kept_nowhere(folder: Path) -> None:
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert kept and not [path for path in kept if SECRET.encode() in path.read_bytes()]


@pytest.mark.slow
def test_the_reading_room_tells_no_key(
    room: OpenRoom, server: ModelServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "readgraph")
    added = room.post("/api/texts", text=TEXT)["id"]
    told: list[object] = [*room.events(added)]
    (document,) = room.get("/api/documents")["documents"]
    for make in (None, *FAULTS):
        server.fault_for = (lambda request, call, make=make: make()) if make else None
        told += room.ran(documents=[document["id"]], question=f"Who stood there? {len(told)}")
        told += [*room.events(room.post("/api/agents/ada/messages", text="Hello.")["id"])]
    states = [each["run"]["state"] for each in told if isinstance(each, dict) and each["type"] == "end"]
    assert states.count("failed") >= 4 and "done" in states
    for path in ("/openapi.json", "/api/about", "/api/runs", "/api/questions", "/api/documents", "/api/agents", "/"):
        told.append(room.client.get(path).text)
    assert SECRET not in json.dumps(told)
    assert_kept_nowhere(tmp_path)
    assert not [record for record in caplog.records if SECRET in record.getMessage()]


@pytest.mark.slow
async def test_the_server_for_agents_tells_no_key(library: Library, server: ModelServer, tmp_path: Path) -> None:
    tools, told = LibraryTools(library, CONTEXT, resolve_allowed_folders([tmp_path])), list[str]()
    async with Client(library_server(tools)) as client:
        told += [tool.model_dump_json() for tool in (await client.list_tools()).tools]
        for number, make in enumerate([None, *FAULTS]):
            server.fault_for = (lambda request, call, make=make: make()) if make else None
            text = f"{TEXT} {number}"
            read = await client.call_tool("read", {"text": text, "title": f"t{number}", "wait_seconds": 60})
            asked = await client.call_tool("ask", {"question": f"Who stood? {number}", "document": f"t{number}"})
            assert asked.is_error == bool(make)
            told += [read.model_dump_json(), asked.model_dump_json()]
    await tools.jobs.close()
    assert "refused the key" in "".join(told) and SECRET not in "".join(told)
    assert_kept_nowhere(tmp_path)

"""What a stranger's package adds is found in `readgraph.api`, among the tools of agents, and in the served page."""

import json
import os
from pathlib import Path

import pytest

from tests.support.command import finished, process
from tests.support.development_server import REPOSITORY
from tests.support.packages import install

PLUGIN = """
from readgraph.plugins import hookimpl


@hookimpl
def functions():
    return {"count_documents": "counting:count_documents", "ask": "counting:count_documents"}


@hookimpl
def tools():
    from readgraph.api.tools import Tool
    from counting import count, search

    return [Tool(run=count, order=1), Tool(run=search)]


@hookimpl
def pages():
    from counting import PAGE

    return [PAGE]
"""
COUNTING = '''
from typing import Annotated

from pydantic import Field

from readgraph.api import list_documents
from readgraph.api.results import Result
from readgraph.doors.serve.making import Page


class Count(Result):
    number: int


async def count_documents(library, *, context=None, listen=None):
    """How many documents there are."""
    return Count(number=len(await list_documents(library)))


async def count(call, least: Annotated[int, Field(description="At least so many.")] = 0) -> Count:
    """Count the documents."""
    found = await call(count_documents)
    return Count(number=max(least, found.number))


async def search(call) -> Count:
    """One of ours has this name."""
    return Count(number=-1)


def add_routes(app, room):
    @app.get("/api/count")
    async def count_all() -> Count:
        return await count_documents(room.library)


PAGE = Page(add_routes=add_routes)
'''
PROGRAM = """
import asyncio, json
from pathlib import Path
from mcp import Client
from readgraph import ReaderContext, api
from readgraph.api.functions import ask
from readgraph.doors.mcp.server import LibraryTools, library_server
from readgraph.doors.serve.app import library_app
from readgraph.doors.serve.guard import Guard
from readgraph.doors.serve.room import Room
from readgraph.library.opening import open_library

async def main():
    async with open_library(Path({folder!r})) as library:
        await library.pages.add_document("The lamp is red.")
        assert api.ask is ask and "count_documents" in dir(api)
        server = library_server(LibraryTools(library, ReaderContext(model=""), []))
        async with Client(server) as client:
            listed = {{tool.name: tool for tool in (await client.list_tools()).tools}}
            called = await client.call_tool("count", {{"least": 7}})
        app = library_app(Room(library, ReaderContext(model="")), Guard(8420, ""))
        print(json.dumps({{
            "function": (await api.count_documents(library)).number,
            "arguments": listed["count"].input_schema["properties"],
            "search": listed["search"].description,
            "called": called.structured_content,
            "routes": [route.path for route in app.app.app.routes if "count" in getattr(route, "path", "")],
        }}))

asyncio.run(main())
"""


@pytest.mark.slow
def test_they_are_found_and_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mcp", reason="needs pip install 'readgraph[mcp]'")
    install(tmp_path / "installed", "counting", counting_plugin=PLUGIN, counting=COUNTING)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "installed"), str(REPOSITORY)]))
    program = PROGRAM.format(folder=str(tmp_path / "library"))
    ran = finished(process(options=("-c", program)))
    assert not ran.code, ran.err
    found = json.loads(ran.out)
    assert (found["function"], found["called"]) == (1, {"number": 7})
    assert found["arguments"] == {"least": {"type": "integer", "default": 0, "description": "At least so many."}}
    assert found["search"].startswith("Find the passages")
    assert found["routes"] == ["/api/count"]

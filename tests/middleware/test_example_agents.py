"""The example agents run, without a key."""

from pathlib import Path
from typing import Any

import pytest
from langchain.chat_models import init_chat_model

from readgraph.api import list_documents, read
from readgraph.library.opening import open_library
from tests.doubles.model_server import ChatRequest, ModelServer, ToolCall
from tests.support.examples import example_named

FACT = "The spare key of the pump house hangs behind the barometer."
QUESTION = "Where is the spare key of the pump house?"


def calling(calls: list[ToolCall]) -> Any:
    """An agent that makes these calls, then repeats what it was told last."""
    left = iter(calls)

    def respond(request: ChatRequest) -> Any:
        return next(left, None) or f"I was told: {request.messages[-1]['content']}"

    return respond


async def agent_of(files: int, folder: Path, server: ModelServer) -> str:
    """What the long-running agent says of a folder with so many files, the first of which has the fact."""
    folder.mkdir()
    for number in range(files):
        dull = " ".join(f"Shelf {shelf} of room {number} holds {shelf * number} jars." for shelf in range(70))
        (folder / f"{number:04d}.txt").write_text(f"{'' if number else FACT} {dull}", encoding="utf-8")
    reads = [ToolCall("read_file", {"name": f"{number:04d}.txt"}) for number in range(files)]
    server.respond = calling([ToolCall("list_files", {}), *reads, ToolCall("recall", {"question": QUESTION})])
    library = folder.parent / "agent"
    model = init_chat_model("openai:double", base_url=server.url)
    said = await example_named("long_running_agent").answer(QUESTION, folder, model, library=library)
    async with open_library(library) as opened:
        assert len(await list_documents(opened)) == files + 1, "each result, and the history"
    return str(said)


@pytest.mark.slow
async def test_a_long_running_agent_finds_what_the_first_file_said(server: ModelServer, tmp_path: Path) -> None:
    assert FACT in await agent_of(70, tmp_path / "files", server)
    assert max(len(request.text.split()) for request in server.requests) < 8000


async def test_a_deep_agent_greps_the_library(server: ModelServer, tmp_path: Path) -> None:
    pytest.importorskip("deepagents", reason="needs pip install 'readgraph[deepagents]'")
    async with open_library(tmp_path / "library") as library:
        await library.pages.add_document(f"The lamp was lit. {FACT} The door was shut.", title="Log")
        await read(library, "Log")
    grep = {"pattern": "spare key", "path": "/library/", "output_mode": "content"}
    server.respond = calling([ToolCall("grep", grep)])
    model = init_chat_model("openai:double", base_url=server.url)
    said = await example_named("deep_agent").answer(QUESTION, model, tmp_path / "memory", tmp_path / "library")
    assert FACT in said and "/library/Log/pages/0000.txt" in said

"""A library as files of a deep agent: listed, read and searched, and never written."""

from typing import Any

import pytest
from langchain.chat_models import init_chat_model
from langchain_core.messages import HumanMessage, ToolMessage

from readgraph.api import read
from readgraph.doors.middleware import AgentMemory, LibraryBackend
from readgraph.library.opening import Library
from tests.doubles.model_server import ChatRequest, ModelServer, ToolCall
from tests.doubles.reader import reader

pytestmark = pytest.mark.quick

deepagents = pytest.importorskip(
    "deepagents", reason="deepagents is not installed: pip install 'readgraph[deepagents]'"
)


@pytest.fixture
async def backend(library: Library, story: str) -> Any:
    await library.pages.add_document(story, title="The lamp: a story/tale")
    await read(library, "The lamp")
    for text in ("A first list.\nPlums and pears.", "A second list.\nOnly plums."):
        await library.pages.add_document(text, title="List")
    return LibraryBackend(library)


async def test_files_are_listed_read_and_searched(backend: Any) -> None:
    root = [entry["path"] for entry in (await backend.als("/")).entries]
    lists, lamp = root[:2], root[2]
    assert lamp == "/The lamp: a story_tale/" and all(path.startswith("/List (") for path in lists)
    folders = (await backend.als(lamp)).entries
    assert [(entry["path"], entry["is_dir"]) for entry in folders] == [(f"{lamp}notes/", True), (f"{lamp}pages/", True)]
    pages = (await backend.als(f"{lamp}pages")).entries
    assert pages[0]["path"] == f"{lamp}pages/0000.txt" and not pages[0]["is_dir"]
    found = await backend.aglob("*.txt", lamp)
    assert len(found.matches) == 2 * len(pages)
    assert [file["path"] for file in (await backend.aglob("notes/000[01].txt", lamp)).matches] == [
        f"{lamp}notes/0000.txt",
        f"{lamp}notes/0001.txt",
    ]
    hits = await backend.agrep("oil", path=lamp, glob="pages/*.txt")
    line = hits.matches[0]
    whole = await backend.aread(line["path"], line["line"] - 1, 1)
    assert whole.file_data["content"].rstrip("\n") == line["text"] and "oil" in line["text"]
    assert (await backend.agrep("plums", max_count=1)).matches[0]["line"] == 2
    assert not (await backend.agrep("plums", max_count=1)).truncated
    assert (await backend.agrep("lums", max_count=1)).truncated
    assert "There is no folder" in (await backend.als("/nothing")).error
    assert "not found" in (await backend.aread("/nothing.txt")).error
    assert "not allowed" in (await backend.aglob("../*")).error


async def test_what_would_write_is_refused_in_words(backend: Any) -> None:
    assert "read-only" in backend.write("/a.txt", "text").error
    assert "read-only" in (await backend.aedit("/a.txt", "a", "b")).error
    assert "read-only" in (await backend.adelete("/a.txt")).error
    (refused,) = backend.upload_files([("/a.txt", b"")])
    assert refused.error == "permission_denied"


def test_synchronous_twins_give_the_same(backend: Any) -> None:
    path = backend.glob("text.txt").matches[0]["path"]
    text = backend.read(path).file_data["content"]
    assert "list." in text and [entry["path"] for entry in backend.ls(path.rpartition("/")[0]).entries] == [path]
    (pears,) = backend.grep("Plums and pears").matches
    assert pears["path"].endswith("/text.txt") and pears["line"] == 2
    assert backend.download_files([path])[0].content == text.encode()


async def test_a_deep_agent_reads_the_library_and_has_a_memory(
    server: ModelServer, library: Library, backend: Any
) -> None:
    from deepagents import create_deep_agent
    from deepagents.backends import CompositeBackend, StateBackend

    calls = iter(
        [
            ToolCall("grep", {"pattern": "oil", "path": "/library/", "output_mode": "content"}),
            ToolCall("write_file", {"file_path": "/library/new.txt", "content": "x"}),
        ]
    )

    def respond(request: ChatRequest) -> Any:
        if not any(each["function"]["name"] == "grep" for each in request.tools):
            return reader(request)
        return next(calls, None) or "Done."

    server.respond = respond
    agent = create_deep_agent(
        model=init_chat_model("openai:double", base_url=server.url),
        backend=CompositeBackend(default=StateBackend(), routes={"/library/": backend}),
        middleware=[AgentMemory(library, result_words=60, gist_words=20)],
    )
    output = await agent.ainvoke({"messages": [HumanMessage("Find the oil.")]})
    found, refused = (message for message in output["messages"] if isinstance(message, ToolMessage))
    assert "is kept as document" in found.text or "/library/The lamp" in found.text
    assert "read-only" in refused.text

"""Recorded replies that move to another library replay the run there for nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.sqlite import SqliteStore

from readgraph.graphs.read_agent import build
from readgraph.library.opening import Library, open_library
from readgraph.library.page_store import PageStore
from readgraph.library.upkeep.archives import HEADER, add_archived_replies, archive_lines
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ModelServer

ON_SERVER_TOO = True

REPLY = {"key": "a" * 40, "said": "Seven.", "cut": False, "asked": "gist", "document": "d", "tokens": [7, 2]}


async def ask(library: Library, story: str) -> dict[str, Any]:
    document = await library.pages.add_document(story)
    given: Any = {"document": document.id, "question": "Who?"}
    context = ReaderContext(model="openai:double")
    return dict(await build().compile(store=library.store).ainvoke(given, context=context))


async def test_a_run_is_replayed_elsewhere_without_a_call(
    server: ModelServer, library: Library, story: str, tmp_path: Path
) -> None:
    paid = await ask(library, story)
    lines = [line async for line in archive_lines(library.pages, paid["document"])]
    assert len(lines) == 1 + paid["usage"]["calls"]
    assert "sk-not-a-real-key" not in "".join(lines)
    calls = server.calls
    async with open_library(tmp_path / "elsewhere") as elsewhere:
        assert await add_archived_replies(elsewhere.pages, lines) == (len(lines) - 1, 0)
        assert await add_archived_replies(elsewhere.pages, lines) == (0, len(lines) - 1)
        replayed = await ask(elsewhere, story)
        again = [line async for line in archive_lines(elsewhere.pages)]
    assert (replayed["answer"], replayed["citations"]) == (paid["answer"], paid["citations"])
    assert (server.calls, replayed["usage"]["calls"]) == (calls, 0)
    assert again == lines


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["no json"], "Line 1 is not JSON"),
        (['{"readgraph": "replies", "format": 2}'], "was made by a newer version"),
        ([json.dumps(HEADER), json.dumps({**REPLY, "said": 7})], "Line 2 is not a reply"),
        ([json.dumps(HEADER), json.dumps(REPLY), "[]"], "Line 3 is not a reply"),
        ([json.dumps(HEADER), json.dumps(REPLY), "{"], "Line 3 is not JSON"),
        ([json.dumps(HEADER), json.dumps(REPLY), json.dumps({**REPLY, "tokens": [1, 2**64]})], "Line 3 is not a reply"),
        ([json.dumps(HEADER), json.dumps({**REPLY, "tokens": [1, -1]})], "Line 2 is not a reply: tokens.1"),
        ([json.dumps(HEADER), json.dumps({**REPLY, "tokens": [1, float("nan")]})], "Line 2 is not a reply: tokens.1"),
        ([json.dumps(HEADER), json.dumps({**REPLY, "tokens": True})], "Line 2 is not a reply: tokens"),
        ([json.dumps(HEADER), json.dumps({**REPLY, "when": "31 February"})], "Line 2 is not a reply: when"),
        ([json.dumps(HEADER), "9" * 5000], "Line 2 is no"),
        ([json.dumps(HEADER), "[" * 100_000], "Line 2 is not JSON"),
    ],
)
async def test_what_is_no_archive_is_refused_whole(library: Library, lines: list[str], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        await add_archived_replies(library.pages, lines)
    assert [line async for line in archive_lines(library.pages)] == [json.dumps(HEADER)]


async def test_a_synchronous_store_is_archived_too() -> None:
    with SqliteStore.from_conn_string(":memory:") as store:
        store.setup()
        pages = PageStore(store)
        lines = [json.dumps(HEADER), json.dumps(REPLY, sort_keys=True)]
        assert await add_archived_replies(pages, lines) == (1, 0)
        assert [line async for line in archive_lines(pages)] == lines

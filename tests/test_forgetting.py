"""Forgetting leaves nothing of a document, and everything of the others."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from readgraph.graphs.read_agent import build
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.forgetting import forget_document
from readgraph.state.library import Library
from tests.model_server import ModelServer

CONTEXT = ReaderContext(model="openai:double")


async def ask(library: Library, document: str) -> dict[str, Any]:
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store)
    config: Any = {"configurable": {"thread_id": document}, "metadata": {"document": document}}
    return dict(await compiled.ainvoke({"document": document, "question": "Who?"}, config, context=CONTEXT))


async def test_nothing_is_left_of_a_forgotten_document(server: ModelServer, library: Library, story: str) -> None:
    gone = await library.pages.add_document(story.replace("Marian", "Mariposa"), title="gone")
    kept = await library.pages.add_document(story, title="kept")
    await ask(library, gone.id)
    before = await ask(library, kept.id)
    calls = server.calls
    forgotten = await forget_document(library, gone)
    assert forgotten["memories"] == forgotten["threads"] == 1
    assert forgotten["replies"] > 50
    with pytest.raises(BadInput):
        await library.pages.document(gone.id)
    for file in ("library.sqlite", "checkpoints.sqlite"):
        assert rows_with(library.folder / file, ["Mariposa", gone.id]) == 0

    after = await ask(library, kept.id)
    assert (after["memory"], after["answer"], server.calls) == (before["memory"], before["answer"], calls)


def rows_with(path: Path, words: list[str]) -> int:
    """How many values of a database hold one of these words."""
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for table in tables for row in database.execute(f'SELECT * FROM "{table}"')]
    values = [value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row]
    return sum(word.encode() in value for value in values for word in words)


async def test_a_document_that_is_read_again_is_new(server: ModelServer, library: Library, story: str) -> None:
    document = await library.pages.add_document(story)
    await ask(library, document.id)
    calls = server.calls
    await forget_document(library, document)
    assert await library.pages.add_document(story) != document
    await ask(library, document.id)
    assert server.calls == 2 * calls

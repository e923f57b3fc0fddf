"""What holds for every method."""

from pathlib import Path
from typing import Any

import pytest

from readgraph.graphs.methods import METHODS
from readgraph.state.context import ReaderContext
from readgraph.state.library import open_library_in_background
from tests.model_server import ModelServer

CONTEXT = ReaderContext(
    model="openai:double", embeddings="openai:double-embeddings", segment_words=200, children=3, session_page_words=400
)


@pytest.mark.parametrize("method", METHODS)
def test_a_thread_goes_on_synchronously(server: ModelServer, tmp_path: Path, story: str, method: str) -> None:
    with open_library_in_background(tmp_path / "library") as library:
        graph = METHODS[method].build().compile(checkpointer=library.checkpointer, store=library.store)
        config: Any = {"configurable": {"thread_id": "1"}}
        first = graph.invoke({"text": story[:9000], "question": "Who took the log book?"}, config, context=CONTEXT)
        second = graph.invoke({"question": "When did the goat come?"}, config, context=CONTEXT)
        assert (first["status"], second["status"]) == ("answered", "answered")
        assert first["usage"]["calls"] + second["usage"]["calls"] == server.calls

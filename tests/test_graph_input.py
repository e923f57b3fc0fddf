"""What a graph refuses, and what it says before it reads."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.memory import InMemoryStore

from readgraph.graphs.read_agent import build, graph
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.library import Library
from tests.model_server import ModelServer

pytestmark = pytest.mark.filterwarnings("ignore:The graph has no store")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"question": "Who?"}, "nothing to read"),
        ({"question": "Who?", "document": None}, "nothing to read"),
        ({"document": "unknown", "question": "Who?"}, "no document 'unknown'"),
        ({"text": " \n", "question": "Who?"}, "empty"),
        ({"text": "x" * 400_001, "question": "Who?"}, "too long"),
        ({"text": "A lamp.", "question": " "}, "question is empty"),
        ({"text": "A lamp.", "question": "Who?", "options": ["one"]}, "2 to 26"),
        ({"text": "A lamp.", "question": "Who?", "options": ["one", " "]}, "option is empty"),
    ],
)
async def test_bad_input_is_one_clear_line(given: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint) as refused:
        await graph.ainvoke(given, context=ReaderContext(model=""))
    assert "\n" not in str(refused.value)


async def test_going_on_without_the_context_is_refused(server: ModelServer, library: Library, story: str) -> None:
    document = await library.pages.add_document(story)
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store, interrupt_before=["look_up"])
    config: Any = {"configurable": {"thread_id": "1"}}
    await compiled.ainvoke(
        {"document": document.id, "question": "Who?"}, config, context=ReaderContext(model="openai:double")
    )
    with pytest.raises(BadInput, match="read with openai:double"):
        await compiled.ainvoke(None, config)


async def test_tracing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.nodes.opening.tracing_is_enabled", lambda: True)
    with pytest.warns(UserWarning, match="LangSmith tracing is on"):
        await graph.ainvoke({"text": "A lamp."}, context=ReaderContext(model=""))


def test_a_durable_checkpointer_over_a_store_in_memory_is_refused(tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "saved.sqlite")) as saver:
        compiled = build().compile(checkpointer=saver, store=InMemoryStore())
        with pytest.raises(BadInput, match="durable"):
            compiled.invoke({"text": "A lamp.", "question": "Who?"}, {"configurable": {"thread_id": "1"}})

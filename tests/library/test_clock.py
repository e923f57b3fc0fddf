"""A clock that was set back between two processes: what was written last is the newest all the same."""

import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph.checkpoint.base import id as checkpoint_ids

from readgraph import ReaderContext, open_library_in_background
from readgraph.features.agents.lives import drop_old_checkpoints, undo_turn
from readgraph.graphs import read_agent
from readgraph.library.opening import Library
from tests.doubles.agent import Living, Script
from tests.doubles.model_server import ModelServer
from tests.support.command import ASK, DOUBLE, STORY, Command

DAY = 86_400 * 10**9


@pytest.fixture
def set_back(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the clock by which LangGraph names checkpoints back by so many days, as another process would find it."""

    def by(days: int) -> None:
        monkeypatch.setattr(checkpoint_ids, "time", SimpleNamespace(time_ns=lambda: time.time_ns() - days * DAY))
        monkeypatch.setattr(checkpoint_ids, "_last_v6_timestamp", None)

    return by


async def test_turns_of_a_chat(
    library: Library, server: ModelServer, set_back: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.respond, ada = Script(), Living(library)
    for days in range(4):
        set_back(days)
        assert (await ada.turn(f"Turn {days}."))["said"] == ["Done."]
        assert (await ada.life())["events"] == 2 * days + 2
    monkeypatch.setattr("readgraph.features.agents.lives.KEPT_TURNS", 2)
    await drop_old_checkpoints(library, "ada")
    set_back(9)
    taken_back = [[arrival.get("text") for arrival in await undo_turn(ada.graph, "ada")] for _ in range(3)]
    assert taken_back == [["Turn 3."], ["Turn 2."], []]
    assert [event.text for event in await ada.events() if event.kind == "user"] == ["Turn 0.", "Turn 1."]


def test_states_of_a_thread(set_back: Callable[[int], None], tmp_path: Path) -> None:
    with open_library_in_background(tmp_path / "library") as library:
        graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
        config: Any = {"configurable": {"thread_id": "lamp"}}
        for days in range(3):
            set_back(days)
            asked: Any = {"text": "The lamp is out.", "question": f"What of lamp {days}?"}
            graph.invoke(asked, config, context=ReaderContext(model=""))
        history = list(graph.get_state_history(config))
        assert [state.values.get("question_text", "")[-2:-1] for state in history[::8]] == ["2", "1", "0"]
        parents = [state.parent_config for state in history[:-1]]
        assert parents == [state.config for state in history[1:]]
        older = list(graph.get_state_history(config, before=history[9].config, limit=3))
        assert [state.config for state in older] == [state.config for state in history[10:13]]
        assert not list(library.checkpointer.list(config, before={"configurable": {"checkpoint_id": "another"}}))
        edited = graph.update_state(history[-4].config, {"pages_read": [0]}, as_node="look_up")
        assert graph.get_state(config).config == edited


def test_a_follow_up(readgraph: Command, server: ModelServer, set_back: Callable[[int], None]) -> None:
    readgraph("ask", "Who is the oldest keeper?", STORY, *DOUBLE)
    set_back(1)
    readgraph(*ASK, *DOUBLE)
    set_back(2)
    readgraph("ask", "--continue", "And for whom?", *DOUBLE)
    assert ASK[1] in server.requests[-1].text and "oldest keeper" not in server.requests[-1].text
    set_back(3)
    readgraph("ask", "--continue", "Why at all?", *DOUBLE)
    assert "And for whom?" in server.requests[-1].text

"""Functions that choose the next edge run where they are called."""

import threading
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import get_runtime
from typing_extensions import TypedDict

from readgraph.graphs.wiring import choosing
from readgraph.state.context import ReaderContext


class Noted(TypedDict, total=False):
    noted: str


class Names(BaseCallbackHandler):
    """The names of the runs inside a run."""

    def __init__(self) -> None:
        self.seen = list[str]()

    def on_chain_start(self, *_: Any, name: str = "", **__: Any) -> None:
        self.seen.append(name)


CONTEXT = ReaderContext(model="some:model")
chose_in = list[threading.Thread]()


def ends(state: Noted) -> str:
    """The context of the run is there, as in a node."""
    assert get_runtime(ReaderContext).context == CONTEXT
    chose_in.append(threading.current_thread())
    return END if state["noted"] == "once" else "note"


def graph() -> Any:
    builder = StateGraph(Noted, context_schema=ReaderContext)
    builder.add_node("note", lambda state: {"noted": "once"})
    builder.add_edge(START, "note")
    builder.add_conditional_edges("note", choosing(ends), ["note", END])
    return builder.compile()


async def test_no_thread_is_asked_for_a_choice() -> None:
    chose_in.clear()
    assert await graph().ainvoke({}, context=CONTEXT) == {"noted": "once"}
    assert graph().invoke({}, context=CONTEXT) == {"noted": "once"}
    assert chose_in == [threading.current_thread()] * 2


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_choice_is_a_run_for_who_traces(asynchronous: bool) -> None:
    names = Names()
    config: Any = {"callbacks": [names]}
    if asynchronous:
        await graph().ainvoke({}, config, context=CONTEXT)
    else:
        graph().invoke({}, config, context=CONTEXT)
    assert names.seen[1:] == ["note", "ends"]

"""What LangGraph offers for runs works with every method's graph: typed streams, drains, defaults of nodes, traces."""

import uuid
from typing import Any

import pytest
from langchain_core.tracers import Run
from langchain_core.tracers.base import BaseTracer
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphDrained
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import RunControl
from langgraph.store.memory import InMemoryStore
from langgraph.types import GraphOutput, RetryPolicy

from readgraph import PageStore, ReaderContext
from readgraph.graphs.read_agent import build
from readgraph.graphs.wiring.joined import join_steps
from tests.support.examples import STORY

QUESTION = "What did the keeper's Remarks for 19 January say about a goat, and who wrote them into the log that year?"
STEPS = ["open", "read", "merge", "look_up", "answer", "cite"]


@pytest.fixture
async def asked() -> tuple[InMemoryStore, dict[str, Any]]:
    """A store with the story, and a question about it."""
    store = InMemoryStore()
    with open(STORY, encoding="utf-8") as file:
        document = await PageStore(store).add_document(file.read(), title="story")
    return store, {"document": document.id, "question": QUESTION}


def compiled(store: InMemoryStore, builder: Any = None) -> CompiledStateGraph[Any, ReaderContext, Any, Any]:
    graph: CompiledStateGraph[Any, ReaderContext, Any, Any] = (builder or build()).compile(
        store=store, checkpointer=InMemorySaver()
    )
    return graph


def thread() -> Any:
    return {"configurable": {"thread_id": uuid.uuid4().hex}}


async def test_typed_streams_give_the_steps(asked: tuple[InMemoryStore, dict[str, Any]]) -> None:
    store, question = asked
    graph, context = compiled(store), ReaderContext()
    parts = [
        part
        async for part in graph.astream(
            question, thread(), context=context, stream_mode=["updates", "values"], version="v2"
        )
    ]
    assert [name for part in parts if part["type"] == "updates" for name in part["data"]] == STEPS
    output = await graph.ainvoke(question, thread(), context=context, version="v2")
    assert isinstance(output, GraphOutput) and output.value["status"] == "nearest" and not output.interrupts


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
async def test_events_of_the_third_version_end_with_the_answer(asked: tuple[InMemoryStore, dict[str, Any]]) -> None:
    store, question = asked
    run = await compiled(store).astream_events(question, thread(), context=ReaderContext(), version="v3")
    events = [event async for event in run]
    values = [event["params"]["data"] for event in events if event["method"] == "values"]
    assert values[-1]["status"] == "nearest" and values[-1]["citations"]


async def test_a_run_that_is_drained_goes_on(asked: tuple[InMemoryStore, dict[str, Any]]) -> None:
    store, question = asked
    graph, here, control = compiled(store), thread(), RunControl()
    with pytest.raises(GraphDrained, match="deploy"):
        async for event in graph.astream(
            question, here, context=ReaderContext(), stream_mode="updates", control=control
        ):
            if "merge" in event:
                control.request_drain("deploy")
    left = (await graph.aget_state(here)).next
    assert left and not {*left} & {"open", "read", "merge"}
    assert (await graph.ainvoke(None, here, context=ReaderContext()))["status"] == "nearest"


async def test_nodes_take_defaults(asked: tuple[InMemoryStore, dict[str, Any]]) -> None:
    store, question = asked
    builder = build()
    builder.set_node_defaults(retry_policy=RetryPolicy(max_attempts=2), timeout=60)
    assert (await compiled(store, builder).ainvoke(question, thread(), context=ReaderContext()))["status"] == "nearest"


class Traced(BaseTracer):
    """Keeps what tracers are given of each run."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = list[Run]()

    def _persist_run(self, run: Run) -> None:
        """Nothing is kept elsewhere."""

    def _end_trace(self, run: Run) -> None:
        self.seen.append(run)
        super()._end_trace(run)


@pytest.mark.parametrize("joined", [False, True])
async def test_traces_of_steps_hold_no_long_texts(asked: tuple[InMemoryStore, dict[str, Any]], joined: bool) -> None:
    store, question = asked
    graph, tracer = compiled(store, join_steps(build()) if joined else None), Traced()
    config: Any = {**thread(), "callbacks": [tracer]}
    found = await graph.ainvoke(question, config, context=ReaderContext())
    steps = [run for run in tracer.seen if run.name in STEPS or ", " in run.name]
    assert len(steps) >= (1 if joined else 3)
    recorded = "".join(f"{run.inputs} {run.outputs}" for run in steps)
    assert QUESTION not in recorded and "characters)" in recorded
    assert not any(cited["quote"] in recorded for cited in found["citations"] if len(cited["quote"]) > 80)

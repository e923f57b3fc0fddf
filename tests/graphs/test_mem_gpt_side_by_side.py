"""Readings of one question by MemGPT, at once and one after the other: each has a life of its own."""

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from readgraph import ReaderContext
from readgraph.features.agents.mem_gpt import build
from readgraph.features.agents.store import AgentStore
from readgraph.library.opening import Library
from readgraph.library.stored_items import ROOT
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.state.errors import ModelUnavailable
from tests.doubles.agent import Step, call, queue
from tests.doubles.model_server import ChatRequest, Fault, ModelServer

CONTEXT = ReaderContext(model="openai:double", window_words=4000)
QUESTION = "What did the Remarks for 19 January say about a goat?"
SEARCHES = 2


class Marked:
    """Gives each reading a mark of its own with its first step, and numbers its steps; then it answers with the mark.

    `seen` are the marks of each prompt, with the numbers of the steps.
    """

    def __init__(self) -> None:
        self.marks, self.seen = 0, list[list[tuple[str, str]]]()

    def __call__(self, request: ChatRequest) -> Step:
        seen = re.findall(r"mark (\d+), step (\d+)", queue(request))
        self.seen.append(seen)
        if not seen:
            self.marks += 1
        mark, step = seen[-1] if seen else (str(self.marks), "0")
        if int(step) == SEARCHES:
            return call("answer", answer=f"mark {mark}", quotes="Goat on gallery")
        return call("archival_search", query="goat", thoughts=f"mark {mark}, step {int(step) + 1}")

    def assert_apart(self, readings: int) -> None:
        """Every prompt held the steps of one reading, all of them and in their order."""
        for seen in self.seen:
            assert len({mark for mark, _ in seen}) <= 1, "two readings share their events"
            assert [int(step) for _, step in seen] == [*range(1, len(seen) + 1)]
        assert len(self.seen) == readings * (SEARCHES + 1)


@pytest.fixture
def marked(server: ModelServer) -> Marked:
    server.respond = responder = Marked()
    return responder


@pytest.fixture
async def lamp(library: Library, story: str) -> str:
    return (await library.pages.add_document(story[10_000:18_000], title="The Lamp")).id


async def read(library: Library, document: str, context: ReaderContext, saver: Any = None, thread: str = "one") -> Any:
    given: Any = {"document": document, "question": QUESTION}
    config: Any = {"configurable": {"thread_id": thread}}
    return await build().compile(checkpointer=saver, store=library.store).ainvoke(given, config, context=context)


@pytest.mark.slow
async def test_readings_of_one_question_at_once_never_see_each_other(
    library: Library, marked: Marked, server: ModelServer, lamp: str
) -> None:
    server.latency = 0.01
    contexts = [replace(CONTEXT, sample=number) for number in range(6)]
    contexts += [replace(CONTEXT, model="openai:other"), replace(CONTEXT, window_words=5000, sample=6)]
    savers = [library.checkpointer, library.checkpointer, InMemorySaver(), InMemorySaver(), *[None] * 4]
    runs = enumerate(zip(contexts, savers, strict=True))
    found = await asyncio.gather(
        *(read(library, lamp, context, saver, f"thread {min(number, 2)}") for number, (context, saver) in runs)
    )
    marked.assert_apart(8)
    assert {one["answer"] for one in found} == {f"mark {number}" for number in range(1, 9)}
    assert all(one["citations"] for one in found)
    again = await read(library, lamp, contexts[3])
    assert again["answer"] == found[3]["answer"] and again["usage"]["calls"] == 0, "its recorded replies answer it"


async def test_a_thread_that_goes_on_has_its_own_events(
    library: Library, marked: Marked, server: ModelServer, lamp: str
) -> None:
    server.fault_for = lambda request, number: Fault.unauthorized() if number == 3 else None
    with pytest.raises(ModelUnavailable):
        await read(library, lamp, CONTEXT, library.checkpointer)
    other = await read(library, lamp, replace(CONTEXT, sample=1), library.checkpointer, "two")
    graph = build().compile(checkpointer=library.checkpointer, store=library.store)
    config: Any = {"configurable": {"thread_id": "one"}}
    found = await graph.ainvoke(None, config, context=CONTEXT)
    marked.assert_apart(2)
    assert (found["answer"], other["answer"]) == ("mark 1", "mark 2")


@pytest.mark.slow
async def test_readings_that_are_over_do_not_pile_up(
    library: Library, marked: Marked, lamp: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readgraph.features.agents.store.KEPT_READINGS", 2)
    store = AgentStore(library.store)
    logs = ("agents", "events", "archive", "archive-indexes")

    async def sizes() -> list[int]:
        return [len(await store.search((ROOT, log), 1000)) for log in logs]

    for sample in range(2):
        await read(library, lamp, replace(CONTEXT, sample=sample))
    two = await sizes()
    for sample in range(2, 5):
        await read(library, lamp, replace(CONTEXT, sample=sample))
    assert await sizes() == two and two[0] == 2
    await forget_document(library, await library.pages.document(lamp))
    assert await sizes() == [0, 0, 0, 0]

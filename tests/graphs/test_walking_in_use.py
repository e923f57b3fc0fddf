"""MemWalker in use: a person who steps in, threads, budgets, no model, nodes of one's own."""

from dataclasses import replace
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from readgraph.graphs.mem_walker import build
from readgraph.library.opening import Library
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from tests.doubles.model_server import ModelServer
from tests.doubles.walker import ASKED, CONTEXT, REVERT, TEXT, Walker, ask, down, moves, run, says

pytestmark = pytest.mark.filterwarnings("ignore:The graph has no store")


@pytest.fixture
async def document(library: Library) -> Document:
    return await library.pages.add_document(TEXT, title="log")


@pytest.mark.parametrize("kept_in", ["sqlite", "memory"])
async def test_a_person_sends_the_walk_down_another_child(
    server: ModelServer, library: Library, document: Document, kept_in: str
) -> None:
    saver: BaseCheckpointSaver[Any] = InMemorySaver() if kept_in == "memory" else library.checkpointer
    compiled = build().compile(checkpointer=saver, store=library.store)
    config: Any = {"configurable": {"thread_id": "edited"}}
    server.respond = Walker(down(0), down(1), says("answer", "a mackerel"))
    given: Any = {"document": document.id, "question": ASKED}
    plain = await compiled.ainvoke(given, config, context=CONTEXT)
    assert plain["answer"] == "a mackerel"
    history = [state async for state in compiled.aget_state_history(config)]
    (past,) = [state for state in history if state.next == ("read_leaf",)]
    assert past.values["current_node"] == "0.1" and len(past.values["hops"]) == 2

    edited = await compiled.aupdate_state(past.config, {"current_node": "0.4"}, as_node="descend")
    assert (await compiled.aget_state(edited)).next == ("read_leaf",)
    server.respond = Walker(REVERT, down(2), says("answer", "a gander"))
    found = await compiled.ainvoke(None, edited, context=CONTEXT)
    assert moves(found)[2:] == [("0.4", "revert", "1.1"), ("1.1", "child", "0.5"), ("0.5", "answer", None)]
    assert (found["answer"], found["pages_read"]) == ("a gander", [4, 5])

    up = await compiled.aupdate_state(past.config, {"current_node": "1.2"}, as_node="descend")
    assert (await compiled.aget_state(up)).next == ("descend",)
    wrong = await compiled.aupdate_state(past.config, {"current_node": "7.7"}, as_node="descend")
    with pytest.raises(BadInput, match="The tree has no node"):
        await compiled.ainvoke(None, wrong, context=CONTEXT)


async def test_a_second_question_starts_at_the_root_with_nothing_visited(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = Walker(down(0), down(1), says("answer", "a mackerel"))
    await ask(library, document)
    server.respond = Walker(down(1), down(1), says("answer", "a ledger"))
    second = await run(library, {"question": "And in year 4?"})
    assert moves(second) == [("2.0", "child", "1.1"), ("1.1", "child", "0.4"), ("0.4", "answer", None)]
    assert (second["pages_read"], second["usage"]["calls"]) == ([4], 3)
    third = await run(library, {"document": document.id})
    assert (third["status"], third["hops"], third["findings"], third["percent_read"]) == ("reading", [], [], None)


@pytest.mark.parametrize(
    "spent_after", [3, 13, 15, *(pytest.param(calls, marks=pytest.mark.slow) for calls in (9, 11, 14))]
)
async def test_a_budget_ends_the_walk_with_the_nearest_words(
    server: ModelServer, library: Library, document: Document, spent_after: int
) -> None:
    script = [down(1), down(1), says("answer", "a ledger")]
    server.respond = Walker(*script)
    question = "When was the ledger found?"
    found = await ask(library, document, replace(CONTEXT, max_calls=spent_after), question=question)
    assert (found["status"], server.calls) == ("budget", spent_after)
    assert "ledger" in found["answer"] or spent_after == 3
    server.respond = Walker(*script[max(0, spent_after - 13) :])
    found = await ask(library, document, question=question)
    assert (found["status"], found["answer"]) == ("answered", "a ledger")
    assert len(server.requests) == len({request.key for request in server.requests}) == 16, "nothing is paid twice"


async def test_without_a_model_the_nearest_segment_answers(library: Library, document: Document) -> None:
    context = replace(CONTEXT, model="")
    given = {"document": document.id, "question": "When was the gander found?"}
    found, again = [await run(library, given, context, thread) for thread in "12"]
    assert (found["status"], found["pages_read"], found["usage"]["calls"]) == ("nearest", [5], 0)
    assert "gander" in found["citations"][0]["quote"]
    assert moves(found) == [("2.0", "child", "1.1"), ("1.1", "child", "0.5"), ("0.5", "answer", None)]
    assert {**again, "usage": 0, "steps": 0} == {**found, "usage": 0, "steps": 0}
    chosen = await run(library, {**given, "options": ["in the autumn", "in the spring"]}, context)
    assert (chosen["status"], chosen["choice"] in ("A", "B")) == ("nearest", True)
    nothing = await run(library, {"document": document.id, "question": "Xylophones?"}, context)
    assert (nothing["status"], nothing["answer"], nothing["citations"]) == ("no_answer", None, [])
    assert {hop["action"] for hop in nothing["hops"]} == {"child", "revert", "exhausted"}


async def test_without_a_tree_the_walk_chooses_among_all_segments(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = Walker(down(7), REVERT, down(4), says("answer", "a ledger"))
    compiled = build(grow=lambda state: {}).compile(store=library.store)
    given: Any = {"document": document.id, "question": ASKED}
    found = dict(await compiled.ainvoke(given, context=CONTEXT))
    assert moves(found)[-2:] == [("1.0", "child", "0.4"), ("0.4", "answer", None)]


async def test_a_walk_that_a_model_began_wants_its_model(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = Walker(down(0))
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store, interrupt_before=["descend"])
    config: Any = {"configurable": {"thread_id": "1"}}
    given: Any = {"document": document.id, "question": ASKED}
    await compiled.ainvoke(given, config, context=CONTEXT)
    with pytest.raises(BadInput, match="give the context with its model"):
        await compiled.ainvoke(None, config, context=replace(CONTEXT, model=""))

"""MemWalker as its paper has it, and without parts of it: its ablations are pure."""

from dataclasses import replace
from typing import Any

import pytest

from readgraph.library.opening import Library
from readgraph.state.records import Document
from tests.doubles.model_server import ModelServer
from tests.doubles.walker import CONTEXT, REVERT, TEXT, Walker, ask, down, moves, says

KEPT = "in year 0 a goat"
TO_THE_SECOND_LEAF = [down(0), down(0), says("keep", KEPT), down(1), says("answer", "a mackerel")]


@pytest.fixture
async def document(library: Library) -> Document:
    return await library.pages.add_document(TEXT, title="The log")


@pytest.mark.parametrize("how", ["path", "off"])
async def test_without_working_memory_nothing_is_carried(
    server: ModelServer, library: Library, document: Document, how: Any
) -> None:
    """Working memory off (table 2): neither notes nor what leaves kept are in a prompt before the end."""
    weighed = {"reason": "", "pages": [0, 1], "answer": "a mackerel"}
    server.respond = walker = Walker(*TO_THE_SECOND_LEAF, weighed)
    await ask(library, document, replace(CONTEXT, working_memory=how))
    carried = [KEPT in request.text for request in walker.decided]
    assert carried == [False, False, False, how == "path", how == "path", True]


async def test_without_keeping_a_leaf_answers_or_reverts_and_nothing_is_weighed(
    server: ModelServer, library: Library, document: Document
) -> None:
    refused = says("keep", KEPT)
    server.respond = walker = Walker(down(0), down(0), refused, REVERT, down(1), says("answer", "a mackerel"))
    found = await ask(library, document, replace(CONTEXT, keep_findings=False))
    assert (found["answer"], found["usage"]["refused"]) == ("a mackerel", 1)
    assert moves(found)[2:] == [("0.0", "revert", "1.0"), ("1.0", "child", "0.1"), ("0.1", "answer", None)]
    leaf = walker.decided[2]
    assert "keep" not in leaf.text.rsplit("</passage>", 1)[1] and "keep" not in str(leaf.schema)


async def test_without_keeping_the_first_of_several_walks_answers(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = walker = Walker(
        *[down(1), down(1), says("answer", "a ledger")], *[down(0), down(1), says("answer", "a mackerel")]
    )
    found = await ask(library, document, replace(CONTEXT, walks=2, keep_findings=False))
    assert (found["answer"], len(walker.decided), found["fallbacks"]) == ("a ledger", 6, {})


@pytest.mark.parametrize("shown", [True, False])
async def test_triage_may_see_the_question_without_its_options(
    server: ModelServer, library: Library, document: Document, shown: bool
) -> None:
    """The paper's triage shows the query (table 1); a leaf always shows the options."""
    server.respond = walker = Walker(down(0), down(0), {**says("answer", "a goat"), "choice": "A"})
    context = replace(CONTEXT, triage_options=shown)
    found = await ask(library, document, context, options=["a goat", "a zeppelin"])
    assert ["zeppelin" in request.text for request in walker.decided] == [shown, shown, True]
    assert found["choice"] == "A"

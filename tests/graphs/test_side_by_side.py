"""Readings side by side, and people who choose pages themselves."""

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph.graphs.read_agent import build
from readgraph.library.opening import Library, open_library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader

CONTEXT = ReaderContext(model="openai:double")


def whimsical(request: ChatRequest) -> str | dict[str, object]:
    """Pauses somewhere else each time it is asked."""
    if asked_for(request) == "PausePoint":
        return {"reason": "a whim", "label": random.randint(1, request.last.count("<pause ") // 2)}
    return reader(request)


async def assert_tiled(library: Library, document: str) -> None:
    (memory,) = await library.pages.memories(document)
    pages = await library.pages.pages(memory.id, range(memory.pages))
    assert memory.complete
    assert [page.start for page in pages] == [0, *(page.end for page in pages[:-1])]


async def test_two_readings_of_one_document_build_one_memory(server: ModelServer, library: Library, story: str) -> None:
    server.respond, server.latency = whimsical, 0.002
    document = await library.pages.add_document(story)
    compiled = build().compile(store=library.store)
    given: Any = {"document": document.id, "question": "Who?"}
    both = await asyncio.gather(*(compiled.ainvoke(given, context=CONTEXT) for _ in range(2)))
    assert both[0]["memory"] == both[1]["memory"]
    await assert_tiled(library, document.id)
    building = [request.key for request in server.requests if asked_for(request) in ("", "PausePoint")]
    assert len(building) == len({*building}), "a page was asked about twice"


def test_two_programs_that_read_one_document_build_one_memory(server: ModelServer, tmp_path: Path, story: str) -> None:
    server.respond, server.latency = whimsical, 0.002

    async def read() -> str:
        async with open_library(tmp_path / "library") as library:
            document = await library.pages.add_document(story)
            await build().compile(store=library.store).ainvoke({"document": document.id}, context=CONTEXT)
            await assert_tiled(library, document.id)
            return document.id

    with ThreadPoolExecutor(3) as programs:
        documents = {*programs.map(asyncio.run, [read() for _ in range(3)])}
    assert documents == {asyncio.run(read())}


@pytest.mark.parametrize("model", ["openai:double", ""])
@pytest.mark.parametrize("strategy", ["parallel", "sequential"])
async def test_pages_that_a_person_chose_stay(
    server: ModelServer, library: Library, story: str, strategy: Any, model: str
) -> None:
    context = replace(CONTEXT, strategy=strategy, model=model, max_pages=3)
    document = await library.pages.add_document(story)
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store, interrupt_before=["look_up"])
    config: Any = {"configurable": {"thread_id": "1"}}
    await compiled.ainvoke({"document": document.id, "question": "What of the goat?"}, config, context=context)
    await compiled.aupdate_state(config, {"pages_read": [6]})
    found = await compiled.ainvoke(None, config, context=context)
    while (await compiled.aget_state(config)).next:
        found = await compiled.ainvoke(None, config, context=context)
    assert found["pages_read"][0] == 6
    assert 1 < len(found["pages_read"]) <= 3

    await compiled.ainvoke({"question": "What of the goat?"}, config, context=context)
    await compiled.aupdate_state(config, {"pages_read": [7]}, as_node="look_up")
    assert (await compiled.ainvoke(None, config, context=context))["pages_read"] == [7]


@pytest.mark.parametrize("model", ["openai:double", ""])
@pytest.mark.parametrize("chosen", [[999], [2, -1]])
async def test_a_page_that_is_not_there_is_reported(
    server: ModelServer, library: Library, story: str, chosen: Any, model: str
) -> None:
    document = await library.pages.add_document(story)
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store, interrupt_before=["look_up"])
    config: Any = {"configurable": {"thread_id": "1"}}
    context = replace(CONTEXT, model=model)
    await compiled.ainvoke({"document": document.id, "question": "Who?"}, config, context=context)
    await compiled.aupdate_state(config, {"pages_read": chosen}, as_node="look_up")
    with pytest.raises(BadInput, match=rf"^There is no page {chosen[-1]!r}: the pages are 0 to \d+\."):
        await compiled.ainvoke(None, config, context=context)

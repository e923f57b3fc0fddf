"""Readings from a server of whose replies a third fail, are nonsense or damaged: each ends like a clean one."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph.graphs.methods import METHODS
from readgraph.state.context import ReaderContext
from readgraph.state.library import open_library
from readgraph.state.settings import ReplyForm
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.models.test_transport import DAMAGED, USABLE, called

CONTEXT = ReaderContext(
    model="openai:double", embeddings="openai:double-embeddings", segment_words=200, children=3, session_page_words=400
)
FAILING = {
    "429": Fault.rate_limited(),
    "429 with a pause": Fault.rate_limited(5),
    "500": Fault.server_error(),
    "breaks off": Fault.cut(),
    "arguments that are a list": called(arguments="[1]"),
}
FAULTS = {**DAMAGED, **USABLE, **FAILING}


async def found(text: str, folder: Path, method: str, form: ReplyForm) -> dict[str, Any]:
    """What a reading into a new library ends with."""
    async with open_library(folder) as library:
        graph = METHODS[method].build().compile(checkpointer=library.checkpointer, store=library.store)
        given, config = {"text": text, "question": "Who took the log book?"}, {"configurable": {"thread_id": "1"}}
        ended = await graph.ainvoke(given, config, context=replace(CONTEXT, reply_form=form))  # type: ignore[call-overload]
    return {name: ended[name] for name in ("status", "answer", "citations", "pages_read", "fallbacks")}


@pytest.mark.parametrize(
    ("method", "form"),
    [*[(method, "json_schema") for method in METHODS], ("read-agent", "function"), ("mem-walker", "text")],
)
async def test_a_third_of_the_replies_is_bad_and_the_reading_ends_the_same(
    server: ModelServer, tmp_path: Path, story: str, method: str, form: ReplyForm
) -> None:
    chance, faults = random.Random(f"{method} {form}"), [*FAULTS.values()]

    def fault_for(request: ChatRequest, call: int) -> Fault | None:
        return chance.choice(faults) if chance.random() < 1 / 3 else None

    clean = await found(story[:6000], tmp_path / "clean", method, form)
    server.fault_for = fault_for
    assert await found(story[:6000], tmp_path / "faulty", method, form) == clean

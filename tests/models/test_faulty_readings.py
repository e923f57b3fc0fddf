"""Readings from a server of whose replies a third fail, are nonsense or damaged: each ends like a clean one."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readgraph.graphs.methods import METHODS, WEB_METHODS
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.opening import open_library
from readgraph.state.context import ReaderContext
from readgraph.state.settings import ReplyForm
from tests.doubles.agent import Living
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.models.transport.test_transport import DAMAGED, FLAWED, USABLE, called
from tests.support.web_pages import html

CONTEXT = ReaderContext(
    model="openai:double", embeddings="openai:double-embeddings", segment_words=200, children=3, memo_page_words=400
)
FAILING = {
    "429": Fault.rate_limited(),
    "429 with a pause": Fault.rate_limited(5),
    "500": Fault.server_error(),
    "breaks off": Fault.cut(),
    "arguments that are a list": called(arguments="[1]"),
}
Faults = Callable[[ChatRequest, int], Fault | None]
FAULTS = {**DAMAGED, **FLAWED, **USABLE, **FAILING}


async def find(text: str, folder: Path, method: str, **settings: Any) -> dict[str, Any]:
    """What a reading into a new library ends with."""
    async with open_library(folder) as library:
        graph = METHODS[method].build().compile(checkpointer=library.checkpointer, store=library.store)
        given: Any = {"text": text, "question": "Who took the log book?"}
        ended = await graph.ainvoke(given, {"configurable": {"thread_id": "1"}}, context=replace(CONTEXT, **settings))
    return {name: ended[name] for name in ("status", "answer", "citations", "pages_read", "fallbacks", "by_rule")}


def a_third_of(seed: str) -> Faults:
    """Faults for a third of the calls; what is paid for comes to the same prompt once, since that bounds its tries."""
    chance, spoilt = random.Random(seed), set[str]()

    def fault_for(request: ChatRequest, call: int) -> Fault | None:
        name = chance.choice([*FAULTS]) if chance.random() < 1 / 3 else ""
        if name in FLAWED:
            name = "" if request.key in spoilt else name
            spoilt.add(request.key)
        return FAULTS.get(name)

    return fault_for


@pytest.mark.parametrize(
    ("method", "form"),
    [*[(method, "json_schema") for method in METHODS], ("read-agent", "function"), ("mem-walker", "text")],
)
@pytest.mark.slow
async def test_a_third_of_the_replies_is_bad_and_the_reading_ends_the_same(
    server: ModelServer, tmp_path: Path, story: str, method: str, form: ReplyForm
) -> None:
    clean = await find(story[:4000], tmp_path / "clean", method, reply_form=form)
    server.fault_for = a_third_of(f"{method} {form}")
    assert await find(story[:4000], tmp_path / "faulty", method, reply_form=form) == clean


def one_in_three(fault: Fault) -> Faults:
    return lambda request, call: fault if call % 3 == 1 else None


BAD: dict[str, Faults] = {
    "withheld": lambda request, call: FLAWED["withheld"],
    "one in three withheld": one_in_three(FLAWED["withheld"]),
    "half a character": lambda request, call: FLAWED["half a character"],
    "refused": lambda request, call: Fault.empty(),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.slow
async def test_bad_replies_pass_no_bound(server: ModelServer, tmp_path: Path, story: str, method: str) -> None:
    question = "Who took the log book?"
    for name, faults in BAD.items():
        server.reset()
        server.fault_for = faults
        async with open_library(tmp_path / name) as library:
            graph = METHODS[method].build().compile(store=library.store)
            document = await library.pages.add_document(story[:2500], title="Lamp")
            foreseen = await rehearse_method(METHODS[method], library.pages, document, CONTEXT, {"question": question})
            for most in (3, None, None):
                before, context = server.calls, replace(CONTEXT, max_calls=most)
                asked: Any = {"document": document.id, "question": question}
                ended = await graph.ainvoke(asked, context=context)
                made = server.calls - before
                assert made == ended["usage"]["calls"] and made <= (3 if most else made), (name, most)
            assert foreseen.calls.high is None or server.calls <= foreseen.calls.high, name
            assert made == 0, f"{name}: what was asked before is not paid for again"


@pytest.mark.parametrize("method", ["read-agent", "gam", "mem-walker", "recurrent"])
@pytest.mark.slow
async def test_notes_that_a_substitute_wrote_are_asked_for_again_where_that_is_wanted(
    server: ModelServer, tmp_path: Path, story: str, method: str
) -> None:
    async with open_library(tmp_path / "library") as library:
        graph = METHODS[method].build().compile(store=library.store)
        document = await library.pages.add_document(story[:3000], title="Lamp")
        again, asked = replace(CONTEXT, again=True), {"document": document.id, "question": "Who took the log book?"}
        server.fault_for = BAD["refused"]
        lost = await graph.ainvoke(asked, context=CONTEXT)
        for faults in (BAD["refused"], None):
            server.fault_for, before = faults, server.calls
            foreseen = await rehearse_method(
                METHODS[method], library.pages, document, again, {"question": asked["question"]}
            )
            found = await graph.ainvoke(asked, context=again)
            assert 0 < server.calls - before == found["usage"]["calls"] <= (foreseen.calls.high or 0)
        notes = await library.pages.notes(found["memory"], range(99))
        assert found["memory"] == lost["memory"] and notes and not any(note.fallback for note in notes)


@pytest.mark.parametrize("method", WEB_METHODS)
async def test_web_steps_with_a_third_of_bad_replies_stay(server: ModelServer, tmp_path: Path, method: str) -> None:
    async def acted(folder: str) -> dict[str, Any]:
        async with open_library(tmp_path / folder) as library:
            graph = WEB_METHODS[method].build().compile(store=library.store)
            context = replace(CONTEXT, page_depth=5)
            given: Any = {"text": html("shop"), "question": "Order two lanterns."}
            ended = await graph.ainvoke(given, context=context)
        return {name: ended[name] for name in ("status", "action", "pages_read", "fallbacks")}

    clean = await acted("clean")
    server.fault_for = a_third_of(method)
    assert await acted("faulty") == clean and clean["action"]


@pytest.mark.parametrize("form", ["json_schema", "function", "text"])
@pytest.mark.slow
async def test_an_agent_with_bad_replies_says_the_same(server: ModelServer, tmp_path: Path, form: ReplyForm) -> None:
    async def said(folder: str) -> Any:
        async with open_library(tmp_path / folder) as library:
            ada = Living(library, context=replace(CONTEXT, reply_form=form, window_words=4000))
            turns = [await ada.turn(f"I keep {count} goats.") for count in range(8)]
            return [[turn[name] for name in ("status", "said", "fallbacks")] for turn in turns], await ada.life()

    clean = await said("clean")
    server.fault_for = a_third_of(form)
    assert await said("faulty") == clean and len(server.answered) < server.calls

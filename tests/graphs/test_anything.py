"""Models that reply with anything at all: each reading ends within its bounds, with a true status and true quotes.

`READGRAPH_ANYTHING=10000 pytest -m slow tests/graphs/test_anything.py` runs so many seeds of each method.
"""

import asyncio
import gc
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any, get_args

import pytest

from readgraph.features.agents.archives import add_agent_from_file, make_agent_file
from readgraph.features.compression import engine_named
from readgraph.features.compression.condenser import count_tokens
from readgraph.features.web.elements import elements_of
from readgraph.features.web.page import web_page
from readgraph.features.web.state import Outcome
from readgraph.graphs.estimate import Estimate
from readgraph.graphs.method import Method
from readgraph.graphs.methods import METHODS, ROWS, WEB_METHODS
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.library.opening import Library
from readgraph.library.upkeep.checking import check
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.reading import Status
from readgraph.state.records import Page
from tests.doubles.agent import Living, Script
from tests.doubles.anything import Anything, Reply
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import reader
from tests.support.web_pages import html

# Not ResourceWarning: the double's half-sent answers leave connections, which another thread may collect.
pytestmark = pytest.mark.filterwarnings("error", "ignore::ResourceWarning")

CONTEXT = ReaderContext(
    model="openai:double",
    embeddings="openai:double-embeddings",
    segment_words=60,
    min_page_words=40,
    max_page_words=90,
    children=3,
    memo_page_words=90,
    retry_seconds=30.0,
)
WORDS = 230
QUESTIONS = ("Who took the log book?", "How many lamps are there?", "When did the goat come to the island, and why?")
OPTIONS = ["Iolo took it", "Marian took it", "nobody did"]
EVERY = {**METHODS, ROWS["summary"].name: ROWS["summary"]}
ENGINES = ("readagent_gist", "memwalker_tree", "gam_memos")
MORE = int(os.environ.get("READGRAPH_ANYTHING", 4))


def context_of(chance: Random, calls: Sequence[int | None] = (None, None, None, 0, 1, 7, 20)) -> ReaderContext:
    """Settings of any kind."""
    forms: list[Any] = ["json_schema", "json_schema", "function", "text", "auto"]
    return replace(
        CONTEXT,
        reply_form=chance.choice(forms),
        max_calls=chance.choice(calls),
        max_pages=chance.choice([1, 3, 5]),
        window_words=chance.choice([1500, 4000, 8000]),
    )


def double_of(seed: str, chance: Random) -> Anything:
    """A model that replies with anything, always or at times, and that may fail."""
    kinds = [
        {"share": 1.0},
        {"share": 1.0},
        {"share": 0.4},
        {"share": 0.7, "failing": 0.2},
        {"share": 0.5, "final": 0.05},
    ]
    return Anything(seed, **chance.choice(kinds))


def plain(text: str) -> str:
    return re.sub(r"\W+|_", "", text).casefold()


def strings(value: Any) -> Iterator[str]:
    """All strings in a JSON value."""
    if isinstance(value, str):
        yield re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), value)  # JSON in a fence
        with suppress(ValueError):
            yield from strings(json.loads(value) if value[:1] in ("{", "[") else None)
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


def assert_true(found: dict[str, Any], text: str, pages: list[Page], model: Anything) -> None:
    """What was found says the truth about the text, and about what the model said."""
    json.dumps(found, ensure_ascii=False, default=str).encode()
    assert found["status"] in get_args(Status) and found["status"] != "reading"
    table = found.get("table") or {"rows": []}
    for citation in [*found["citations"], *(each for row in table["rows"] for each in row["citations"])]:
        assert text[citation["start"] : citation["end"]] == citation["quote"] != ""
        page = pages[citation["page"]]
        assert page.start < citation["end"] and citation["start"] < page.end
    assert found["by_rule"] >= (found["status"] == "nearest")
    if found["status"] == "answered":
        assert not found["by_rule"]
        assert_said(found, table["rows"], model)
    if found["status"] == "no_answer":
        assert not found["answer"] and not found["choice"]
    assert found["unsupported"] + found["unchecked"] <= len(found["sentences"])
    assert {*found["pages_read"]} <= {page.number for page in pages}
    assert len({*found["pages_read"]}) == len(found["pages_read"])
    assert found["percent_read"] is None or 0 <= found["percent_read"] <= 100
    assert all(0 <= value < 10**15 for value in found["usage"].values())
    assert found["usage"]["calls"] <= len(model.said)


def assert_named(problem: ModelUnavailable, model: Anything) -> None:
    """An error is one line, and the model's server gave cause for it."""
    line = str(problem)
    assert "\n" not in line and len(line) < 300 and line.startswith("The model server at http://127")
    failed = [kind for kind in model.sent if kind.rpartition(" ")[2].isdigit() or kind == "misshapen"]
    assert failed, line
    status = re.search(r"\((\d+)\)", line)
    assert not status or any(kind.endswith(status[1]) for kind in failed), line


def assert_said(found: dict[str, Any], rows: list[Any], model: Anything) -> None:
    """A reply of the model gave the answer."""
    said = [*strings(model.said)]
    if found["choice"]:
        assert OPTIONS["ABC".index(found["choice"])] == found["answer"]
        assert any(
            each.strip(" ().").startswith(found["choice"]) or "choice" in each or "finish(" in each for each in said
        )
    elif not rows:
        assert plain(found["answer"]) in "\0".join(map(plain, said))


def assert_bounded(found: dict[str, Any], estimate: Estimate) -> None:
    """What was used keeps to what was estimated, which holds for any model."""
    for name in ("calls", "input_words"):
        bounds, used = getattr(estimate, name), found["usage"][name]
        assert bounds.high is None or used <= bounds.high, (name, used, bounds)


async def read(library: Library, server: ModelServer, method: Method, seed: str, story: str) -> None:
    """A reading of a text of its own with a model that replies with anything; then a clean one of the same text."""
    chance = Random(seed)
    text = f"{seed}. " + " ".join(story.split(" ")[chance.randrange(2000) :][:WORDS])
    context, model = context_of(chance), double_of(seed, chance)
    options = {"options": OPTIONS} if chance.random() < 0.3 and method is not ROWS["summary"] else {}
    question = chance.choice(QUESTIONS)
    given = {"question": question} if method is not ROWS["summary"] else {}
    document = await library.pages.add_document(text)
    estimate = await rehearse_method(method, library.pages, document, context, {**given, **options})
    graph = method.build().compile(checkpointer=library.checkpointer, store=library.store)
    config: Any = {"configurable": {"thread_id": seed}}
    model.plays(server)
    try:
        found = dict(await graph.ainvoke({"document": document.id, **given, **options}, config, context=context))
    except ModelUnavailable as problem:
        assert_named(problem, model)
    else:
        assert_true(found, text, await library.pages.pages(found["memory"], range(1000)), model)
        assert_bounded(found, estimate)
    server.reset()
    server.respond = reader
    asked = {"question": f"What of {' '.join(text.split()[100:106])}?"} if given else {}
    clean = await graph.ainvoke(
        {"document": document.id, **asked}, config, context=replace(context, max_calls=None, sample=1)
    )
    assert clean["status"] == ("answered" if given else "summarised"), clean["status"]
    assert clean["answer"] == "It says so." or not given


async def turn(library: Library, server: ModelServer, seed: str) -> None:
    """Turns of an agent whose model says anything; then one with a model that answers."""
    chance = Random(seed)
    context, model = replace(context_of(chance, calls=(None, None, 3)), window_words=4000), double_of(seed, chance)
    ada = Living(library, name=seed, context=context)
    model.plays(server)
    for said in (f"Hello. I keep goat {seed}.", "What do I keep?"):
        try:
            found = await ada.turn(said)
        except ModelUnavailable as problem:
            assert_named(problem, model)
            continue
        json.dumps(found, ensure_ascii=False, default=str).encode()
        assert found["status"] in ("answered", "no_answer", "budget")
        assert (found["status"] == "answered") <= bool(found["said"])
        words = "\0".join(map(plain, strings(model.said)))
        assert all(plain(each) in words for each in found["said"])
        assert all(0 <= value < 10**15 for value in found["usage"].values())
        assert len(found["steps"]) < 250
    server.reset()
    server.respond = Script()
    ada.context = CONTEXT
    assert (await ada.turn("Are you well?"))["said"] == ["Done."]
    agent = await ada.store.require_agent(seed)
    copy = (await make_agent_file(ada.store, agent, await ada.life())).json_text()
    assert (await add_agent_from_file(ada.store, copy, f"{seed} again")).name == f"{seed} again"


async def act(library: Library, server: ModelServer, method: Method, seed: str) -> None:
    """A step on a web page with a model that says anything: an action that can be done, or none."""
    chance = Random(seed)
    context, model = replace(context_of(chance), page_depth=5), double_of(seed, chance)
    model.plays(server)
    graph = method.build().compile(store=library.store)
    page = chance.choice(["booking-1", "booking-2", "shop"])
    given: Any = {"question": f"Order two lanterns, {seed}.", "text": html(page)}
    try:
        found = await graph.ainvoke(given, context=context)
    except ModelUnavailable as problem:
        assert_named(problem, model)
        return
    json.dumps(found, ensure_ascii=False, default=str).encode()
    action = found["action"]
    assert action["outcome"] in get_args(Outcome)
    assert (action["element"] is not None) == (action["outcome"] == "act")
    assert action["element"] is None or action["element"] in elements_of(web_page(html(page)).text)


def compress(text: str, seed: str, engine: str) -> None:
    """A text is compressed within its budget, or refused in a line, with a function that returns anything."""
    chance, replies = Random(seed), iter(range(10**6))

    def says(prompt: str) -> str:
        reply = Reply(
            ChatRequest({"messages": [{"role": "user", "content": prompt}]}), Random(f"{seed} {next(replies)}")
        )
        return reply.text()

    budget = chance.choice([5, 60, 200])
    made = engine_named(engine)(local_llm_pipeline=says)
    try:
        compressed, trace = made.compress(text, budget, query=chance.choice([None, "Who took the log book?"]))
    except BadInput as problem:
        assert re.fullmatch(r"The budget holds no whole sentence .*: give at least \d+ tokens\.", str(problem))
        return
    assert count_tokens(compressed.text) == compressed.tokens <= budget
    assert trace.usage["calls"] < 500


@pytest.mark.parametrize("method", [name for name in EVERY if not EVERY[name].memory_of])
@pytest.mark.slow
async def test_a_reading_with_a_model_that_says_anything(
    server: ModelServer, library: Library, story: str, method: str
) -> None:
    await read(library, server, EVERY[method], f"{method} 0", story)
    assert not await check(library)


@pytest.mark.slow
async def test_agents_and_web_steps_with_a_model_that_says_anything(server: ModelServer, library: Library) -> None:
    await turn(library, server, "agent 0")
    await act(library, server, WEB_METHODS["web-agent"], "web-agent 0")
    assert not await check(library)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_compression_with_a_function_that_returns_anything(story: str, engine: str) -> None:
    compress(story[:2000], f"{engine} 0", engine)


@pytest.mark.slow
@pytest.mark.parametrize("method", EVERY)
async def test_many_readings(
    server: ModelServer, library: Library, story: str, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(MORE):
        await read(library, server, EVERY[method], f"{method} {number}", story)
    gc.collect()
    assert "never retrieved" not in caplog.text
    assert not await check(library) and len(asyncio.all_tasks()) == 1


@pytest.mark.slow
async def test_many_turns_of_agents(server: ModelServer, library: Library) -> None:
    for number in range(3 * MORE):
        await turn(library, server, f"agent {number}")
    assert not await check(library) and len(asyncio.all_tasks()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("method", WEB_METHODS)
async def test_many_web_steps(server: ModelServer, library: Library, method: str) -> None:
    for number in range(3 * MORE):
        await act(library, server, WEB_METHODS[method], f"{method} {number}")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_many_compressions(story: str, engine: str) -> None:
    for number in range(1, 3 * MORE):
        compress(story[:2000], f"{engine} {number}", engine)

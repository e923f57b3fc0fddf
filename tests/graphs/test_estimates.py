"""Estimates: no call is made, and the ranges hold, however badly the model replies."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest

from readgraph.api.running import expected_cost
from readgraph.graphs.estimate import Estimate, Range
from readgraph.graphs.method import Method
from readgraph.graphs.methods import METHODS
from readgraph.graphs.rehearsal import Rehearsal, rehearse_method
from readgraph.library.opening import Library
from readgraph.models.metering import Meter
from readgraph.models.prices import Price, find_price
from readgraph.models.rehearsed import NOTE_SHARE as GIST_SHARE
from readgraph.state.context import ReaderContext
from readgraph.state.words import first_words
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.command import ASK, DOUBLE, STORY, Command, assert_refused
from tests.support.examples import WHOLE_STORY
from tests.support.some_methods import mostly_slow

QUESTION = "Who took the log book?"


def useless(request: ChatRequest) -> str:
    return "no idea " * 2000


def long_winded(request: ChatRequest) -> str | dict[str, object]:
    return reader(request) if asked_for(request) else request.text[-1500:]


def half_useless(request: ChatRequest) -> str | dict[str, object]:
    return reader(request) if int(request.key[:8], 16) % 2 else "{"


def restless(request: ChatRequest) -> str | dict[str, object]:
    """Keeps what each leaf shows and goes on, and never has enough; in plain words, calls what needs most."""
    if called := re.search(r"^(\d): memory_replace$", request.last, re.MULTILINE):
        return called[1]
    if asked_for(request) == "Verdict":
        return {"enough": False, "missing": ["Where did the goat stand?"]}
    reply = reader(request)
    return {**reply, "action": "keep"} if isinstance(reply, dict) and "action" in reply else reply


STYLE = {"answer_length": "free", "answer_dates": "7 May 2023", "language": "German"}

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "read-agent": [
        {},
        {"strategy": "sequential", "max_pages": 4, **STYLE},
        {"min_page_words": 40, "max_page_words": 90, "stretches": 3},
        {"show_previous_page": True, "show_next_paragraph": True, "gist_words": 50, "purpose": "Goats."},
        {"window_words": 1000},
        {"max_calls": 12},
        {"max_pages": 0},
    ],
    "mem-walker": [
        {},
        {"segment_words": 60, "children": 3, "node_words": 40, "walks": 3, "max_hops": 9, **STYLE},
        {"segment_words": 90, "children": 2, "working_memory": "visited", "reasoning": False, "preset": "contract"},
        {"segment_words": 60, "children": 3, "node_words": 40, "working_memory": "summary", "earlier_words": 30},
    ],
    "gam": [
        {},
        {
            "memo_page_words": 150,
            "block": 4,
            "two_calls": True,
            "separate_requests": True,
            "without_memory": True,
            **STYLE,
        },
        {"rounds": 0, "memory_words": 0},
        {"reply_form": "plain", "rounds": 2, "preset": "meeting"},
    ],
    "survey": [{}, {"survey_words": 90, **STYLE}, {"fields": "who:text,when:date", "window_words": 1000}],
    "full-text": [{}, {"window_words": 1000, "best_chunk": True}],
    "outline-walk": [{}, {"segment_words": 60, "children": 3, "node_words": 40, "walks": 2, "max_hops": 7, **STYLE}],
    "overwrite-memory": [
        {},
        {"window_words": 1000, "note_words": 150, "look_back": False, **STYLE},
        {"heads": 4, "update_gate": True, "exit_gate": True},
    ],
    "walk-and-research": [{"segment_words": 90, "children": 3, "max_hops": 5, "rounds": 4}],
    "reflective-walk": [{"segment_words": 60, "children": 3, "max_hops": 4, "walks": 2, "rounds": 4}],
    "mem-gpt": [
        {"max_chain": 5, **STYLE},
        {"max_chain": 8, "window_words": 2000},
        {"max_chain": 3, "reply_form": "plain"},
    ],
    "reader-agent": [
        {"max_chain": 5, **STYLE},
        {"max_chain": 8, "window_words": 2000},
        {"max_chain": 3, "reply_form": "plain"},
    ],
}

EMBEDDING: dict[str, Any] = {"embeddings": "openai:double-embeddings"}
OF_BASELINES: list[dict[str, Any]] = [
    EMBEDDING,
    {"window_words": 1000, "baseline_words": 300, "retrieval_words": 90, "max_calls": 12, **EMBEDDING, **STYLE},
]

ESTIMATED = [*METHODS.values()]

EVERY: list[Callable[..., Any]] = [reader, useless, restless, long_winded, half_useless]

BETWEEN = EVERY[-2:]
"""Those whose calls lie between a plain reader's and the most."""


def is_slow(method: Method, settings: dict[str, Any], respond: Callable[..., Any]) -> bool:
    """Whether a quicker case shows nearly the same: for a baseline's plain reader, the test of what to expect."""
    if method.name not in SETTINGS:
        return respond is reader or settings is EMBEDDING
    if settings in SETTINGS[method.name][2:] or respond in (restless, *BETWEEN):
        return True
    return settings != SETTINGS[method.name][respond is reader and len(SETTINGS[method.name]) > 1]


def responders(method: Method, settings: dict[str, Any]) -> list[Callable[..., Any]]:
    """Two for a baseline; each for a method in its first settings, and in others a plain, a useless, a restless one."""
    if method.name not in SETTINGS:
        return EVERY[:2]
    return EVERY if settings is SETTINGS[method.name][0] else EVERY[:3]


CASES = [
    pytest.param(
        method,
        settings,
        respond,
        id="-".join([method.name, *settings, respond.__name__]),
        marks=[pytest.mark.slow] if is_slow(method, settings, respond) else [],
    )
    for method in ESTIMATED
    for settings in SETTINGS.get(method.name, OF_BASELINES)
    for respond in responders(method, settings)
]


def assert_holds(foreseen: Estimate, used: dict[str, Any]) -> None:
    for name in ("calls", "input_words", "output_words"):
        limits: Range = getattr(foreseen, name)
        assert limits.high is None or used[name] <= limits.high, (name, used, foreseen)


@pytest.mark.parametrize(("method", "settings", "respond"), CASES)
async def test_the_ranges_hold(
    server: ModelServer,
    library: Library,
    story: str,
    method: Method,
    settings: dict[str, Any],
    respond: Callable[..., Any],
) -> None:
    server.respond = respond
    context = ReaderContext(model="openai:double", **settings)
    document = await library.pages.add_document(story[:6_000])
    graph = method.build().compile(store=library.store)
    for question in (None, QUESTION, *(["How deep is the well?"] if respond is restless else [])):
        asked = {} if question is None else {"question": question}
        foreseen = await rehearse_method(method, library.pages, document, context, asked)
        before = server.calls
        used = (await graph.ainvoke({"document": document.id, **asked}, context=context))["usage"]
        assert server.calls - before == used["calls"]
        assert_holds(foreseen, used)


AGENTS = ("mem-gpt", "reader-agent")
"""How long a chain an agent makes is its own affair."""


@pytest.mark.parametrize("method", [each for each in ESTIMATED if each.name not in AGENTS], ids=lambda m: m.name)
@pytest.mark.slow
async def test_what_to_expect_is_near_what_a_plain_model_uses(
    server: ModelServer, library: Library, story: str, method: Method
) -> None:
    context = ReaderContext(model="openai:double", **EMBEDDING)
    document = await library.pages.add_document(story)
    foreseen = await rehearse_method(method, library.pages, document, context, {"question": QUESTION})
    graph = method.build().compile(store=library.store)
    used = (await graph.ainvoke({"document": document.id, "question": QUESTION}, context=context))["usage"]
    assert_holds(foreseen, used)
    assert 0.5 < used["calls"] / foreseen.calls.expected < 2
    assert 0.5 < used["input_words"] / foreseen.input_words.expected < 2


def test_the_command_estimates_and_makes_no_call(readgraph: Command, server: ModelServer) -> None:
    for command in (("read", STORY), ASK):
        told = readgraph(*command, *DOUBLE, "--estimate", "--price", "1/2", "--json").json
        assert 0 < told["calls"]["expected"] <= told["calls"]["high"]
        assert told["cost"] > 0
        told_counts = [told[part] for part in asdict(Estimate()) if part != "way"]
        assert all(type(count) is int for counts in told_counts for count in counts.values() if count is not None)
        printed = readgraph(*command, *DOUBLE, "--estimate").text
        assert f"{told['calls']['high']:,.0f}" in printed and "no call was made" in printed
    assert server.calls == 0
    readgraph(*ASK, "--method", "read-agent", *DOUBLE)
    done = json.loads(readgraph("read", STORY, *DOUBLE, "--estimate", "--json").out)
    assert {key: done[key]["high"] for key in ("calls", "input_words")} == {"calls": 0, "input_words": 0}
    assert "with openai:double: no call is needed" in readgraph("read", STORY, *DOUBLE, "--estimate").text
    assert readgraph(*ASK, "--estimate", "--json").json["calls"] == asdict(Range()), "without a model"
    assert_refused(readgraph("ask", "Who?", "--continue", "--estimate"), "can't be estimated")


def test_the_estimate_says_how_long_memos_take_that_are_written_one_by_one(readgraph: Command) -> None:
    line = ("read", WHOLE_STORY, *DOUBLE, "--method", "gam", "--estimate")
    assert "as long as about 10 calls in turn; --memorize-batch 8: about 2" in readgraph(*line).text
    for few_in_turn in (("--memorize-batch", 8), ("--memo-page-words", 9_000)):
        assert "in turn" not in readgraph(*line, *few_in_turn).text
    assert "in turn" not in readgraph("read", STORY, *DOUBLE, "--estimate").text


async def test_longer_answers_are_expected_where_they_are_asked_for(library: Library, story: str) -> None:
    document = await library.pages.add_document(first_words(story, 500))
    expected = []
    for settings in ({}, {"answer_length": "paragraph"}, {"answer_length": "free"}, {"answer_words": 400}):
        context = ReaderContext(model="openai:double", **settings)
        foreseen = await rehearse_method(METHODS["bm25"], library.pages, document, context, {"question": QUESTION})
        expected.append(foreseen.output_words.expected)
    assert expected == sorted(expected) and len({*expected}) == len(expected)


@pytest.mark.parametrize(("words", "strategy"), [(13_000, "parallel"), (13_000, "sequential"), (900, "parallel")])
async def test_what_a_providers_cache_can_hold_is_expected(library: Library, words: int, strategy: Any) -> None:
    document = await library.pages.add_document(first_words(WHOLE_STORY.read_text(encoding="utf-8"), words))
    context = ReaderContext(model="openai:gpt-5.4-mini", strategy=strategy)
    method, asked = METHODS["read-agent"], {"question": QUESTION}
    foreseen = await rehearse_method(method, library.pages, document, context, asked)
    reading = await rehearse_method(method, library.pages, document, context, {})
    prompts = foreseen.calls.expected - reading.calls.expected
    gists = GIST_SHARE * document.words if words > 5_000 else 0
    held = foreseen.held_words.expected
    assert 0.95 <= (held + 1) / ((prompts - 1) * gists + 1) <= 1.25, "all prompts but the first begin with the gists"
    assert held < foreseen.input_words.expected
    price, plain = find_price("openai:gpt-5.4-mini"), Price(0.75, 4.5)
    assert price and (price.input, price.output) == (plain.input, plain.output)
    saved = (expected_cost(foreseen, plain) or 0) - (expected_cost(foreseen, price) or 0)
    assert saved == pytest.approx(held * 4 / 3 * 0.675 / 1e6, abs=1e-4), "a tenth is paid for what is held"


async def test_a_rehearsal_writes_nothing_and_is_told_to_nobody(
    library: Library, story: str, caplog: pytest.LogCaptureFixture
) -> None:
    document = await library.pages.add_document(first_words(story, 3_000))
    context = ReaderContext(model="openai:double")
    with caplog.at_level("INFO", logger="readgraph"):
        foreseen = await rehearse_method(METHODS["read-agent"], library.pages, document, context, {})
    assert foreseen.calls.expected > 5 and not caplog.records
    assert not await library.pages.memories(document.id) and not await library.pages.holds_replies(document.id)


async def test_what_is_read_already_is_not_counted_again(server: ModelServer, library: Library, story: str) -> None:
    document = await library.pages.add_document(first_words(story, 6_000))
    context, method = ReaderContext(model="openai:double"), METHODS["read-agent"]
    whole = await rehearse_method(method, library.pages, document, context, {})
    graph = method.build().compile(store=library.store)
    await graph.ainvoke({"document": document.id}, context=replace(context, max_calls=20))
    left = await rehearse_method(method, library.pages, document, context, {})
    assert 0 < left.calls.expected <= whole.calls.expected - 18
    await graph.ainvoke({"document": document.id}, context=context)
    assert (await rehearse_method(method, library.pages, document, context, {})).calls == Range()


async def test_a_kept_reply_costs_nothing(server: ModelServer, library: Library, story: str) -> None:
    document = await library.pages.add_document(first_words(story, 2_000))
    context, method, asked = ReaderContext(model="openai:double"), METHODS["bm25"], {"question": QUESTION}
    assert (await rehearse_method(method, library.pages, document, context, asked)).calls.expected == 1
    await method.build().compile(store=library.store).ainvoke({"document": document.id, **asked}, context=context)
    assert (await rehearse_method(method, library.pages, document, context, asked)).calls == Range()


@pytest.mark.parametrize("name", ["read-agent", "mem-walker", "gam", "survey", "overwrite-memory"])
async def test_notes_of_a_text_without_spaces_are_as_short_as_of_others(library: Library, name: str) -> None:
    text = "老船长每天早上走过石桥，到市场去买鱼。没有人知道为什么雾越来越浓，灯却被熄灭了。" * 60
    document = await library.pages.add_document(text)
    context, asked = ReaderContext(model="openai:double"), {"question": "谁买鱼？"}
    foreseen = await rehearse_method(METHODS[name], library.pages, document, context, asked)
    assert 0 < foreseen.output_words.expected < document.words / 2


@pytest.mark.parametrize("name", mostly_slow(["read-agent", "mem-walker", "survey"], ["read-agent"]))
async def test_a_long_text_is_told_by_its_beginning(library: Library, name: str) -> None:
    text = "\n\n".join([WHOLE_STORY.read_text(encoding="utf-8")] * 30)
    document = await library.pages.add_document(first_words(text, 400_000))
    part = await library.pages.add_document(first_words(text, 100_000))
    context = ReaderContext(model="openai:double")
    long, short = [
        await rehearse_method(METHODS[name], library.pages, each, context, {"question": QUESTION})
        for each in (document, part)
    ]
    assert long.calls.expected / short.calls.expected == pytest.approx(4, rel=0.1)
    assert long.calls.high and short.calls.high and long.calls.high / short.calls.high == pytest.approx(4, rel=0.2)


@pytest.mark.parametrize("method", ESTIMATED, ids=lambda method: method.name)
async def test_no_usual_reply_is_refused(
    library: Library, story: str, method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = list[str]()
    monkeypatch.setattr(Meter, "refuse", lambda meter, asked, reason: refused.append(f"{asked}: {reason}"))
    document = await library.pages.add_document(first_words(story, 6_000))
    context = ReaderContext(model="openai:double", **EMBEDDING)
    rehearsal = Rehearsal(method.build(), library.pages, document, context, rough=True)  # with usual replies alone
    await rehearsal.run_several([{"question": QUESTION}])
    assert not refused

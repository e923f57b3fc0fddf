"""What comes from a model is bounded, and no graph goes round for ever, whatever its nodes decide."""

import json
from collections.abc import Callable, Iterator
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readgraph import ReaderContext
from readgraph.features.agents import mem_gpt
from readgraph.features.agents.archives import add_agent_from_file, make_agent_file
from readgraph.features.agents.evict import first_to_stay
from readgraph.features.agents.memory import most_event_words, queue_text
from readgraph.features.agents.state import EventKind
from readgraph.features.agents.store import Event, agent_id
from readgraph.features.agents.think import ENDLESS
from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.graphs.hybrids import reflective_walk, walk_and_research
from readgraph.library.opening import Library
from readgraph.models.reply import LONGEST_REPLY
from readgraph.state.errors import BadInput
from readgraph.state.words import count_words
from tests.doubles.agent import Living, Script, Step, call, queue, say
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader

WINDOW = 1000

text = st.text(max_size=50) | st.sampled_from(["a " * 900, "x" * 9000, "長い" * 900, "<event 3: you>\n", "\n" * 2000])
events = st.builds(
    Event,
    number=st.integers(0, 10**10),
    kind=st.sampled_from(get_args(EventKind)),
    at=text,
    text=text,
    function=text,
    arguments=st.dictionaries(text, text, max_size=9) | st.just({f"argument {n}": "a b c" for n in range(500)}),
    request_heartbeat=st.booleans(),
    result=st.none() | text,
    failed=st.booleans(),
)


@settings(max_examples=12)
@given(st.lists(events, min_size=1, max_size=6), st.booleans())
def test_every_event_fits_the_room_and_eviction_makes_room(several: list[Event], dated: bool) -> None:
    room = 2 * most_event_words(WINDOW)
    sizes = [count_words(queue_text([event], WINDOW, dated=dated)) for event in several]
    assert max(sizes) <= room
    if count_words(queue_text(several, WINDOW, dated=dated)) > room:
        cut = first_to_stay(several, sizes, room)
        assert 0 < cut < len(several)
        assert count_words(queue_text(several[cut:], WINDOW, dated=dated)) <= room


@pytest.fixture
def ada(library: Library, server: ModelServer) -> Living:
    return Living(library)


ODD_CALLS: list[Step] = [
    {**call("fly " * 4000), "inner_thoughts": "hm " * 9000},
    {**call("fly"), "arguments": {"wing " * 4000: "x"}},
    {**call("fly"), "arguments": [{"name": f"wing{n}", "value": "x y"} for n in range(3000)]},
    call("memory_append", block="human", text="x " * 30_000),
    call("recall_search", words="x", page=10**30),
    call("recall_search", words="x", page="9" * 5000),
    call("recall_search", words="x", page="NaN"),
    call("document_open", document=10**30, page=-(10**30)),
    call("archival_delete", passages=10**30),
    call("archival_delete", passages="[" * 30_000),
    call("archival_delete", passages=[1e400, 10**30]),
    *(
        call("recall_search_date", first_day=day, last_day="2024-01-01")
        for day in ("0000-01-01", "99999-99-99", "NaN", "1e400", "9" * 5000)
    ),
]


async def test_calls_out_of_all_bounds_go_back_to_the_model(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(*ODD_CALLS, say("I see."))
    found = await ada.turn("Hello.")
    assert (found["said"], found["status"]) == (["I see."], "answered")
    assert len(script.requests) == len(ODD_CALLS) + 1 and max(len(each["summary"]) for each in found["steps"]) < 2000
    for event in (await ada.events())[1:-1]:
        assert event.kind == "call" and event.failed and event.result
        assert len(json.dumps([event.text, event.function, event.arguments])) < 60_000
    assert all("error: " in queue(request) for request in script.requests[1:])


async def test_an_agent_whose_newest_event_is_too_large_lives_on(ada: Living, server: ModelServer) -> None:
    server.respond = Script(call("fly", request_heartbeat=False))
    await ada.turn("Hello.")
    huge = Event(1, "call", "", "hm", "fly " * 50_000, {f"wing {n}": "x y" for n in range(5000)})
    await ada.store.put_events(agent_id("ada"), [huge])
    assert (await ada.turn("Are you well?"))["said"] == ["Done."]


async def test_an_eviction_that_evicts_nothing_ends_the_turn(library: Library, server: ModelServer) -> None:
    server.respond, ada = Script(), Living(library)
    saver, store = library.checkpointer, library.store
    idle = mem_gpt.build_chat(evict=lambda state: {"next_step": "think"})
    ada.graph = idle.compile(checkpointer=saver, store=store)
    while (found := await ada.turn("goat " * 499))["status"] == "answered":
        pass
    assert (found["status"], found["said"], found["usage"]["calls"]) == ("no_answer", [], 0)
    assert (await ada.events())[-1].text == ENDLESS and len(found["steps"]) < 250


def endless(state: Any) -> dict[str, Any]:
    return {"continue_search": True}


def endless_rounds(state: Any) -> dict[str, Any]:
    return {"continue_search": True, "rounds": []}


def endless_thoughts(state: Any) -> dict[str, Any]:
    return {"next_step": "think"}


GRAPHS: dict[str, Callable[[], Any]] = {
    "read_agent": lambda: read_agent.build(look_up=endless),
    "gam": lambda: gam.build(reflect=endless_rounds),
    "mem_walker": lambda: mem_walker.build(descend=endless, read_leaf=endless),
    "mem_gpt": lambda: mem_gpt.build(think=endless_thoughts),
    "walk_and_research": lambda: walk_and_research.build(descend=endless, read_leaf=endless, reflect=endless_rounds),
    "reflective_walk": lambda: reflective_walk.build(descend=endless, read_leaf=endless, reflect=endless_rounds),
}
LOOPS = {"walk_and_research": 2, "reflective_walk": 2}


@pytest.mark.parametrize("name", GRAPHS)
def test_nodes_that_never_end_are_ended(server: ModelServer, library: Library, story: str, name: str) -> None:
    graph = GRAPHS[name]().compile(store=library.store)
    asked: Any = {"text": story[:3000], "question": "Who keeps the lamp?"}
    for most, limit in ((3, 10_000), (10**6, 30), (10**6, 31), (10**6, 32), (10**6, 33)):
        bounds: Any = {"max_pages": most, "rounds": most, "max_hops": most, "max_chain": most}
        context = ReaderContext(model="openai:double" if name == "mem_gpt" else "", segment_words=100, **bounds)
        found = graph.invoke(asked, {"recursion_limit": limit}, context=context)
        assert found["status"] in ("answered", "nearest", "no_answer") and 10 < len(found["steps"]) < 60 * LOOPS.get(
            name, 1
        )
        assert found["steps"][-1]["node"] == "cite"


def test_a_reply_without_an_end_is_cut_and_refused(server: ModelServer, library: Library, story: str) -> None:
    server.respond = lambda request: "goat " * LONGEST_REPLY if request.schema_name == "FreeAnswer" else reader(request)
    asked: Any = {"text": story[:5000], "question": "Who keeps the lamp?"}
    graph = read_agent.build().compile(store=library.store)
    found = graph.invoke(asked, context=ReaderContext(model="openai:double"))
    assert found["fallbacks"] == {"answer": 1} and found["usage"]["refused"] == 3


def test_a_page_number_out_of_all_bounds(server: ModelServer, library: Library, story: str) -> None:
    said = {"answer": "Iolo.", "quotes": [{"page": page, "quote": story[:40]} for page in (10**30, -(10**30))]}
    server.respond = lambda request: said if request.schema_name == "FreeAnswer" else reader(request)
    asked: Any = {"text": story[:5000], "question": "Who keeps the lamp?"}
    graph = read_agent.build().compile(store=library.store, checkpointer=library.checkpointer)
    config: Any = {"configurable": {"thread_id": "1"}}
    found = graph.invoke(asked, config, context=ReaderContext(model="openai:double"))
    assert found["answer"] == "Iolo." and found["citations"][0]["start"] == 0


def changed(file: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Where in an agent's file, and what odd value takes its place."""
    nested: Any = "x"
    for _ in range(60):
        nested = [nested]
    odd: tuple[Any, ...] = (float("nan"), float("inf"), 10**30, -1, "", "99999-99-99", None, [], nested)
    yield from (("archive", value) for value in (*odd, 10**9))
    yield from (("queue_from", value) for value in odd)
    yield from (("created", value) for value in ("0000-01-01", "99999-99-99", 3, None))
    yield from (("recall.0.at", value) for value in ("NaN", "99999-99-99T00:00", 10**30))
    yield from (("recall.0.number", value) for value in odd)
    yield from (("recall.1.arguments", {"page": value}) for value in (odd[0], odd[1], odd[2], nested))
    yield from (("working_context.0.limit", value) for value in odd)
    yield from (("passages.0.number", value) for value in (*odd, 2))
    yield from (("passages.0.at", value) for value in ("NaN", 1))
    yield from (("documents.0.number", value) for value in (*odd, 0))
    yield from (("documents.0.pages", value) for value in ([], [{"end": 10**30, "note": ""}], [{"end": 0, "note": ""}]))
    yield from (("documents.0.places", value) for value in ([[10**30, "x"]], [[-1, "x"]], [["a", "b"]]))
    yield from (("documents.0.parameters", {"min_page_words": value}) for value in (odd[0], odd[2], nested))
    yield from (("documents.0.text", value) for value in ("", " ", "short", None))
    yield from ((name, None) for name in file)


async def test_a_file_of_an_agent_with_odd_values_is_refused(ada: Living, server: ModelServer, story: str) -> None:
    server.respond = Script(call("archival_insert", text="Goats eat lamps."), say("Noted."))
    await ada.turn("I keep goats.")
    document = await ada.library.pages.add_document(story, title="The Lamp")
    await ada.turn(kind="upload", document=document.id)
    text = (await make_agent_file(ada.store, await ada.store.require_agent("ada"), await ada.life())).json_text()
    file = json.loads(text)
    for path, value in changed(file):
        odd = json.loads(text)
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        place: Any = odd
        for part in way:
            place = place[part]
        if value == "" and last in ("created", "at"):
            continue
        place[last] = value
        with pytest.raises(BadInput) as refused:
            await add_agent_from_file(ada.store, json.dumps(odd), "other")
        assert "\n" not in str(refused.value) and len(str(refused.value)) < 400, path
    for broken in ("", "[" * 100_000, '{"a":' * 100_000, text.replace('"archive": ', '"archive": 1e400'), text[:-9]):
        with pytest.raises(BadInput):
            await add_agent_from_file(ada.store, broken, "other")
    assert await ada.store.agent("other") is None
    assert (await add_agent_from_file(ada.store, text, "other")).name == "other"

"""GAM's researcher: rounds, what each step sees and keeps, bounds, faults, threads, a person who edits the plan."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from readgraph.graphs.gam import build_research, recipe, research_graph
from readgraph.library.opening import Library
from readgraph.nodes.research.plan import usable_plan
from readgraph.state.errors import BadInput
from readgraph.state.records import Memory
from tests.doubles.model_server import ChatRequest, Fault, ModelServer, Responder
from tests.doubles.reader import asked_for, between
from tests.doubles.researcher import (
    CONTEXT,
    QUESTION,
    TRAIL,
    remembered_pages,
    research,
    researcher,
    shown_pages,
    trail_pages,
)


@pytest.fixture
async def memory(server: ModelServer, library: Library) -> Memory:
    server.respond = researcher
    return await remembered_pages(library.store, trail_pages(), CONTEXT, header="The log, day {}.")


def saying(**replies: Any) -> Responder:
    """The researcher, but for these types of reply."""
    return lambda request: replies.get(asked_for(request), researcher(request))


def asked(server: ModelServer, kind: str) -> list[ChatRequest]:
    return [request for request in server.requests if asked_for(request) == kind]


@pytest.mark.parametrize("form", ["json_schema", "function", "text"])
async def test_a_trail_is_followed_round_by_round(
    server: ModelServer, library: Library, memory: Memory, form: Any
) -> None:
    found = await research(library, memory, replace(CONTEXT, reply_form=form))
    assert (found["status"], found["answer"]) == ("answered", "At elm.")
    assert found["sources"] == [*TRAIL]
    assert [done["enough"] for done in found["rounds"]] == [False, False, False, True]
    assert (
        found["context"] == found["notes"] == "\n".join(f"At {a} a note said: go on to {b}." for a, b in TRAIL.values())
    )
    kinds = [asked_for(request) for request in server.requests]
    assert kinds == ["SearchPlan", "Integrated", "Verdict"] * 4 + ["AnswerAlone"]
    assert found["usage"]["calls"] == server.calls == 13
    nodes = [step["node"] for step in found["steps"]]
    assert nodes == ["open", "find_memory", *["plan", "search", "integrate", "reflect"] * 4, "answer", "cite"]


async def test_snippets_and_citations_are_spans_of_the_document(
    server: ModelServer, library: Library, memory: Memory
) -> None:
    text = "".join(trail_pages())
    found = await research(library, memory)
    assert [snippet["page"] for snippet in found["snippets"]] == [*TRAIL]
    for span in [*found["snippets"], *found["citations"]]:
        assert text[span["start"] : span["end"]] == span["quote"]
    assert {citation["page"] for citation in found["citations"]} <= {*TRAIL}
    assert found["citations"]


async def test_the_question_stands_in_every_plan_with_what_is_missing_and_known(
    server: ModelServer, library: Library, memory: Memory
) -> None:
    await research(library, memory)
    first, second, *_ = plans = asked(server, "SearchPlan")
    assert all(between(plan, "question") == QUESTION for plan in plans)
    assert between(first, "missing") == between(first, "notes") == ""
    assert between(second, "missing") == "- What did the note at birch say?"
    assert between(second, "notes") == "At alder a note said: go on to birch."
    assert "Searched before: alder." in between(second, "earlier")
    assert "<page 7>\nThe log, day 7.\nWeather of day 7." in between(first, "memory")


async def test_no_page_is_shown_twice_and_pages_read_are_those_shown(
    server: ModelServer, library: Library, memory: Memory
) -> None:
    server.respond = saying(Verdict={"enough": False, "missing": ["note"]}, SearchPlan={"keyword": ["note", "rain"]})
    found = await research(library, memory)
    shown = [page for request in asked(server, "Integrated") for page in shown_pages(request)]
    assert found["pages_read"] == shown == [page for done in found["rounds"] for page in done["pages_shown"]]
    assert len(shown) == len({*shown}) == 5 * 3


@pytest.mark.parametrize("rounds", [1, 2, 5])
async def test_a_model_that_never_says_enough_ends_at_the_bound_without_a_wasted_call(
    server: ModelServer, library: Library, memory: Memory, rounds: int
) -> None:
    server.respond = saying(Verdict={"enough": False, "missing": ["what is missing"]})
    found = await research(library, memory, replace(CONTEXT, rounds=rounds))
    assert len(found["rounds"]) == rounds == len(asked(server, "SearchPlan"))
    assert len(asked(server, "Verdict")) == rounds - 1, "after the last round nobody is asked"
    assert found["rounds"][-1]["enough"] is None


async def test_enough_in_quotes_is_what_it_says(server: ModelServer, library: Library, memory: Memory) -> None:
    server.respond = saying(Verdict={"enough": "false", "missing": []})
    assert [done["enough"] for done in (await research(library, memory))["rounds"]] == [False] * 4 + [None]
    server.respond = saying(Verdict={"enough": "true", "missing": []})
    assert len((await research(library, memory, replace(CONTEXT, sample=1)))["rounds"]) == 1


async def test_the_papers_two_calls_of_reflection(server: ModelServer, library: Library, memory: Memory) -> None:
    found = await research(library, memory, replace(CONTEXT, separate_requests=True))
    assert found["answer"] == "At elm."
    assert (len(asked(server, "Enough")), len(asked(server, "Missing")), len(asked(server, "Verdict"))) == (4, 3, 0)


async def test_what_a_plan_invents_is_dropped_field_by_field(
    server: ModelServer, library: Library, memory: Memory
) -> None:
    plan = {
        "tool": "web",
        "keyword": "note at alder",
        "vector": ["what is alder?"],
        "page": [999, "three", -1, "page 5"],
    }
    server.respond = saying(SearchPlan=plan, Verdict={"enough": True, "missing": []})
    found = await research(library, memory)
    assert found["rounds"][0]["plan"] == {"needs": [], "keyword": ["note at alder"], "vector": [], "page": [5]}
    assert {3, 5} <= {*found["pages_read"]}
    assert (found["fallbacks"], len(asked(server, "SearchPlan"))) == ({}, 1)


@pytest.mark.parametrize("nothing", [{}, {"keyword": [], "page": [999]}, {"tools": ["web"]}, "I would look around."])
async def test_a_plan_of_nothing_searches_for_what_is_asked(
    server: ModelServer, library: Library, memory: Memory, nothing: Any
) -> None:
    server.respond = saying(SearchPlan=nothing)
    found = await research(library, memory, replace(CONTEXT, rounds=1))
    assert found["rounds"][0]["plan"]["keyword"] == [QUESTION]
    assert (found["fallbacks"], found["sources"]) == ({"plan": 1}, [3])


async def test_an_empty_integration_loses_no_notes(server: ModelServer, library: Library, memory: Memory) -> None:
    def forgetful(request: ChatRequest) -> Any:
        second = len(asked(server, "Integrated")) == 2
        empty = {"content": " ", "sources": [99], "quotes": []}
        return empty if second and asked_for(request) == "Integrated" else researcher(request)

    server.respond = forgetful
    found = await research(library, memory)
    first, second, *_ = found["rounds"]
    assert first["notes"] == second["notes"] == "At alder a note said: go on to birch."
    assert (second["sources"], second["enough"]) == ([3], None), "the same notes are not judged again"
    assert second["pages_shown"] == [11], "what was shown counts as read"


async def test_sources_are_pages_that_were_shown(server: ModelServer, library: Library, memory: Memory) -> None:
    made_up = [{"page": 3, "quote": "words that stand nowhere"}, "no object", {"page": None, "quote": None}]
    reply = {"content": "Something.", "sources": ["page 3", 29, 999, None], "quotes": made_up}
    server.respond = saying(Integrated=reply)
    found = await research(library, memory, replace(CONTEXT, rounds=1))
    assert (found["sources"], found["snippets"]) == ([3], [])


async def test_every_third_reply_cut_finds_all_the_same(server: ModelServer, library: Library, memory: Memory) -> None:
    clean = await research(library, memory)
    server.reset()
    server.fault_for = lambda request, call: Fault.truncated(20) if call % 3 == 0 else None
    spoilt = await research(library, memory, replace(CONTEXT, sample=1))
    for channel in ("answer", "notes", "sources", "snippets", "pages_read", "citations", "fallbacks"):
        assert spoilt[channel] == clean[channel], channel
    assert spoilt["usage"]["refused"] > 3


async def test_useless_replies_fall_back_and_end_with_what_was_read(
    server: ModelServer, library: Library, memory: Memory
) -> None:
    server.respond = lambda request: "no idea"
    found = await research(library, memory, replace(CONTEXT, rounds=2))
    assert found["fallbacks"] == {"plan": 2, "integrate": 1, "reflect": 1, "answer": 1}
    assert found["status"] == "nearest"
    assert found["citations"] and 3 in found["pages_read"]


async def test_a_question_that_nothing_matches_has_no_answer(
    server: ModelServer, library: Library, memory: Memory
) -> None:
    server.respond = saying(SearchPlan={"keyword": ["zeppelin"]})
    found = await research(library, memory, replace(CONTEXT, rounds=3), question="Zeppelin?", options=["yes", "no"])
    assert (found["status"], found["answer"], found["choice"], found["notes"]) == ("no_answer", None, None, "")
    assert [asked_for(request) for request in server.requests] == ["SearchPlan"] * 3, "nothing else had a use"


async def test_without_a_model_no_search_is_made_twice(library: Library) -> None:
    context = replace(CONTEXT, model="", rounds=9, pages_per_tool=1)
    memory = await remembered_pages(library.store, trail_pages(), context)
    found = await research(library, memory, context, question="Was a zeppelin seen in the rain?")
    shown = [bool(done["pages_shown"]) for done in found["rounds"]]
    assert shown[:1] == [True] and shown[-1:] == [False] and shown.index(False) + 1 == len(shown) < 9
    assert "nothing new" in [step["summary"] for step in found["steps"] if step["node"] == "reflect"][-1]


@pytest.mark.parametrize("model", ["openai:double", ""])
async def test_an_empty_memory_has_no_answer(server: ModelServer, library: Library, model: str) -> None:
    document, context = await library.pages.add_document("A lamp."), replace(CONTEXT, model=model)
    empty = await library.pages.open_memory(document.id, recipe(context))
    found = await research(library, empty, context)
    assert (found["status"], found["rounds"], server.calls) == ("no_answer", [], 0)


async def test_research_goes_no_further_once_every_page_was_read(server: ModelServer, library: Library) -> None:
    server.respond = saying(Verdict={"enough": False, "missing": ["more"]}, SearchPlan={"page": "0, 1, 2, 3, 4"})
    memory = await remembered_pages(library.store, trail_pages(4), CONTEXT)
    found = await research(library, memory)
    assert (len(found["rounds"]), sorted(found["pages_read"])) == (2, [0, 1, 2, 3])


async def test_a_second_question_starts_clean(server: ModelServer, library: Library, memory: Memory) -> None:
    compiled = build_research().compile(checkpointer=InMemorySaver(), store=library.store)
    config: Any = {"configurable": {"thread_id": "1"}}
    first = await compiled.ainvoke({"document": memory.document, "question": QUESTION}, config, context=CONTEXT)
    second = await compiled.ainvoke({"question": QUESTION}, config, context=CONTEXT)
    assert [second[name] for name in ("rounds", "notes", "pages_read")] == [
        first[name] for name in ("rounds", "notes", "pages_read")
    ]
    assert (second["usage"]["calls"], second["usage"]["cached_calls"]) == (0, 13)
    third = await compiled.ainvoke({"document": memory.document}, config, context=CONTEXT)
    assert (third["rounds"], third["notes"], third["sources"], third["snippets"]) == ([], "", [], [])


@pytest.mark.parametrize("evidence", ["integration", "pages"])
async def test_no_page_text_is_in_the_state(
    server: ModelServer, library: Library, memory: Memory, evidence: Any
) -> None:
    saver = InMemorySaver()
    compiled = build_research().compile(checkpointer=saver, store=library.store)
    config: Any = {"configurable": {"thread_id": "1"}}
    context = replace(CONTEXT, evidence=evidence)
    await compiled.ainvoke({"document": memory.document, "question": QUESTION}, config, context=context)
    kept = "".join([*map(str, saver.blobs.values()), *map(str, saver.writes.values()), str(saver.storage)])
    assert "go on to birch" in kept
    assert "wind force" not in kept


async def test_a_person_edits_the_plan_before_the_search(server: ModelServer, library: Library, memory: Memory) -> None:
    compiled = build_research().compile(
        checkpointer=library.checkpointer, store=library.store, interrupt_before=["search"]
    )
    config: Any = {"configurable": {"thread_id": "edited"}}
    context = replace(CONTEXT, rounds=1)
    await compiled.ainvoke({"document": memory.document, "question": QUESTION}, config, context=context)
    waiting = await compiled.aget_state(config)
    assert (waiting.next, waiting.values["plan"]["keyword"]) == (("search",), ["alder"])
    edited = await compiled.aupdate_state(config, {"plan": {"page": [26, 999], "keyword": "note at birch"}})
    found = await compiled.ainvoke(None, edited, context=context)
    assert 26 in found["pages_read"] and 11 in found["pages_read"]
    assert found["rounds"][0]["plan"] == {"needs": [], "keyword": ["note at birch"], "vector": [], "page": [26]}
    assert found["rounds"][0]["hits"][0]["tools"]


async def test_a_budget_ends_research_with_what_was_found(
    server: ModelServer, library: Library, memory: Memory
) -> None:
    found = await research(library, memory, replace(CONTEXT, max_calls=4))
    assert (found["status"], server.calls) == ("budget", 4)
    assert found["answer"] and found["citations"]


def test_research_runs_synchronously(server: ModelServer, library: Library, memory: Memory) -> None:
    compiled = build_research().compile(store=library.store)
    found = compiled.invoke({"document": memory.document, "question": QUESTION}, context=CONTEXT)
    assert found["answer"] == "At elm."


async def test_a_document_that_was_not_memorised_is_reported(library: Library) -> None:
    document = await library.pages.add_document("A lamp.")
    with pytest.raises(BadInput, match="no memory of the method 'gam'"):
        await build_research().compile(store=library.store).ainvoke({"document": document.id, "question": "Who?"})


def test_the_drawing_is_the_papers_figure() -> None:
    edges = {(edge.source, edge.target) for edge in research_graph.get_graph().edges}
    assert {("plan", "search"), ("search", "integrate"), ("integrate", "reflect"), ("reflect", "plan")} <= edges
    assert ("reflect", "answer") in edges


plans = st.dictionaries(
    st.sampled_from(["needs", "keyword", "vector", "page", "web"]),
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=8),
)


@given(plans, st.integers(1, 9), st.integers(1, 5))
def test_any_plan_is_usable_or_empty(plan: dict[str, Any], pages: int, most: int) -> None:
    usable = usable_plan(plan, ("keyword", "page"), range(pages), most)
    assert usable["vector"] == []
    assert len(usable["keyword"]) <= most and all(query.strip() for query in usable["keyword"])
    assert len({*usable["page"]}) == len(usable["page"]) <= most
    assert all(0 <= page < pages for page in usable["page"])
    assert usable_plan(usable, ("keyword", "page"), range(pages), most) == usable


async def test_researchers_side_by_side_do_not_mix(server: ModelServer, library: Library, memory: Memory) -> None:
    one, other = await asyncio.gather(research(library, memory), research(library, memory, replace(CONTEXT, sample=1)))
    assert one["rounds"] == other["rounds"]

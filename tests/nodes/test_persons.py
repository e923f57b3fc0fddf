"""Steps at which a person decides: what is asked, what replies are taken, and what it costs."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.nodes.persons import choose_pages, confirm_plan, review_answer
from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader

pytestmark = pytest.mark.quick

TEXT = "\n\n".join(
    f"In year {year} the keeper found a {thing} beneath the stair. " * 8
    for year, thing in enumerate(["goat", "lantern", "plaque", "bell"])
)
CONTEXT = ReaderContext(model="openai:double", min_page_words=40, max_page_words=90, memo_page_words=90)
CONFIG: Any = {"configurable": {"thread_id": "1"}}
GIVEN: Any = {"text": TEXT, "question": "What was found in year 2?"}


def asked_of(output: dict[str, Any]) -> dict[str, Any]:
    (asked,) = output["__interrupt__"]
    value: dict[str, Any] = asked.value
    return value


async def test_a_person_chooses_the_pages_and_a_wrong_reply_is_asked_for_again(server: ModelServer) -> None:
    server.respond = reader
    builder = read_agent.build(look_up=choose_pages)
    graph = builder.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    asked = asked_of(await graph.ainvoke(GIVEN, CONFIG, context=CONTEXT))
    assert (asked["kind"], asked["question"], asked["problem"]) == ("choose_pages", GIVEN["question"], "")
    assert set(asked["pages"]) <= {*range(asked["of"])} and asked["reply"]["properties"]["pages"]
    before = len(server.requests)
    for reply, problem in (({"pages": [99]}, "there is no page 99"), ({"page": 1}, "pages: Field required")):
        asked = asked_of(await graph.ainvoke(Command(resume=reply), CONFIG, context=CONTEXT))
        assert problem in asked["problem"]
    assert len(server.requests) == before
    found = await graph.ainvoke(Command(resume={"pages": [0]}), CONFIG, context=CONTEXT)
    assert found["pages_read"] == [0] and found["answer"] and "a person chose part 0" in str(found["steps"])


async def test_a_person_changes_a_plan_or_agrees(server: ModelServer) -> None:
    server.respond = reader
    graph = gam.build(plan=confirm_plan).compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    replies: tuple[dict[str, Any], ...] = ({"accept": False, "keyword": ["lantern"], "page": []}, {"accept": True})
    for number, reply in enumerate(replies):
        config: Any = {"configurable": {"thread_id": str(number)}}
        output = await graph.ainvoke(GIVEN, config, context=CONTEXT)
        planned = asked_of(output)["plan"]
        for _ in range(CONTEXT.rounds):
            if "__interrupt__" not in output:
                break
            output = await graph.ainvoke(Command(resume=reply), config, context=CONTEXT)
        used = output["rounds"][0]["plan"]
        assert used == {**planned, **{name: value for name, value in reply.items() if name != "accept"}}
        assert output["status"] in ("answered", "no_answer")


@pytest.mark.parametrize("build", [read_agent.build, mem_walker.build], ids=["read-agent", "mem-walker"])
async def test_a_person_reviews_the_answer_of_any_method(server: ModelServer, build: Any) -> None:
    server.respond = reader
    graph = build(cite=review_answer).compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    replies: tuple[dict[str, Any], ...] = (
        {"accept": True},
        {"accept": False, "answer": "A plaque."},
        {"accept": False},
    )
    for number, reply in enumerate(replies):
        config: Any = {"configurable": {"thread_id": str(number)}}
        asked = asked_of(await graph.ainvoke(GIVEN, config, context=CONTEXT))
        found = await graph.ainvoke(Command(resume=reply), config, context=CONTEXT)
        if number == 0:
            assert found["answer"] == asked["answer"]
            assert [each["quote"] for each in found["citations"]] == [each["quote"] for each in asked["quotes"]]
        else:
            assert (found["answer"], found["citations"]) == (reply.get("answer"), [])
            assert found["status"] == ("answered" if reply.get("answer") else "no_answer")


async def test_without_a_model_a_person_is_asked_too() -> None:
    graph = read_agent.build(look_up=choose_pages, cite=review_answer)
    compiled = graph.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    sizes = ReaderContext(min_page_words=40, max_page_words=90)
    assert asked_of(await compiled.ainvoke(GIVEN, CONFIG, context=sizes))["kind"] == "choose_pages"
    output = await compiled.ainvoke(Command(resume={"pages": [2]}), CONFIG, context=sizes)
    assert asked_of(output)["kind"] == "review_answer" and "plaque" in str(asked_of(output)["quotes"])

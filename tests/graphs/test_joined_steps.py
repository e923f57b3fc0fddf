"""Steps that nobody stops between run as one superstep: with the same outcome, and fewer checkpoints."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.errors import GraphRecursionError
from langgraph.store.base import GetOp
from langgraph.types import Command

from readgraph.api import functions
from readgraph.graphs import gam
from readgraph.graphs.method import Method
from readgraph.graphs.methods import METHODS
from readgraph.graphs.wiring.joined import join_steps
from readgraph.library.corrections import correct
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library, open_library
from readgraph.nodes.contracts import AskedState, ReaderRuntime
from readgraph.nodes.memory import load_memory
from readgraph.nodes.persons import review_answer
from readgraph.nodes.research.plan import PlanState, PlanUpdate, SearchState, SearchUpdate, plan, search
from readgraph.nodes.research.reflect import ReflectState, ReflectUpdate, reflect
from readgraph.nodes.step import node
from readgraph.nodes.walk.position import LeafUpdate, WalkingState, WalkUpdate, enter
from readgraph.nodes.walk.steps import read_leaf
from readgraph.state.context import ReaderContext
from readgraph.state.records import TreeNode
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for, reader
from tests.doubles.researcher import QUESTION, remembered_pages, researcher, trail_pages
from tests.doubles.walker import CONTEXT as WALKING
from tests.doubles.walker import REVERT, TEXT, Walker, down, moves, says
from tests.support.some_methods import mostly_slow

CONTEXT = ReaderContext(model="openai:double", embeddings="openai:double-embeddings")
ASKED = "What did the Remarks say about a goat?"


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    """The output without what differs from run to run: times, ids, and what agents wrote with the time of day."""
    steps = [(step["node"], _calls(step["usage"]), step["fallbacks"]) for step in found["steps"]]
    return {**found, "steps": steps, "usage": _calls(found["usage"]), "messages": []}


def _calls(usage: dict[str, int]) -> int:
    """Replies, new and recorded: the second run gets those of the first."""
    return usage["calls"] + usage["cached_calls"]


async def correct_first_note(library: Library, document: str) -> None:
    (memory,) = await library.pages.memories(document)
    await correct(library.pages, memory, 0, "What a user wrote.")


@pytest.mark.parametrize("method", mostly_slow([name for name in METHODS if not METHODS[name].router]))
async def test_the_outcome_is_the_same(server: ModelServer, library: Library, story: str, method: str) -> None:
    server.respond = reader
    document = await library.pages.add_document(story[:9000])
    found, checkpoints = list[dict[str, Any]](), list[int]()
    read = METHODS[method].build().compile(store=library.store)
    await read.ainvoke({"document": document.id}, context=CONTEXT)
    for number, builder in enumerate((METHODS[method].build(), join_steps(METHODS[method].build()))):
        graph = builder.compile(checkpointer=library.checkpointer, store=library.store)
        config: Any = {"configurable": {"thread_id": f"{method} {number}"}}
        given: Any = {"document": document.id, "question": ASKED}
        found.append(without_times(dict(await graph.ainvoke(given, config, context=CONTEXT))))
        checkpoints.append(len([each async for each in graph.aget_state_history(config)]))
    if method == "survey":  # the second run finds the records of the first
        found = [{**each, "usage": 0, "steps": [step[0] for step in each["steps"]]} for each in found]
    assert found[0] == found[1]
    assert checkpoints[1] < checkpoints[0]


@pytest.mark.parametrize("method", mostly_slow([*METHODS]))
async def test_so_is_that_of_a_question_that_reads_first(
    server: ModelServer, tmp_path: Path, story: str, method: str
) -> None:
    server.respond = reader
    found = list[dict[str, Any]]()
    for name, joined in (("alone", False), ("joined", True)):
        async with open_library(tmp_path / name) as library:
            document = await library.pages.add_document(story[:9000])
            builder = METHODS[method].build()
            graph = (join_steps(builder) if joined else builder).compile(store=library.store)
            given: Any = {"document": document.id, "question": ASKED}
            found.append(without_times(dict(await graph.ainvoke(given, context=CONTEXT))))
    assert found[0] == found[1]


async def test_a_memory_is_opened_once_for_the_steps_of_a_question(
    library: Library, story: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, fetch = await library.pages.add_document(story), type(library.store).abatch
    given: Any = {"document": document.id, "question": ASKED}
    fetched = list[int]()

    async def count(store: Any, ops: Any) -> Any:
        fetched[-1] += sum("memories" in op.namespace for op in ops if isinstance(op, GetOp))
        return await fetch(store, ops)

    monkeypatch.setattr(type(library.store), "abatch", count)
    for builder in (gam.build(), gam.build(), join_steps(gam.build())):  # the first one reads
        fetched.append(0)
        await builder.compile(store=library.store).ainvoke(given, context=ReaderContext(model=""))
    assert fetched[2] <= fetched[1] / 2


async def test_a_note_corrected_meanwhile_leaves_the_search_of_joined_steps_as_it_was(
    library: Library, story: str
) -> None:
    document = await library.pages.add_document(story)

    @node(settings=plan.settings)
    async def plan_and_correct(state: PlanState, runtime: ReaderRuntime) -> PlanUpdate:
        planned = await plan(state, runtime)
        await correct_first_note(library, document.id)
        return planned

    given: Any = {"document": document.id, "question": ASKED}
    found = list[dict[str, Any]]()
    for builder in (gam.build(plan=plan_and_correct), join_steps(gam.build(plan=plan_and_correct))):
        output = await builder.compile(store=library.store).ainvoke(given, context=ReaderContext(model=""))
        found.append(without_times(dict(output)))
    assert found[1] == found[0] and found[1]["pages_read"] and found[1]["citations"]


async def test_a_step_behind_one_s_own_sees_the_note_that_it_corrected(library: Library, story: str) -> None:
    document, seen = await library.pages.add_document(story), list[str]()
    given: Any = {"document": document.id, "question": ASKED}

    async def look(state: AskedState, runtime: ReaderRuntime) -> None:
        (note,) = await (await load_memory(runtime, state)).notes([0])
        seen.append(note.text)

    @node(settings=plan.settings)
    async def plan_and_correct(state: PlanState, runtime: ReaderRuntime) -> PlanUpdate:
        await look(state, runtime)
        await correct_first_note(library, document.id)
        await look(state, runtime)
        return await plan(state, runtime)

    @node(settings=search.settings)
    async def look_and_search(state: SearchState, runtime: ReaderRuntime) -> SearchUpdate:
        await look(state, runtime)
        return await search(state, runtime)

    joined = join_steps(gam.build(plan=plan_and_correct, search=look_and_search))
    await joined.compile(store=library.store).ainvoke(given, context=ReaderContext(model=""))
    assert seen[0] != seen[1] == seen[2] == "What a user wrote."


async def test_a_question_inside_of_joined_steps_sees_what_was_appended_since(library: Library) -> None:
    key, song = SessionText("Ana: The key is under the pot. " * 30), SessionText("Bo: The goat sang a song.")
    history, answers = (await append_sessions(library.pages, "H", [key])).document.id, list[str]()
    inner, context = gam.build().compile(store=library.store), ReaderContext(model="")

    @node(settings=reflect.settings)
    async def append_and_ask(state: ReflectState, runtime: ReaderRuntime) -> ReflectUpdate:
        await append_sessions(library.pages, "H", [song])
        given: Any = {"document": history, "question": "Who sang a song?"}
        answers.append((await inner.ainvoke(given, context=context))["answer"])
        return await reflect(state, runtime)

    joined = join_steps(gam.build(reflect=append_and_ask)).compile(store=library.store)
    await joined.ainvoke({"document": history, "question": "Where is the key?"}, context=context)
    assert "sang a song" in answers[0]


async def test_a_note_corrected_meanwhile_leads_no_walk_of_joined_steps_astray(
    server: ModelServer, library: Library
) -> None:
    document = await library.pages.add_document(TEXT)

    @node(settings=enter.settings)
    async def correct_and_enter(state: AskedState, runtime: ReaderRuntime) -> WalkUpdate:
        entered = await enter(state, runtime)
        await correct_first_note(library, document.id)
        return entered

    server.respond = walker = Walker(down(1), down(1), says("answer", "a ledger"))
    joined = join_steps(METHODS["mem-walker"].build(enter=correct_and_enter)).compile(store=library.store)
    found = await joined.ainvoke({"document": document.id, "question": "What in year 4?"}, context=WALKING)
    assert moves(dict(found))[:2] == [("2.0", "child", "1.1"), ("1.1", "child", "0.4")]
    assert "<part-2 1>\nIn short: <part 0> In short: In year 3 " in walker.decided[0].text


@pytest.mark.parametrize("rewrites", [False, True])
async def test_nodes_of_a_tree_are_fetched_once_but_anew_behind_a_step_of_one_s_own(
    server: ModelServer, library: Library, monkeypatch: pytest.MonkeyPatch, rewrites: bool
) -> None:
    document, fetch, fetched = await library.pages.add_document(TEXT), type(library.store).abatch, list[str]()

    async def list_keys(store: Any, ops: Any) -> Any:
        fetched.extend(op.key for op in ops if isinstance(op, GetOp) and "tree" in op.namespace)
        return await fetch(store, ops)

    @node(settings=read_leaf.settings)
    async def rewrite_and_read(state: WalkingState, runtime: ReaderRuntime) -> LeafUpdate:
        await library.pages.put_tree_node(state["memory"], TreeNode("1.0", "What a user wrote.", 4))
        return await read_leaf(state, runtime)

    server.respond = walker = Walker(down(1), down(1), REVERT, down(None), down(0), down(1), says("answer", "it"))
    steps = {"read_leaf": rewrite_and_read} if rewrites else {}
    joined = join_steps(METHODS["mem-walker"].build(**steps)).compile(store=library.store)
    await joined.ainvoke({"document": document.id}, context=WALKING)
    monkeypatch.setattr(type(library.store), "abatch", list_keys)
    await joined.ainvoke({"document": document.id, "question": "What in year 1?"}, context=WALKING)
    assert [request.text.count("What a user wrote.") for request in walker.decided[:4]] == [0, 0, 0, 0]
    assert ("What a user wrote." in walker.decided[4].text) is rewrites
    assert (len(fetched) > len({*fetched})) is rewrites


@pytest.mark.parametrize(
    ("method", "nodes"),
    [
        ("gam", {"open, memorize, plan, search, integrate, reflect, answer, cite"}),
        ("mem-walker", {"open, read, grow, enter, descend, read_leaf, answer, cite"}),
        ("mem-gpt", {"open, read, begin", "think, evict", "act", "look_up", "answer, cite"}),
    ],
)
def test_what_is_joined(method: str, nodes: set[str]) -> None:
    joined = join_steps(METHODS[method].build())
    assert {*joined.nodes} == nodes, "an agent's acts are not done twice"
    joined.compile().get_graph().draw_mermaid()


async def test_steps_of_ones_own_and_those_that_ask_stay_alone(library: Library, story: str) -> None:
    ran = list[str]()

    def search(state: Any) -> dict[str, Any]:
        ran.append(state["question_text"])
        return {"hits": []}

    joined = join_steps(gam.build(search=search, cite=review_answer))
    assert {*joined.nodes} == {"open, memorize", "plan", "search", "integrate, reflect", "answer", "cite"}
    graph = joined.compile(checkpointer=library.checkpointer, store=library.store)
    document = await library.pages.add_document(story[:9000])
    config: Any = {"configurable": {"thread_id": "1"}}
    given: Any = {"document": document.id, "question": ASKED}
    stopped = await graph.ainvoke(given, config, context=ReaderContext(model=""))
    assert stopped["__interrupt__"][0].value["kind"] == "review_answer" and len(ran) == len(stopped["rounds"]) == 2
    resumed: Any = Command(resume={"accept": False, "answer": "Iolo."})
    found = await graph.ainvoke(resumed, config, context=ReaderContext(model=""))
    assert (found["status"], found["answer"], len(ran)) == ("answered", "Iolo.", 2)


@pytest.mark.parametrize("limit", [20, 21, 22, 23, 60])
async def test_joined_loops_end_by_langgraphs_limit_too(server: ModelServer, library: Library, limit: int) -> None:
    never = {"enough": False, "missing": ["what is missing"]}
    server.respond = lambda request: never if asked_for(request) == "Verdict" else researcher(request)
    context = replace(CONTEXT, rounds=10**6, embeddings="")
    memory = await remembered_pages(library.store, trail_pages(40), context)
    graph = join_steps(gam.build_research()).compile(store=library.store)
    given: Any = {"document": memory.document, "question": QUESTION}
    found = await graph.ainvoke(given, {"recursion_limit": limit}, context=context)
    assert [step["node"] for step in found["steps"]][-2:] == ["answer", "cite"] and len(found["steps"]) <= limit
    with pytest.raises(GraphRecursionError):
        await graph.ainvoke(given, {"recursion_limit": 3}, context=context)


async def test_a_question_begins_anew_in_a_thread_of_joined_steps(library: Library, story: str) -> None:
    document = await library.pages.add_document(story[:9000])
    graph = join_steps(METHODS["read-agent"].build()).compile(checkpointer=library.checkpointer, store=library.store)
    config: Any = {"configurable": {"thread_id": "1"}}
    given: Any = {"document": document.id, "question": ASKED}
    first, second = [await graph.ainvoke(given, config, context=ReaderContext(model="")) for _ in range(2)]
    assert [step["node"] for step in second["steps"]] == [step["node"] for step in first["steps"]]
    assert second["usage"]["calls"] == 0 and second["answer"] == first["answer"]


async def test_a_spent_budget_is_said_of_the_step_that_met_it(
    server: ModelServer, library: Library, story: str
) -> None:
    server.respond = reader
    document = await library.pages.add_document(story[:9000])
    graph = join_steps(METHODS["read-agent"].build()).compile(store=library.store)
    given: Any = {"document": document.id, "question": ASKED}
    found = await graph.ainvoke(given, context=replace(CONTEXT, max_calls=3))
    assert (found["status"], found["usage"]["calls"]) == ("budget", 3)
    assert "the budget is spent" in next(step["summary"] for step in found["steps"] if step["node"] == "look_up")


async def test_a_program_s_question_takes_fewer_supersteps_and_builds_no_graph_twice(
    library: Library, story: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, built = await library.pages.add_document(story[:9000]), list[str]()
    own = Method.build

    def counting(method: Method) -> Any:
        built.append(method.name)
        return own(method)

    monkeypatch.setattr(Method, "build", counting)
    for _ in range(3):
        answer = await functions.ask(library, ASKED, documents=[document.id], context=ReaderContext(model=""))
        assert answer.status == "nearest"
    assert built.count("read-agent") == 1

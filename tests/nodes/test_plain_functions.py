"""A function is a node like the others: it is given what it names, and the trajectory shows what it did."""

import math
import re
import sqlite3
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, cast

import pytest
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from readgraph.features.agents import mem_gpt
from readgraph.graphs import gam
from readgraph.graphs.baselines import build_bm25
from readgraph.graphs.hybrids import gist_research
from readgraph.graphs.read_agent import build
from readgraph.nodes.contracts import LookUpState, LookUpUpdate, ReaderRuntime
from readgraph.nodes.step import node
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

pytestmark = pytest.mark.quick

GIVEN: Any = {"text": "The goat stood on the gallery of the lamp.", "question": "What of the goat?"}
THREAD: Any = {"configurable": {"thread_id": "1", "page": 0}}


def looked(what: object) -> LookUpUpdate:
    return {"pages_read": [0], "continue_search": False, "step_summary": f"looked: {what}"}


def by_state(state: LookUpState) -> LookUpUpdate:
    return looked(state["question_text"])


def by_runtime(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    return looked(runtime.context.max_pages)


async def by_any_name(state: LookUpState, at_work: Any) -> LookUpUpdate:
    return looked(at_work.context.max_pages)


async def by_config(state: LookUpState, config: RunnableConfig) -> LookUpUpdate:
    return looked(config["configurable"]["page"])


async def by_names(state: LookUpState, *, store: BaseStore, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    return looked(store is runtime.store)


def by_telling(state: LookUpState, writer: Callable[[Any], None], often: int = 2) -> LookUpUpdate:
    writer({"told": often})
    return looked(often)


def of_which(state: LookUpState, *, what: str) -> LookUpUpdate:
    return looked(what)


def compiled(look_up: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    return build(look_up=look_up).compile(store=InMemoryStore(), checkpointer=InMemorySaver())


NODES: dict[Any, str] = {
    by_state: "What of the goat?",
    by_runtime: "7",
    by_any_name: "7",
    by_config: "0",
    by_names: "True",
    by_telling: "2",
    partial(of_which, what="a part"): "a part",
}


@pytest.mark.parametrize("node", NODES, ids=lambda node: getattr(node, "__name__", "partial"))
async def test_it_gets_what_it_names_and_is_recorded(node: Any) -> None:
    graph, context = compiled(node), ReaderContext(max_pages=7)
    for found in (graph.invoke(GIVEN, THREAD, context=context), await graph.ainvoke(GIVEN, THREAD, context=context)):
        assert [step["node"] for step in found["steps"]] == "open read merge look_up answer cite".split()
        assert found["steps"][3]["summary"] == f"looked: {NODES[node]}"
        assert found["pages_read"] == [0]


def test_a_function_that_changes_nothing() -> None:
    found = compiled(lambda state: None).invoke(GIVEN, THREAD)
    assert (found["pages_read"], len(found["steps"])) == ([], 6)


def test_a_person_is_asked_in_the_midst_of_it() -> None:
    def ask(state: LookUpState) -> LookUpUpdate:
        return {**looked(page := interrupt("Which page?")), "pages_read": [page]}

    graph = compiled(ask)
    (asked,) = graph.invoke(GIVEN, THREAD)["__interrupt__"]
    assert asked.value == "Which page?"
    found = graph.invoke(Command(resume=0), THREAD)
    assert (found["pages_read"], found["steps"][3]["summary"]) == ([0], "looked: 0")


def test_its_return_is_what_changed() -> None:
    with pytest.raises(
        BadInput, match=r"^The node 'look_up' must return a dictionary of what changed: it returned \[3\]\."
    ):
        compiled(lambda state: [3]).invoke(GIVEN, THREAD)


def test_so_is_that_of_a_step() -> None:
    @node
    async def gives(state: LookUpState, runtime: ReaderRuntime) -> LookUpUpdate:
        changed: LookUpUpdate = given.pop()
        return changed

    given: list[Any] = [Command(update=looked("twice")), None]
    assert compiled(gives).invoke(GIVEN, THREAD)["pages_read"] == []
    with pytest.raises(
        BadInput, match=r"^The node 'look_up' must return a dictionary of what changed: it returned Com"
    ):
        compiled(gives).invoke(GIVEN, {"configurable": {"thread_id": "2"}})


@pytest.mark.parametrize(
    ("step", "what"),
    [
        (None, "can't be None: give a step, a function or a coroutine."),
        ("retrieve", "can't be 'str'"),
        (math, "can't be 'math'"),
        (sqlite3.Connection, "can't be 'Connection'"),
        (lambda: {}, "takes ()"),
        (lambda state, runtime, more: {}, "takes (state, runtime, more): it may take (state), (state, runtime)"),
        (build, "takes (open, read, merge, look_up, answer, cite, state)"),
    ],
)
def test_what_is_no_node_is_refused_when_the_graph_is_built(step: Any, what: str) -> None:
    with pytest.raises(BadInput, match=f"^The node 'look_up' {re.escape(what)}"):
        build(look_up=step)


def by_yielding(state: Any) -> Any:
    yield looked(0)


async def by_yielding_later(state: Any) -> Any:
    yield looked(0)


def by_command(state: Any) -> Command[Any]:
    return Command(update=looked(0))


async def by_maybe_command(state: Any) -> Command[Any] | list[int]:
    return [0]


class Looked(BaseModel):
    pages_read: list[int] = [0]


def by_model(state: Any) -> Looked:
    return Looked()


async def by_iterator(state: Any) -> AsyncIterator[Any]:
    return iter([])  # type: ignore[return-value]


class Yields:
    def __call__(self, state: Any) -> Any:
        yield looked(0)


@node  # type: ignore[type-var]
async def step_by_model(state: LookUpState, runtime: ReaderRuntime) -> Looked:
    return Looked()


def by_dictionary(state: Any, runtime: Any) -> dict[str, Any]:
    return {}


@pytest.mark.parametrize(
    ("step", "what"),
    [
        (by_yielding, "is a generator: give the dictionary with `return`"),
        (by_yielding_later, "is a generator"),
        (partial(by_yielding), "is a generator"),
        (Yields(), "is a generator"),
        (RunnableLambda(by_yielding), "is a generator"),
        (node(cast(Any, by_yielding_later)), "is a generator"),
        (by_command, "gives Command, where a dictionary of what changed is needed. Return its update as a dictionary"),
        (by_maybe_command, "gives Command"),
        (by_model, "gives Looked, where a dictionary of what changed is needed. Return its fields: .model_dump()."),
        (step_by_model, "gives Looked"),
        (node(cast(Any, by_dictionary)), "is a plain function: make it `async def`, or give it without @node."),
        (by_iterator, "gives AsyncIterator"),
        (Looked, "can't be 'Looked'"),
    ],
)
def test_what_is_known_to_give_no_dictionary_is_refused_when_the_graph_is_built(step: Any, what: str) -> None:
    with pytest.raises(BadInput, match=f"^The node 'look_up' {re.escape(what)}"):
        build(look_up=step)


class Looks:
    async def __call__(self, state: Any) -> Any:
        return looked("later")


@pytest.mark.parametrize("step", [Looks(), lambda state: Looks()(state)])
def test_what_is_awaited_may_come_from_any_call(step: Any) -> None:
    assert compiled(step).invoke(GIVEN, THREAD)["steps"][3]["summary"] == "looked: later"


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (Command(update={}), "returned Command.* Return its update as a dictionary"),
        (Looked(), r"returned Looked.* Return its fields: \.model_dump"),
        (by_yielding({}), "returned <generator.* with `return`, not `yield`"),
        ({"pages_read": "0", "continue_search": False}, r"The node 'look_up' writes 'pages_read' as '0', where list"),
        ({"quotes": [{"page": 0, "text": "A"}]}, r"'quotes' as .*, where list\[Quote\] belongs"),
        ({"pages_read": [0], "continue": False}, "writes 'continue', which the graph's state does not have"),
    ],
)
def test_what_only_a_run_can_see_is_one_line(given: Any, complaint: str) -> None:
    @node
    async def step(state: Any, runtime: Any) -> Any:
        return given

    for each in (lambda state: given, RunnableLambda(lambda state: given), step):
        with pytest.raises(BadInput, match=complaint):
            compiled(each).invoke(GIVEN, THREAD)


@pytest.mark.parametrize(
    "build", [build, gam.build, gist_research.build, mem_gpt.build, build_bm25, gam.build_memorize]
)
def test_what_is_no_step_is_refused_with_the_nearest(build: Any) -> None:
    with pytest.raises(BadInput, match=r"given 'opne', which this graph, of the steps .*does not have \(it has 'open'"):
        build(opne=by_state)
    with pytest.raises(BadInput, match="given 'typo', which this graph, of the steps "):
        build(typo=by_state)
    with pytest.raises(BadInput, match="Steps are given by name, such as build"):
        build(by_state)


def test_names_that_only_a_type_checker_sees() -> None:
    async def look(state: "LookUpState", runtime: "OfATypeChecker") -> Any:  # type: ignore[name-defined]  # noqa: F821
        return looked(state["question_text"])

    assert compiled(look).invoke(GIVEN, THREAD)["steps"][3]["summary"] == "looked: What of the goat?"

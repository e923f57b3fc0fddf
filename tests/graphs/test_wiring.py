"""A wrong swap fails when the graph is built, with one line that names the node and the key."""

from collections.abc import Callable
from functools import partial
from operator import add
from typing import Annotated, Any, Literal, NotRequired, get_args, get_origin, get_type_hints

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

from readgraph.features.agents import mem_gpt, reader_agent
from readgraph.features.agents.evict import evict
from readgraph.features.agents.question import answer as mem_gpt_answer
from readgraph.features.changes import graph as changes
from readgraph.features.overwrite import graph as overwrite_memory
from readgraph.features.rlm import graph as rlm
from readgraph.features.survey import graph as survey
from readgraph.features.verify import graph as verify
from readgraph.features.wiki import graph as wiki
from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.graphs.hybrids import escalate, outline_walk, walk_and_research
from readgraph.graphs.loading import builder_at
from readgraph.graphs.methods import METHODS
from readgraph.graphs.read_agent import build, read
from readgraph.graphs.wiring import check_wiring
from readgraph.nodes.answering.answer import answer
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.contracts import AnswerUpdate, AskedState, LookUpUpdate, Step
from readgraph.nodes.look_up import look_up, look_up_next, look_up_next_without_model, look_up_pages, nearest_pages
from readgraph.nodes.opening import open_document
from readgraph.nodes.research.plan import plan
from readgraph.nodes.research.reflect import reflect
from readgraph.nodes.step import StepNode
from readgraph.nodes.walk.steps import descend
from readgraph.state.errors import BadInput
from readgraph.state.reading import ReadingState
from tests.support.some_methods import mostly_slow

pytestmark = pytest.mark.quick

Builder = StateGraph[Any, Any, Any, Any]


class Given(TypedDict):
    given: NotRequired[str]


class One(TypedDict):
    one: str


class OneTold(One):
    step_summary: str


class PerhapsOne(TypedDict):
    one: NotRequired[str]


class Two(TypedDict):
    two: str


class OneAndTwo(One, Two):
    pass


class FromTheStart(TypedDict):
    given: str
    log: list[str]


class Misspelt(TypedDict):
    oen: str


class Whole(Given, OneAndTwo):
    log: Annotated[list[str], add]


def writes_one(state: Given) -> One:
    return {"one": ""}


def writes_two(state: Given) -> Two:
    return {"two": ""}


def perhaps_writes_one(state: Given) -> PerhapsOne:
    return {}


def reads_one(state: One) -> None: ...


def perhaps_reads_one(state: PerhapsOne) -> None: ...


def reads_both(state: OneAndTwo) -> None: ...


def reads_what_is_there(state: FromTheStart) -> One:
    return {"one": ""}


def idle(state: Given) -> None: ...


def unknown(state):  # type: ignore[no-untyped-def]
    return {}


def any_dict(state: Given) -> dict[str, Any]:
    return {}


def whole(state: Whole) -> Whole:
    return state


def writes_one_and_tells(state: Given) -> OneTold:
    return {"one": "", "step_summary": "wrote"}


def misspells(state: Given) -> Misspelt:
    return {"oen": ""}


def goes_to_c(state: Given) -> Command[Literal["c"]]:
    return Command(goto="c")


def to_any(state: Given) -> str:
    return "c"


def to_any_by_one(state: One) -> str:
    return "c"


Edges = list[tuple[str | list[str], str | list[str]]]

LINE: Edges = [(START, "a"), ("a", "b"), ("b", END)]
SKIP: Edges = [(START, "a"), ("a", ["b", "c"]), ("b", "c"), ("c", END)]
DIAMOND: Edges = [(START, "a"), ("a", ["b", "d"]), ("b", "c"), ("d", "c"), ("c", END)]
FORK: Edges = [(START, "a"), (START, "b"), ("a", "c"), ("b", "c"), ("c", END)]
UNEVEN: Edges = [(START, "a"), (START, "d"), ("d", "b"), ("a", "c"), ("b", "c"), ("c", END)]
JOIN: Edges = [(START, "a"), (START, "d"), ("d", "b"), (["a", "b"], "c"), ("c", END)]
LOOP: Edges = [(START, "a"), ("a", "b"), ("b", ["a", "c"]), ("c", END)]
JUMP: Edges = [(START, "b"), ("b", "a")]


def graph(edges: Edges, path: Callable[..., str] = to_any, **nodes: Any) -> Builder:
    """A graph; an edge to a list is conditional, one from a list waits for all of them."""
    builder: Builder = StateGraph(Whole, input_schema=Given)
    for name, node in nodes.items():
        builder.add_node(name, node)
    for begin, end in edges:
        if isinstance(end, list):
            assert isinstance(begin, str)
            builder.add_conditional_edges(begin, path, end)
        else:
            builder.add_edge(begin, end)
    return builder


RIGHT: dict[str, Builder] = {
    "in a line": graph(LINE, a=writes_one, b=reads_one),
    "told by what is no step": graph(LINE, a=writes_one_and_tells, b=reads_one),
    "input and reducers are there": graph(LINE, a=reads_what_is_there, b=reads_one),
    "an optional key need not be there": graph(LINE, a=idle, b=perhaps_reads_one),
    "every branch writes it": graph(DIAMOND, a=idle, b=writes_one, d=writes_one, c=reads_one),
    "written before the branch": graph(SKIP, a=writes_one, b=idle, c=reads_one),
    "both of two that run at once": graph(FORK, a=writes_one, b=writes_two, c=reads_both),
    "a join waits for both": graph(JOIN, a=writes_one, d=idle, b=writes_two, c=reads_both),
    "a loop": graph(LOOP, a=writes_one, b=reads_one, c=reads_one),
    "nobody knows what it writes": graph(LINE, a=unknown, b=reads_one),
    "a bare dictionary": graph(LINE, a=any_dict, b=reads_both),
    "the whole state says nothing": graph(LINE, a=whole, b=whole),
    "a choice by what its node wrote": graph(LOOP, to_any_by_one, a=idle, b=writes_one, c=idle),
    "a command": graph(JUMP, a=goes_to_c, b=writes_one, c=reads_one),
}

WRONG: dict[str, tuple[Builder, str]] = {
    "nothing writes it": (graph(LINE, a=idle, b=reads_one), "node 'b' reads 'one', .* on the path a → b"),
    "it is not always written": (graph(LINE, a=perhaps_writes_one, b=reads_one), "'b' reads 'one'"),
    "a branch skips it": (graph(SKIP, a=idle, b=writes_one, c=reads_one), "'c' reads 'one', .* path a → c"),
    "one branch lacks it": (graph(DIAMOND, a=idle, b=writes_one, d=idle, c=reads_one), "path a → d → c"),
    "a loop writes it too late": (graph(LOOP, a=reads_one, b=writes_one, c=idle), "'a' reads 'one', .* path a"),
    "at the same time": (graph(FORK, a=writes_one, b=reads_one, c=idle), "'b' reads 'one'"),
    "it waits for one only": (graph(UNEVEN, a=writes_one, d=idle, b=writes_two, c=reads_both), r"'two', .* a \+ d → c"),
    "a choice": (graph(LOOP, to_any_by_one, a=idle, b=idle, c=idle), "choice after 'b' reads 'one'"),
    "an edge was forgotten": (graph([(START, "a"), ("a", END)], a=idle, b=idle), "No path leads to the node 'b'"),
    "it begins nowhere": (graph([("a", END)], a=idle), "No path leads to the node 'a'"),
    "no such key": (graph(LINE, a=misspells, b=idle), r"'a' writes 'oen', .* not have \(it has 'one'\)"),
}


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_graph_passes(case: str) -> None:
    check_wiring(RIGHT[case])
    RIGHT[case].compile()


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_graph_is_refused(case: str) -> None:
    builder, reason = WRONG[case]
    with pytest.raises(BadInput, match=reason) as refused:
        check_wiring(builder)
    assert "\n" not in str(refused.value)


class HeadingState(TypedDict):
    question_text: str
    heading: str


class Nothing(TypedDict):
    step_summary: str


class PagesOnly(TypedDict):
    pages_read: list[int]
    step_summary: str


class OnePage(TypedDict):
    page: int


async def answers_by_heading(state: HeadingState, runtime: Any) -> AnswerUpdate:
    raise AssertionError


class AnswerOnly(TypedDict):
    answer: str
    status: Literal["answered"]


async def answers_without_quotes(state: AskedState, runtime: Any) -> AnswerOnly:
    raise AssertionError


async def does_nothing(state: Given, runtime: Any) -> Nothing:
    return {"step_summary": "nothing"}


async def looks_up_pages(state: AskedState, runtime: Any) -> PagesOnly:
    return {"pages_read": [0], "step_summary": "looked"}


async def looks_up_a_page(state: AskedState) -> OnePage:
    return {"page": 3}


def of_the_state(state: ReadingState) -> dict[str, Any]:
    return {"pages_read": [0], "continue_search": False}


@pytest.mark.parametrize(
    "node",
    [look_up_pages, look_up_next, StepNode(look_up_next_without_model), looks_up_pages, of_the_state, lambda state: {}],
)
def test_look_ups_stand_in_for_each_other(node: Any) -> None:
    build(look_up=node)


@pytest.mark.parametrize(
    ("swap", "reason"),
    [
        ({"answer": answers_by_heading}, "'answer' reads 'heading', .* open → read → merge → look_up → answer"),
        ({"answer": answers_without_quotes}, "'cite' reads 'quotes', .* open → read → merge → look_up → answer → cite"),
        ({"read": does_nothing}, "'merge' reads 'memory', .* open → read → merge"),
        ({"read": StepNode(answer.work, without_model=does_nothing)}, "'read' reads 'memory'"),
        ({"read": StepNode(read.work, without_model=does_nothing)}, "'merge' reads 'memory'"),
        ({"open": does_nothing}, "choice after 'merge' reads 'question_text'|'look_up' reads"),
        ({"look_up": looks_up_a_page}, "'look_up' writes 'page', which the graph's state does not have"),
    ],
)
def test_a_wrong_swap_fails_when_the_graph_is_built(swap: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        build(**swap)


def untyped(module: Any) -> Any:
    """A module whose swaps no type checker refuses, which it would here."""
    return module


def test_a_plan_that_is_only_emptied_is_none() -> None:
    with pytest.raises(BadInput, match=r"'search' reads 'plan', .* open → memorize → plan → search"):
        untyped(gam).build(plan=does_nothing)


@pytest.mark.parametrize(
    ("swapped", "reason"),
    [
        (lambda: untyped(mem_walker).build(descend=look_up), "choice after 'descend' goes by 'current_node'"),
        (lambda: untyped(mem_walker).build(read_leaf=look_up), "choice after 'read_leaf' goes by 'current_node'"),
        (
            lambda: untyped(mem_walker).build(read_leaf=descend),
            "reads 'pages_read', which begins empty, and no node fills it",
        ),
        (lambda: untyped(gam).build(integrate=reflect), "reads 'notes', which begins empty, and no node fills it"),
        (lambda: untyped(gam).build(reflect=gam.memorize), "choice after 'reflect' goes by 'continue_search'"),
        (lambda: untyped(gam).build(reflect=plan), "reads 'rounds', which begins empty, and no node fills it"),
        (lambda: untyped(gam).build(plan=gam.graph), "choice after 'plan' goes by 'continue_search'|reads 'plan'"),
        (lambda: untyped(gam).build(integrate=gam.graph), "no node fills it"),
        (lambda: untyped(walk_and_research).build(integrate=reflect), "'notes' in each round, and no node of the loop"),
        (
            lambda: untyped(read_agent).build(look_up=read),
            "reads 'pages_read', which begins empty, and no node fills it",
        ),
        (lambda: untyped(read_agent).build(look_up=open_document), "'look_up' begins a question anew"),
        (lambda: untyped(escalate).build(judge=read), "choice after 'judge' goes by 'continue_search'"),
        (lambda: untyped(mem_gpt).build(think=evict), "reads 'calls', which begins empty"),
        (lambda: untyped(mem_gpt).build(evict=read), "'think' reads 'queue_from', which begins empty"),
        (
            lambda: untyped(read_agent).build(answer=nearest_pages, cite=answer),
            "'cite' must write 'citations', on which the graph's output",
        ),
        (lambda: untyped(gam).build(answer=gam.memorize), "'cite' reads 'quotes'|'answer' must write 'answer'"),
        (lambda: untyped(read_agent).build(look_up=nearest_pages, answer=mem_gpt_answer), "'answer' reads 'agent'"),
    ],
)
def test_a_swap_that_would_be_paid_for_in_vain_is_refused(swapped: Callable[[], Any], reason: str) -> None:
    with pytest.raises(BadInput, match=reason) as refused:
        swapped()
    assert "\n" not in str(refused.value)


PAGES_ARE_ENOUGH = [overwrite_memory, survey, rlm, changes, verify, wiki, mem_gpt, reader_agent]


WRITE_NOTES = [read, gam.memorize, gam.memorize_graph, mem_walker.read, outline_walk.read]


@pytest.mark.parametrize(
    ("method", "writes"),
    [*zip(PAGES_ARE_ENOUGH, WRITE_NOTES, strict=False), *((one, read) for one in PAGES_ARE_ENOUGH)],
)
def test_notes_that_nothing_uses_are_refused_in_every_graph(method: Any, writes: Any) -> None:
    with pytest.raises(BadInput, match="'read' has a model write notes, and no node after it uses them"):
        method.build(read=writes)
    method.build(read=lambda state: {"memory": "of my own"})
    method.build(read=mem_gpt.read)


def test_a_users_own_step_that_reads_the_memory_may_use_its_notes() -> None:
    async def by_notes(state: AskedState, runtime: Any) -> LookUpUpdate:
        return {"pages_read": [], "continue_search": False}

    rlm.build(read=read, look_up=by_notes)


@pytest.mark.parametrize("method", mostly_slow(METHODS))
def test_an_answer_in_the_place_of_the_citing_is_refused_in_every_graph(method: str) -> None:
    if "cite" in METHODS[method].build().nodes:
        with pytest.raises(BadInput, match="'cite' must write 'citations', on which the graph's output hangs"):
            METHODS[method].build(cite=answer)
        METHODS[method].build(cite=cite)


@pytest.mark.parametrize(
    "swapped",
    [
        lambda: gam.build(memorize=read),
        lambda: gam.build(memorize=gam.memorize_graph),
        lambda: build(look_up=lambda state: {"pages_read": [0]}),
        lambda: gam.build(reflect=lambda state: {"continue_search": False}),
        lambda: mem_walker.build(descend=lambda state: {"current_node": "0.1"}),
        lambda: build(cite=lambda state: {}),
    ],
)
def test_a_swap_that_makes_sense_passes(swapped: Callable[[], Any]) -> None:
    swapped()


def swappable(build: Any) -> dict[str, Any]:
    """The nodes that a `build` takes, with their types; a typed group of them counts as its names."""
    named = get_type_hints(build.func if isinstance(build, partial) else build)
    group = get_args(next((named.pop(name) for name in ("rounds", "walk", "reading") if name in named), None))
    return {**named, **(get_type_hints(group[0]) if group else {})}


@pytest.mark.parametrize("name", mostly_slow(METHODS))
def test_every_node_of_a_method_can_be_swapped_by_its_name(name: str) -> None:
    method = METHODS[name]
    named = swappable(builder_at(method.graph))
    nodes = ["route"] if method.router else [*method.build().nodes]  # the others of a router are whole methods
    assert {*nodes} <= named.keys()
    for node in nodes:
        assert any(get_origin(each) is Step for each in get_args(named[node])), (
            f"the type of '{node}' names its contract"
        )


@pytest.mark.parametrize("name", mostly_slow(METHODS))
def test_every_method_passes(name: str) -> None:
    check_wiring(METHODS[name].build())

"""What a graph refuses, and what it says before it reads."""

import re
import warnings
from dataclasses import dataclass
from inspect import currentframe
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Overwrite
from pydantic import BaseModel
from typing_extensions import TypedDict

from readgraph import aask
from readgraph.api import searched_by
from readgraph.features.agents.mem_gpt import build_chat
from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.graphs.read_agent import build, graph
from readgraph.graphs.wiring.method_graph import IgnoredSetting
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.library.page_store import PageStore
from readgraph.nodes.contracts import LookUpState, LookUpUpdate
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ModelServer

pytestmark = [pytest.mark.quick, pytest.mark.filterwarnings("ignore:The graph has no store")]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"question": "Who?"}, "nothing to read"),
        ({"question": "Who?", "document": None}, "nothing to read"),
        ({"document": "unknown", "question": "Who?"}, "no document 'unknown'"),
        ({"text": " \n", "question": "Who?"}, "empty"),
        ({"text": "x" * 400_001, "question": "Who?"}, "too long"),
        ({"text": "A lamp.", "question": " "}, "question is empty"),
        ({"text": "A lamp.", "question": "Who?", "options": ["one"]}, "2 to 26"),
        ({"text": "A lamp.", "question": "Who?", "options": ["one", " "]}, "option is empty"),
        ({"text": b"A lamp.", "question": "Who?"}, "'text' must be a string, not bytes"),
        ({"text": ["A lamp."], "question": "Who?"}, "'text' must be a string, not list"),
        ({"text": "A lamp.", "question": 3}, "'question' must be a string, not int"),
        ({"document": Path("book.txt"), "question": "Who?"}, "'document' must be a string, not PosixPath"),
        ({"text": "A lamp.", "question": "Who?", "options": "AB"}, "'options' must be a list of strings"),
        ({"text": "A lamp.", "question": "Who?", "options": {"A": "one", "B": "two"}}, "'options' must be a list"),
        ({"text": "A lamp.", "question": "Who?", "options": ["one", 2]}, "'options' must be a list of strings"),
    ],
)
async def test_bad_input_is_one_clear_line(given: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint) as refused:
        await graph.ainvoke(given, context=ReaderContext(model=""))
    assert "\n" not in str(refused.value)


async def test_going_on_without_the_context_is_refused(server: ModelServer, library: Library, story: str) -> None:
    document = await library.pages.add_document(story)
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store, interrupt_before=["look_up"])
    config: Any = {"configurable": {"thread_id": "1"}}
    await compiled.ainvoke(
        {"document": document.id, "question": "Who?"}, config, context=ReaderContext(model="openai:double")
    )
    with pytest.raises(BadInput, match="read with openai:double"):
        await compiled.ainvoke(None, config)


class Desk(TypedDict):
    text: str
    question: str
    status: str


def around(schema: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """A graph with another context than ours, in which ours is a node."""
    builder = StateGraph(Desk, context_schema=schema)
    builder.add_node("research", graph)
    builder.add_edge(START, "research")
    return builder.compile(store=InMemoryStore())


@dataclass
class OfTheDesk:
    clerk: str = "Ann"


class PydanticDesk(BaseModel):
    clerk: str = "Ann"


class PlainDesk:
    pass


@pytest.mark.parametrize("context", [OfTheDesk(), PydanticDesk(), {"clerk": "Ann"}, PlainDesk(), "Ann", {1: 2}])
def test_under_another_context_it_says_what_to_do_and_that_works(context: Any) -> None:
    asked: Any = {"text": "The lamp is red.", "question": "What is the lamp?"}
    schema = None if isinstance(context, str | dict) else type(context)
    with pytest.raises(BadInput, match=r"give it a function as node .* lambda state: graph.invoke"):
        around(schema).invoke(asked, context=context)
    builder = StateGraph(Desk, context_schema=schema)
    builder.add_node("research", lambda state: graph.invoke(state, context=ReaderContext(model="")))
    builder.add_edge(START, "research")
    assert builder.compile(store=InMemoryStore()).invoke(asked, context=context)["status"] == "nearest"


def test_under_no_context_it_warns_at_the_line_that_runs_the_graph_around() -> None:
    asked: Any = {"text": "The lamp is red.", "question": "What is the lamp?"}
    with pytest.warns(UserWarning, match="given no context") as warned:
        around(None).invoke(asked)
    assert {each.filename for each in warned if each.category is UserWarning} == {__file__}


def test_a_call_in_a_node_warns_at_its_own_line_and_not_at_an_earlier_call() -> None:
    asked: Any = {"text": "The lamp is red.", "question": "What is the lamp?"}
    graph.invoke(asked, context=ReaderContext(model=""))
    builder = StateGraph(Desk)
    builder.add_node("research", lambda state: graph.invoke(state))
    line = currentframe().f_lineno - 1  # type: ignore[union-attr]
    builder.add_edge(START, "research")
    with pytest.warns(UserWarning, match="given no context") as warned:
        builder.compile(store=InMemoryStore()).invoke(asked)
    ours = [each for each in warned if each.category is UserWarning]
    assert {(each.filename, each.lineno) for each in ours} == {(__file__, line)}


async def test_warnings_point_at_the_callers_line(tmp_path: Path) -> None:
    settings: Any = {"configurable": {"model": "openai:double"}}
    (missing := tmp_path / "no.zip").write_bytes(b"no zip")
    for run in (
        lambda: graph.ainvoke({"text": "A."}, settings),
        lambda: aask("Who?", [missing], text="A lamp.", library=tmp_path / "library"),
    ):
        with pytest.warns(UserWarning) as warned:
            await run()
        assert {each.filename for each in warned if each.category is UserWarning} == {__file__}
    with pytest.warns(UserWarning, match="configurable") as warned:
        [*graph.stream({"text": "A."}, settings), graph.invoke({"text": "A."}, settings)]
    line = currentframe().f_lineno - 1  # type: ignore[union-attr]
    assert {(each.filename, each.lineno) for each in warned} == {(__file__, line)}


def test_the_context_of_a_graph_around_is_settings_or_is_refused() -> None:
    asked: Any = {"text": "The lamp is red.", "question": "What is the lamp?"}
    with pytest.raises(BadInput, match=r"must be a ReaderContext, not OfTheDesk\. .* as node .*context=Rea"):
        around(OfTheDesk).invoke(asked, context=OfTheDesk())
    assert around(None).invoke(asked, context={"model": ""})["status"] == "nearest"
    with pytest.raises(BadInput, match="no setting 'modle': do you mean 'model'"):
        around(None).invoke(asked, context={"modle": ""})


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"max_calls": -1}, "'max_calls' can't be used: Input should be greater than or equal to 0."),
        ({"model": object()}, "'model' can't be of object: give a name, or a chat model of LangChain."),
        ({"strategy": "both"}, "'strategy' can't be used: Input should be 'parallel' or 'sequential'."),
        ({"modle": "openai:double"}, "There is no setting 'modle': do you mean 'model'?"),
        ({"colour": "red"}, "There is no setting 'colour'."),
    ],
)
def test_settings_that_can_not_be_used_are_one_clear_line(settings: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=f"{re.escape(complaint)}$") as refused:
        ReaderContext(**settings)
    assert "\n" not in str(refused.value)
    with pytest.raises(BadInput, match=re.escape(complaint)):
        graph.invoke({"text": "A lamp."}, context=settings)


async def test_other_things_in_the_place_of_a_text_a_session_a_store_a_retriever_or_a_tool() -> None:
    pages, wrong = PageStore(InMemoryStore()), cast("Any", "The lamp is out.")
    with pytest.raises(BadInput, match="must be a string, not bytes"):
        await pages.add_document(cast("Any", b"The lamp."))
    for sessions in (wrong, [wrong], [SessionText(cast("Any", None))]):
        with pytest.raises(BadInput, match="a SessionText of strings"):
            await append_sessions(pages, "log", sessions)
    with pytest.raises(BadInput, match="PageStore is not a LangGraph store"):
        await build().compile(store=cast("Any", pages)).ainvoke({"text": "A lamp."}, context=ReaderContext(model=""))
    with pytest.raises(BadInput, match="retriever for 'vector' is none: str"), searched_by(vector=wrong):
        pass
    with pytest.raises(BadInput, match="function len> is no LangChain tool"):
        build_chat(tools=[cast("Any", len)])


@pytest.mark.parametrize(
    ("method", "stop", "change", "complaint"),
    [
        (read_agent, "look_up", {"pages_read": [99]}, "There is no page 99: the pages are 0 to 0."),
        (read_agent, "look_up", {"pages_read": "0"}, "The update has 'pages_read' as '0', where list[int] belongs."),
        (read_agent, "look_up", {"pages_read": ["0"]}, "as ['0'], where list[int] belongs."),
        (read_agent, "look_up", {"pages_read": 0}, "as 0, where list[int] belongs."),
        (read_agent, "look_up", {"pages_read": Overwrite("0")}, "as '0', where list[int] belongs."),
        (read_agent, "look_up", {"continue_search": "no"}, "as 'no', where bool belongs."),
        (read_agent, "look_up", {"answer": ["A lamp"]}, "as ['A lamp'], where str | None belongs."),
        (read_agent, "look_up", {"status": "done"}, "'status' as 'done', where Literal['reading', "),
        (read_agent, "look_up", {"findings": "all"}, "'findings' as 'all', where list[Finding] belongs."),
        (read_agent, "look_up", {"choices": ["A"]}, "'choices' as ['A'], where dict[str, str] belongs."),
        (read_agent, "look_up", {"steps": "one"}, "'steps' as 'one', where list[Step] belongs."),
        (mem_walker, "descend", {"current_node": "9.9"}, "The tree has no node '9.9': its root is "),
        (mem_walker, "descend", {"current_node": None}, "'current_node' as None, where str belongs."),
        (mem_walker, "descend", {"current_node": 3}, "'current_node' as 3, where str belongs."),
        (gam, "search", {"plan": "the lamp"}, "'plan' as 'the lamp', where Plan belongs."),
        (gam, "search", {"plan": {"page": ["0"]}}, "'plan' with 'page' as ['0'], where list[int] belongs."),
        (gam, "search", {"plan": {"pages": [0]}}, "'plan' with 'pages', which Plan does not have (it has 'page')."),
        (read_agent, "look_up", {"usage": {"calls": "x"}}, "'usage' with 'calls' as 'x', where int belongs."),
        (read_agent, "look_up", {"choices": {"A": 1}}, "'choices' as {'A': 1}, where dict[str, str] belongs."),
        (read_agent, "look_up", {"quotes": [{"page": "1"}]}, "'quotes' as [{'page': '1'}], where list[Quote] belongs."),
    ],
)
def test_an_edit_that_can_not_be_gone_on_from_is_one_clear_line(
    method: Any, stop: str, change: Any, complaint: str
) -> None:
    stopping = method.build().compile(store=InMemoryStore(), checkpointer=InMemorySaver(), interrupt_before=[stop])
    config: Any = {"configurable": {"thread_id": "1"}}
    text = "The lamp is red. " * 200 + "\n\n" + "The door is blue. " * 200
    short = ReaderContext(model="", segment_words=200, min_page_words=2000, max_page_words=3000)
    stopping.invoke({"text": text, "question": "What is the lamp?"}, config, context=short)
    with pytest.raises(BadInput, match=re.escape(complaint)):
        stopping.update_state(config, change)
        stopping.invoke(None, config, context=short)


async def test_tracing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.nodes.opening.tracing_is_enabled", lambda: True)
    with pytest.warns(UserWarning, match="LangSmith tracing is on"):
        await graph.ainvoke({"text": "A lamp."}, context=ReaderContext(model=""))


def test_a_durable_checkpointer_over_a_store_in_memory_is_refused(tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "saved.sqlite")) as saver:
        compiled = build().compile(checkpointer=saver, store=InMemoryStore())
        with pytest.raises(BadInput, match="durable"):
            compiled.invoke({"text": "A lamp.", "question": "Who?"}, {"configurable": {"thread_id": "1"}})


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"text": "A lamp.", "qestion": "Who?"}, "The input has 'qestion', .* does not have (it has 'question')."),
        ({"text": "Eine Lampe.", "Frage": "Wer?"}, "The input has 'Frage', which the graph's state does not have."),
    ],
)
async def test_an_unknown_key_of_the_input_is_refused(given: Any, complaint: str) -> None:
    complaint = re.escape(complaint).replace(r"\.\*", ".*")
    with pytest.raises(BadInput, match=complaint):
        await graph.ainvoke(given, context=ReaderContext(model=""))
    with pytest.raises(BadInput, match=complaint):
        [*graph.stream(given, context=ReaderContext(model=""))]


async def test_an_unknown_key_of_an_update_is_refused() -> None:
    compiled = build().compile(checkpointer=InMemorySaver(), store=InMemoryStore(), interrupt_before=["look_up"])
    config: Any = {"configurable": {"thread_id": "1"}}
    await compiled.ainvoke({"text": "A lamp.", "question": "Who?"}, config, context=ReaderContext(model=""))
    with pytest.raises(BadInput, match=r"The update has 'pages_red'.*'pages_read'"):
        compiled.update_state(config, {"pages_red": [0]}, as_node="look_up")
    with pytest.raises(BadInput, match=r"The update has 'pages_red'.*'pages_read'"):
        await compiled.aupdate_state(config, {"pages_red": [0]}, as_node="look_up")
    with pytest.raises(BadInput, match=r"The input has 'pages_red'.*'pages_read'"):
        await compiled.ainvoke(Command(update={"pages_red": [0]}), config, context=ReaderContext(model=""))
    await compiled.aupdate_state(config, {"pages_read": [0]}, as_node="look_up")
    assert (await compiled.ainvoke(None, config, context=ReaderContext(model="")))["pages_read"] == [0]


def of_no_type(state: Any) -> Any:
    return {"pages_red": [0], "continue_search": False}


async def of_no_type_later(state: Any, runtime: Any) -> Any:
    return of_no_type(state)


def of_a_type(state: LookUpState) -> LookUpUpdate:
    return of_no_type(state)  # type: ignore[no-any-return]


@pytest.mark.parametrize("node", [of_no_type, of_a_type, RunnableLambda(of_no_type), StepNode(of_no_type_later)])
async def test_an_unknown_key_of_a_node_s_update_is_refused(node: Any) -> None:
    compiled = build(look_up=node).compile(store=InMemoryStore())
    asked: Any = {"text": "A lamp.", "question": "Who?"}
    with pytest.raises(BadInput, match=r"The node 'look_up' writes 'pages_red'.*'pages_read'"):
        await compiled.ainvoke(asked, context=ReaderContext(model=""))


class Sketched(TypedDict):
    document: str
    sketch: str


async def test_a_key_that_only_a_later_node_reads_may_be_written() -> None:
    async def sketch(state: Any, runtime: Any) -> Any:
        return {"pages_read": [0], "sketch": "A lamp in Sarn."}

    async def answer(state: Sketched, runtime: Any) -> Any:
        return {"answer": state["sketch"], "quotes": [], "status": "answered"}

    compiled = build(look_up=sketch, answer=cast(Any, answer)).compile(store=InMemoryStore())
    asked: Any = {"text": "A lamp.", "question": "Who?"}
    assert (await compiled.ainvoke(asked, context=ReaderContext(model="")))["answer"] == "A lamp in Sarn."


async def test_a_setting_under_configurable_is_told() -> None:
    asked: Any = {"text": "A lamp.", "question": "Who?"}
    served: Any = {"configurable": {"max_pages": 2, "graph_id": "read_agent", "__request_start_time_ms__": 1}}
    with pytest.warns(IgnoredSetting, match=r"'configurable' are ignored: .*ReaderContext\(max_pages=2\)"):
        await graph.ainvoke(asked, served, context=ReaderContext(model=""))
    with warnings.catch_warnings():
        warnings.simplefilter("error", IgnoredSetting)
        await graph.ainvoke(asked, served, context={"model": "", "max_pages": 2})  # type: ignore[call-overload]


async def test_a_graph_around_may_give_more_than_is_taken() -> None:
    class Desk(TypedDict):
        text: str
        question: str
        letter: str
        answer: str

    async def read(state: Desk) -> Any:
        return await threads.ainvoke(cast("Any", state), {"configurable": {"thread_id": "1"}})

    threads = build().compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    asked: Any = {"text": "A lamp stood in Sarn.", "question": "What stood in Sarn?", "letter": "Dear reader"}
    for node in (graph, read):
        desk = StateGraph(Desk, context_schema=ReaderContext)
        desk.add_node("read", cast("Any", node))
        desk.add_edge(START, "read")
        assert (await desk.compile().ainvoke(asked, context=ReaderContext(model="")))["letter"] == "Dear reader"

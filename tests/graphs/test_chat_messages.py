"""Clients that speak in chat messages: what they ask, what they get, and what streams to them."""

from typing import Any

import pytest
from langchain.chat_models import init_chat_model
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage

from readgraph.features.agents.mem_gpt import build_chat
from readgraph.graphs import read_agent
from readgraph.graphs.methods import METHODS
from readgraph.library.opening import Library
from readgraph.nodes.answering.in_view import NOT_FOUND
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import MOST_MESSAGES, add_chat
from tests.doubles.agent import say
from tests.doubles.model_server import ModelServer, ToolCall
from tests.doubles.reader import asked_for, reader

pytestmark = pytest.mark.quick

SIZES: dict[str, Any] = {"min_page_words": 40, "max_page_words": 90}
TEXT = "\n\n".join(f"At {place} a {thing} was found beneath the stair. " * 8 for place, thing in
                   [("Sarn", "goat"), ("Abbot", "lantern"), ("Quay", "plaque")])  # fmt: skip
THREAD: Any = {"configurable": {"thread_id": "1"}}


class Traced(BaseCallbackHandler):
    """What a trace shows of the calls."""

    def __init__(self) -> None:
        self.names = list[str]()

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        self.names.append(kwargs["name"])


async def test_a_conversation_over_the_only_document(library: Library) -> None:
    document = await library.pages.add_document(TEXT, title="The finds")
    graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
    context = ReaderContext(model="", **SIZES)
    asked: Any = {"messages": [{"role": "user", "content": "What was found at Abbot?"}]}
    first = await graph.ainvoke(asked, THREAD, context=context)
    assert first["document"] == document.id
    assert [message.type for message in first["messages"]] == ["human", "ai"]
    said = first["messages"][-1]
    assert said.text.startswith("No model answered this") and "lantern" in said.text
    assert said.response_metadata == {"status": "nearest", "document": document.id}
    again: Any = {"messages": "And at Quay?"}
    second = await graph.ainvoke(again, THREAD, context=context)
    assert [message.type for message in second["messages"]] == ["human", "ai", "human", "ai"]
    values = (await graph.aget_state(THREAD)).values
    assert values["question_text"].startswith("Asked before: What was found at Abbot?")
    plain = await graph.ainvoke({"question": "What of the goat?"}, THREAD, context=context)
    assert len(plain["messages"]) == 4, "who asks without messages gets none"


async def test_which_document_is_meant(library: Library) -> None:
    graph = read_agent.build().compile(store=library.store)
    asked: Any = {"messages": [HumanMessage("What stands in 'The finds'?")]}
    with pytest.raises(BadInput, match="nothing to read yet"):
        await graph.ainvoke(asked, context=ReaderContext(model=""))
    for title in ("Some lists", "More lists"):
        await library.pages.add_document(f"{title}. {TEXT}", title=title)
    with pytest.raises(BadInput, match=r"Say which document .* Some lists \(.*\)"):
        await graph.ainvoke(asked, context=ReaderContext(model=""))
    document = await library.pages.add_document(TEXT, title="The finds")
    assert (await graph.ainvoke(asked, context=ReaderContext(model="")))["document"] == document.id
    with pytest.raises(BadInput, match="must be chat messages"):
        await graph.ainvoke(asked | {"messages": 3, "document": document.id})


async def test_the_answer_streams_and_calls_are_named(server: ModelServer, library: Library) -> None:
    graph, traced = read_agent.build().compile(store=library.store), Traced()
    asked: Any = {"text": TEXT, "messages": [("user", "What was found at Abbot?")]}
    pieces, values = list[Any](), dict[str, Any]()
    async for mode, part in graph.astream(
        asked,
        {"callbacks": [traced]},
        context=ReaderContext(model="openai:double", **SIZES),
        stream_mode=["messages", "values"],
    ):
        if mode == "messages":
            pieces.append(part[0])
        else:
            values = part  # type: ignore[assignment]
    assert {*traced.names} == {"gist", "look_up", "answer"}
    said = [piece for piece in pieces if piece.type in ("ai", "AIMessageChunk")]
    assert "".join(piece.text for piece in said) == "It says so." and len(said) > 1
    assert {piece.id for piece in said} == {values["messages"][-1].id}
    assert values["messages"][-1].text == "It says so."


async def test_an_option_that_no_model_chose_is_called_an_option(library: Library) -> None:
    await library.pages.add_document(TEXT, title="The finds")
    graph = read_agent.build().compile(store=library.store)
    asked: Any = {"messages": "What was found at Abbot?", "options": ["a kettle", "a lantern"]}
    found = await graph.ainvoke(asked, context=ReaderContext(model="", **SIZES))
    assert found["messages"][-1].text == f"No model answered this. Nearest option:\n\n{found['answer']}"


async def test_an_agent_that_is_spoken_to_in_messages(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: say("Many happy returns of the day!")
    graph = build_chat().compile(checkpointer=library.checkpointer, store=library.store)
    pieces, context = list[Any](), ReaderContext(model="openai:double", window_words=4000)
    asked: Any = {"agent": "ada", "messages": [("user", "It's my birthday.")]}
    async for piece, _ in graph.astream(asked, THREAD, context=context, stream_mode="messages"):
        pieces.append(piece)
    said = [piece for piece in pieces if piece.type == "AIMessageChunk"]
    assert "".join(piece.text for piece in said) == "Many happy returns of the day!"
    values = (await graph.aget_state(THREAD)).values
    assert [message.text for message in values["messages"]] == ["It's my birthday.", "Many happy returns of the day!"]
    assert {piece.id for piece in said} == {values["messages"][-1].id} and values["said"] == [said_whole(said)]


def said_whole(pieces: list[Any]) -> str:
    return "".join(piece.text for piece in pieces)


async def test_a_deep_agent_hands_its_question_to_a_method(server: ModelServer, library: Library) -> None:
    deepagents = pytest.importorskip("deepagents", reason="needs pip install 'readgraph[deepagents]'")
    await library.pages.add_document(TEXT, title="The finds")
    handed = [ToolCall("task", {"description": "What was found at Abbot?", "subagent_type": "reader"})]
    server.respond = lambda request: (
        (handed.pop() if handed else "Done.") if "task" in str(request.tools) else reader(request)
    )
    method = read_agent.build().compile(store=library.store)
    agent = deepagents.create_deep_agent(
        model=init_chat_model("openai:double", base_url=server.url),
        subagents=[{"name": "reader", "description": "Reads the finds.", "runnable": method}],
        context_schema=ReaderContext,
    )
    asked = {"messages": [HumanMessage("Ask the reader.")]}
    output = await agent.ainvoke(asked, context=ReaderContext(model="openai:double", **SIZES))
    (told,) = (message for message in output["messages"] if message.type == "tool")
    assert told.text == "It says so."


def test_a_thread_keeps_its_newest_messages() -> None:
    kept = add_chat(["a text of an earlier version"], [("user", "One?")])
    for number in range(MOST_MESSAGES):
        kept = add_chat(kept, AIMessage(f"{number}"))
    assert [message.text for message in kept] == [str(number) for number in range(MOST_MESSAGES)]


async def streamed(method: str, store: Any, context: ReaderContext, **asked: Any) -> tuple[list[Any], dict[str, Any]]:
    """The messages that a question streams, and its output."""
    pieces, values = list[Any](), dict[str, Any]()
    asked = {"text": TEXT, "question": "What was found at Abbot?", **asked}
    events = (
        METHODS[method].build().compile(store=store).astream(asked, context=context, stream_mode=["messages", "values"])
    )
    async for mode, part in events:
        if mode == "messages":
            pieces.append(part[0])
        else:
            values = part  # type: ignore[assignment]
    return pieces, values


@pytest.mark.parametrize("method", ["read-agent", "mem-walker", "gam", "mem-gpt", "survey", "overwrite-memory"])
async def test_an_answer_streams_wherever_it_comes_from(server: ModelServer, library: Library, method: str) -> None:
    context = ReaderContext(model="openai:double", window_words=4000, segment_words=60, **SIZES)
    for times in ("new", "recorded"):
        before = server.calls
        pieces, values = await streamed(method, library.store, context)
        said = [piece for piece in pieces if piece.text]
        assert said_whole(said) == (values["answer"] or NOT_FOUND), times
        assert len({piece.id for piece in said}) == 1
    assert server.calls == before, "the last answer was recorded"
    if method != "mem-gpt":
        for question in ("What was found at Abbot?", "Was fand man am Kai?"):
            pieces, values = await streamed(method, library.store, ReaderContext(model="", **SIZES), question=question)
            (said,) = pieces
            assert said.text.endswith(values["answer"] or NOT_FOUND)
            assert said.response_metadata["status"] == values["status"]


async def test_a_conversation_gets_a_recorded_answer_once(server: ModelServer, library: Library) -> None:
    context = ReaderContext(model="openai:double", **SIZES)
    asked = {"messages": [("user", "What was found at Abbot?")], "question": None}
    for _ in range(2):
        pieces, values = await streamed("read-agent", library.store, context, **asked)
        said = [piece for piece in pieces if piece.type in ("ai", "AIMessageChunk")]
        assert said_whole(said) == values["messages"][-1].text == "It says so."


async def test_what_each_part_answers_is_not_streamed_as_the_answer(server: ModelServer, library: Library) -> None:
    number = iter(range(99))
    server.respond = lambda request: (
        {"quotes": [], "answer": f"thing {next(number)}"} if asked_for(request) == "FreeAnswer" else reader(request)
    )
    context = ReaderContext(model="openai:double", window_words=1000)
    pieces, values = await streamed("full-text", library.store, context, text="\n\n".join([TEXT] * 8))
    assert said_whole(pieces) == values["answer"] and len(values["findings"]) > 1

"""Memory of agents: long results become documents, messages that leave the window a history, and both can be found."""

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain.chat_models import init_chat_model
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from readgraph.api import list_documents, research_tool
from readgraph.doors.middleware import AgentMemory, as_summarizer
from readgraph.doors.middleware.history import split
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ChatRequest, ModelServer, ToolCall
from tests.doubles.reader import reader

pytestmark = pytest.mark.quick

FACT = "The spare key of the pump house hangs behind the barometer."
SIZES: dict[str, Any] = {
    "result_words": 60,
    "gist_words": 20,
    "window_words": 400,
    "keep_words": 150,
    "notes_words": 60,
}


@tool
def inspect_room(room: int) -> str:
    """Describe a room."""
    dull = " ".join(f"Shelf {shelf} of room {room} holds {shelf * room} jars." for shelf in range(12))
    return f"Room {room}. {dull} {FACT if room == 1 else ''} The door is shut."


def rounds(count: int, then: ToolCall) -> Any:
    """An agent that inspects rooms, then calls this tool, then repeats what it was told."""

    def respond(request: ChatRequest) -> Any:
        if not request.tools or "inspect_room" not in {each["function"]["name"] for each in request.tools}:
            return reader(request)
        made = agent.calls
        agent.calls += 1
        if made < count:
            return ToolCall("inspect_room", {"room": made + 1})
        return then if made == count else f"I was told: {request.messages[-1]['content']}"

    agent: Any = respond
    agent.calls = 0
    return respond


def agent_with(server: ModelServer, *middleware: Any, **given: Any) -> Any:
    model = init_chat_model("openai:double", base_url=server.url)
    return create_agent(model, [inspect_room], middleware=middleware, **given)


async def test_a_long_result_becomes_a_document_that_can_be_looked_into(server: ModelServer, library: Library) -> None:
    context = ReaderContext(model="openai:double")
    looking: dict[str, Any] = {"query": "spare key"}
    server.respond = rounds(1, ToolCall("look_up", looking))
    agent = agent_with(server, AgentMemory(library, context=context, **SIZES))
    seen: list[AnyMessage] = []
    async for state in agent.astream({"messages": [HumanMessage("Inspect.")]}, stream_mode="values"):
        seen = state["messages"]
        if isinstance(seen[-1], ToolMessage) and seen[-1].name == "inspect_room":
            looking["document"] = seen[-1].additional_kwargs["readgraph"]["document"]
    kept, looked_up = (message for message in seen if isinstance(message, ToolMessage))
    (document,) = await list_documents(library)
    assert document.id == looking["document"] and document.title == 'inspect_room({"room": 1})'
    assert document.id in kept.text and "<gist>" in kept.text and len(kept.text.split()) < 60
    assert kept.additional_kwargs["readgraph"]["gist"] == "gist"
    assert FACT in looked_up.text and "[start=" in looked_up.text
    assert FACT in seen[-1].text


def test_messages_that_leave_the_window_are_recalled_in_a_synchronous_run(server: ModelServer) -> None:
    server.respond = rounds(12, ToolCall("recall", {"question": "Where is the spare key of the pump house?"}))
    store = InMemoryStore()
    agent = agent_with(server, AgentMemory(store, **SIZES), checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "rooms"}, "recursion_limit": 100}
    output = agent.invoke({"messages": [HumanMessage("Inspect all rooms.")]}, config)
    assert FACT in output["messages"][-1].text
    note, asked, *others = output["messages"]
    assert "Earlier messages are remembered" in note.text and "recall" in note.text
    assert asked.text == "Inspect all rooms." and len(others) < 12
    assert {*output} == {"messages"}
    assert max(len(request.text.split()) for request in server.requests) < 600
    other = agent.invoke({"messages": [HumanMessage("Anything?")]}, {"configurable": {"thread_id": "other"}})
    assert FACT not in other["messages"][-1].text


async def test_a_killed_step_done_again_remembers_once(library: Library) -> None:
    memory = AgentMemory(library, history="Ana", **SIZES)
    said = [HumanMessage(f"Note {number}: " + "word " * 100, id=str(number)) for number in range(6)]

    async def step(state: Any) -> Any:
        return await memory.abefore_model(state, None)  # type: ignore[arg-type]

    builder = StateGraph(memory.state_schema)
    builder.add_node("remember", step)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", END)
    for _ in range(2):
        output = await builder.compile().ainvoke({"messages": [*said]})
    (history,) = await library.pages.documents()
    assert (history.title, history.sessions, output["readgraph_messages"]) == ("Ana", 1, 5)
    assert "Note 4" in await library.pages.text(history)


def test_calls_and_their_results_stay_together_and_notes_do_not_pile_up() -> None:
    call = {"name": "f", "args": {}, "id": "1", "type": "tool_call"}
    messages: list[AnyMessage] = [
        HumanMessage("notes " * 50, additional_kwargs={"readgraph": "notes"}),
        HumanMessage("Do it."),
        AIMessage("old " * 300),
        AIMessage("calling", tool_calls=[call]),
        ToolMessage("result " * 90, tool_call_id="1"),
        AIMessage("done " * 20),
    ]
    leaving, staying = split(messages, 400, 115)
    assert leaving == [messages[2]]
    assert staying == [messages[1], *messages[3:]]
    assert split(messages, 1000, 115)[0] == []


async def test_only_the_same_call_gives_another_version_of_a_result(library: Library) -> None:
    memory = AgentMemory(library, **SIZES)
    assert memory.results
    for room, day in ((1, "Monday"), (2, "Monday"), (1, "Friday")):
        said = ToolMessage(f"It is {day}. {inspect_room.invoke({'room': room})}", tool_call_id="1")
        await memory.results.shorten_result(said, {"name": "inspect_room", "args": {"room": room}, "id": "1"})
    versions = [await library.pages.other_versions(document) for document in await library.pages.documents()]
    assert sorted(map(len, versions)) == [0, 1, 1]


async def test_results_that_are_no_plain_text_or_have_no_sentences(library: Library) -> None:
    memory = AgentMemory(library, **SIZES)
    assert memory.results
    call = {"name": "f", "args": {}, "id": "1"}
    picture = ToolMessage([{"type": "text", "text": "word " * 99}, {"type": "image", "url": "x"}], tool_call_id="1")
    assert await memory.results.shorten_result(picture, call) is picture
    table = ToolMessage(" ".join(f"{number},{number}" for number in range(5000)), tool_call_id="1")
    shortened: Any = await memory.results.shorten_result(Command(update={"messages": [table]}), call)
    (message,) = shortened.update["messages"]
    assert "Its beginning follows" in message.text and "0,0 1,1" in message.text
    assert message.additional_kwargs["readgraph"]["gist"] == "beginning"
    identity = message.additional_kwargs["readgraph"]["document"]
    look_up = next(each for each in memory.tools if each.name == "look_up")
    read = await look_up.ainvoke({"document": identity, "start": 10})
    assert read.startswith("Characters 10 to ") and "Go on with start=" in read
    assert "There is no document nope" in await look_up.ainvoke({"document": "nope"})


@pytest.mark.parametrize(
    ("sizes", "problem"),
    [
        ({"result_words": 50, "gist_words": 50}, "no shorter than a result of 50"),
        ({"window_words": 300, "keep_words": 250}, "don't fit the window of 300 words"),
        ({"keep_words": 0}, "at least 1"),
    ],
)
def test_sizes_that_do_not_fit_together_are_refused(sizes: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        AgentMemory(InMemoryStore(), **{**SIZES, **sizes})


async def test_langchains_summaries_are_notes_and_nothing_is_lost(server: ModelServer, library: Library) -> None:
    server.respond = rounds(8, ToolCall("recall", {"question": "Where is the spare key of the pump house?"}))
    summarizing = SummarizationMiddleware(
        init_chat_model("openai:double", base_url=server.url),
        trigger=("tokens", 500),
        keep=("messages", 4),
        trim_tokens_to_summarize=None,
        summarizer=as_summarizer(library, "rooms", notes_words=60),
    )
    recall = research_tool(library, "rooms", ReaderContext(evidence="snippets"), name="recall")
    model = init_chat_model("openai:double", base_url=server.url)
    agent = create_agent(model, [inspect_room, recall], middleware=[summarizing])
    output = await agent.ainvoke({"messages": [HumanMessage("Inspect.")]}, {"recursion_limit": 100})
    assert FACT in output["messages"][-1].text
    assert "Earlier messages are remembered" in output["messages"][0].text
    text = await library.pages.text((await library.pages.documents())[0])
    assert text.count(FACT) == 1 and "Here is a summary" not in text


@pytest.mark.slow
async def test_the_first_fact_of_five_hundred_results_is_found(server: ModelServer, library: Library) -> None:
    server.respond = rounds(500, ToolCall("recall", {"question": "Where is the spare key of the pump house?"}))
    agent = agent_with(server, AgentMemory(library, **SIZES))
    limit: Any = {"recursion_limit": 5_000}
    output = await agent.ainvoke({"messages": [HumanMessage("Inspect all rooms.")]}, limit)
    assert FACT in output["messages"][-1].text
    assert len(output["messages"]) < 30 and max(len(request.text.split()) for request in server.requests[-50:]) < 600

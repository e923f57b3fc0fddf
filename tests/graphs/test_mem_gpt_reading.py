"""MemGPT for document analysis: the agent pages through search results, opens pages, collates, answers."""

import re
import uuid
from typing import Annotated, Any

import pytest
from langchain_core.tools import InjectedToolArg, tool
from langgraph.types import Command, interrupt

from readgraph import ReaderContext
from readgraph.api import research_tool
from readgraph.features.agents.mem_gpt import build, build_chat
from readgraph.features.agents.memory import MemGptMemory
from readgraph.library.collections import add_collection
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.state.words import count_words
from tests.doubles.agent import Script, call, say
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for
from tests.doubles.researcher import QUESTION as TRAIL_QUESTION
from tests.doubles.researcher import TRAIL, remembered_pages, researcher, trail_pages

CONTEXT = ReaderContext(model="openai:double", window_words=4000)
QUESTION = "What did the Remarks for 19 January say about a goat?"
GOAT = "Snow. Goat on gallery. Do not know how."


async def read(library: Library, given: dict[str, Any], context: ReaderContext = CONTEXT, **nodes: Any) -> Any:
    graph = build(**nodes).compile(checkpointer=library.checkpointer, store=library.store)
    config: Any = {"configurable": {"thread_id": uuid.uuid4().hex}}
    question: Any = given
    return await graph.ainvoke(question, config, context=context)


@pytest.fixture
async def lamp(library: Library, whole_story: str) -> str:
    return (await library.pages.add_document(whole_story, title="The Lamp")).id


async def test_an_answer_with_what_shows_it(library: Library, server: ModelServer, lamp: str, whole_story: str) -> None:
    server.respond = script = Script(
        call("archival_search", query="goat"),
        call("archival_search", query="goat", page=2),
        call("memory_append", block="notes", text="Page 4 has the Remarks."),
        call("document_open", document=1, page=4),
        call("answer", answer="That it was on the gallery.", quotes=f'- "{GOAT}"\nNot in the text at all.'),
    )
    found = await read(library, {"document": lamp, "question": QUESTION})
    assert (found["answer"], found["status"]) == ("That it was on the gallery.", "answered")
    (citation,) = found["citations"]
    assert whole_story[citation["start"] : citation["end"]] == citation["quote"] and citation["page"] == 4
    assert found["pages_read"][0] != found["pages_read"][-1] and 4 in found["pages_read"]
    assert found["fallbacks"] == {"quote_not_found": 1} and found["usage"]["calls"] == 5
    assert 0 < found["compression_rate"] < 100
    assert [step["node"] for step in found["steps"]] == [
        "open",
        "read",
        "begin",
        *["think", "act"] * 5,
        "answer",
        "cite",
    ]
    last = script.requests[-1].text
    assert "<block notes: 5/300 words" in last and f"<question>\n{QUESTION}\n</question>" in last
    assert all(count_words(request.text) <= 4000 for request in script.requests)
    calls = len(server.requests)
    again = await read(library, {"document": lamp, "question": QUESTION})
    assert len(server.requests) == calls and again["answer"] == found["answer"], "the same question costs nothing"


async def test_a_multiple_choice(library: Library, server: ModelServer, lamp: str) -> None:
    server.respond = Script(
        call("answer", answer="x", option="Z"), call("answer", answer="x", option="(b)", quotes="Goat on gallery")
    )
    given = {"document": lamp, "question": QUESTION, "options": ["Nothing.", "It was on the gallery."]}
    found = await read(library, given)
    assert (found["answer"], found["choice"]) == ("It was on the gallery.", "B")
    assert found["citations"] and found["usage"]["calls"] == 2


async def test_several_documents(library: Library, server: ModelServer, lamp: str) -> None:
    other = await library.pages.add_document("The goat came down on Sunday. " * 20, title="Log")
    server.respond = Script(
        call("document_list"),
        call("archival_search", query="goat"),
        call("answer", answer="Up, then down.", quotes="Goat on gallery\nThe goat came down on Sunday."),
    )
    found = await read(library, {"document": lamp, "more_documents": [other.id], "question": QUESTION})
    one, two = found["citations"]
    assert "document" not in one and two["document"] == other.id
    assert "document 2: Log, pages 0 to 0" in server.requests[1].text


LOG = [SessionText("The goat came down on Sunday.")]


async def test_a_further_history_is_filed_with_what_was_appended_to_it(
    library: Library, server: ModelServer, lamp: str
) -> None:
    log = (await append_sessions(library.pages, "Log", LOG)).document
    for added, quote in (
        ((), "The goat came down on Sunday."),
        (["Am Montag fiel die Ziege."], "Am Montag fiel die Ziege."),
    ):
        await append_sessions(library.pages, "Log", [*LOG, *map(SessionText, added)])
        server.respond = Script(call("answer", answer="It fell.", quotes=quote))
        found = await read(library, {"document": lamp, "more_documents": [log.id], "question": f"{QUESTION} {added}"})
        assert [cited["quote"] for cited in found["citations"]] == [quote]


async def test_of_a_collection_the_agent_sees_which_document_each_page_is_of(
    library: Library, server: ModelServer, lamp: str
) -> None:
    other = await library.pages.add_document("The goat came down on Sunday. " * 20, title="Log")
    both = await add_collection(library.pages, [await library.pages.document(lamp), other])
    server.respond = script = Script(
        call("archival_search", query="goat sunday"),
        call("document_open", document=1, page=26),
        call("answer", answer="Down.", quotes="The goat came down on Sunday."),
    )
    found = await read(library, {"document": both.id, "question": QUESTION})
    asked, searched, opened = (request.text for request in script.requests)
    assert "'The Lamp' is pages 0 to 25; 'Log' is page 26." in asked
    assert "document 1, page 26 (Log)" in searched and "document 1, page 26 (Log)\nThe goat came" in opened
    assert found["citations"][0]["place"] == "Log"


async def test_many_documents_are_counted_not_named(library: Library, server: ModelServer) -> None:
    added = [await library.pages.add_document(f"Lamp {n} burns.", title=f"Lamp {n}") for n in range(12)]
    many = await add_collection(library.pages, added, title="Lamps")
    server.respond = script = Script(call("answer", answer=""))
    await read(library, {"document": many.id, "question": QUESTION})
    assert "'Lamps': 36 words on pages 0 to 11; 12 documents." in script.requests[0].text


async def test_the_text_does_not_say(library: Library, server: ModelServer, lamp: str) -> None:
    server.respond = Script(call("archival_search", query="submarine"), call("answer", answer=""))
    found = await read(library, {"document": lamp, "question": "Who sank the submarine?"})
    assert (found["answer"], found["status"], found["citations"]) == (None, "no_answer", [])


@pytest.mark.parametrize(
    ("settings", "status"), [({"max_calls": 2}, "budget"), ({"max_chain": 2}, "nearest"), ({"model": ""}, "nearest")]
)
async def test_what_is_nearest_where_the_agent_gave_no_answer(
    library: Library, server: ModelServer, lamp: str, settings: dict[str, Any], status: str
) -> None:
    server.respond = Script(*(call("archival_search", query="goat gallery remarks") for _ in range(9)))
    context = ReaderContext(**{"model": "openai:double", "window_words": 4000, **settings})
    found = await read(library, {"document": lamp, "question": QUESTION}, context)
    assert found["status"] == status and GOAT in found["answer"]
    assert found["pages_read"] and found["citations"]
    assert found["fallbacks"] == ({} if "model" in settings else {"answer": 1})
    looked_up = [step["node"] for step in found["steps"]].count("look_up")
    assert looked_up == (settings == {"model": ""}), "pages are looked up where the agent has read none"


async def test_with_no_question_the_pages_are_filed(library: Library, server: ModelServer, lamp: str) -> None:
    found = await read(library, {"document": lamp})
    memory = await library.pages.memory(lamp, found["memory"])
    assert memory.complete and memory.pages > 20 and not server.requests


async def test_a_search_of_ones_own(library: Library, server: ModelServer, lamp: str) -> None:
    @tool
    async def archival_search(query: str, memory: Annotated[MemGptMemory, InjectedToolArg]) -> str:
        """Research the documents."""
        memory.pages_read.append(4)
        return f"Researched: {query}, of {len(memory.life['documents'])} documents."

    server.respond = script = Script(call("archival_search", query="goat"), call("answer", answer="Yes."))
    found = await read(library, {"document": lamp, "question": QUESTION}, archival_search=archival_search)
    assert (found["answer"], found["pages_read"]) == ("Yes.", [4])
    assert "result: Researched: goat, of 1 documents." in script.requests[1].text
    assert len(re.findall(r"^- archival_search\(", script.requests[0].text, re.MULTILINE)) == 1


async def test_research_is_the_search_of_archival_storage(library: Library, server: ModelServer) -> None:
    """GAM's rounds of research behind MemGPT's function: the agent asks once, and gets the whole trail."""
    research = ReaderContext(model="openai:double", rounds=5, pages_per_tool=3)
    memory = await remembered_pages(library.store, trail_pages(), research)
    script = Script(
        call("archival_search", question=TRAIL_QUESTION),
        lambda request: call("answer", answer="At elm.", quotes="At dogwood a note said: go on to elm."),
    )
    server.respond = lambda request: script(request) if asked_for(request) == "NextStep" else researcher(request)
    search = research_tool(library, memory.document, research, name="archival_search")
    found = await read(library, {"document": memory.document, "question": TRAIL_QUESTION}, archival_search=search)
    assert (found["answer"], found["status"]) == ("At elm.", "answered")
    one, two = script.requests
    assert "archival_search(question: " in one.text and "archival_search(query" not in one.text
    assert all(f"At {begin} a note said: go on to {end}." in two.text for begin, end in TRAIL.values())
    (citation,) = found["citations"]
    assert citation["quote"] == "At dogwood a note said: go on to elm."
    assert found["usage"]["calls"] == server.calls > 2, "what the research asked is counted"


async def test_a_function_that_acts_on_the_world_is_not_run_again(library: Library, server: ModelServer) -> None:
    rung: list[str] = []

    @tool
    def ring(bell: str) -> str:
        """Ring a bell."""
        rung.append(bell)
        return f"{bell} rang"

    server.respond = Script(call("ring", bell="Great Tom"), say("It rang."))
    graph = build_chat(tools=[ring]).compile(checkpointer=library.checkpointer, store=library.store)
    config: Any = {"configurable": {"thread_id": "x"}}
    given: Any = {"agent": "x", "event": {"kind": "user", "text": "Ring it."}}
    await graph.ainvoke(given, config, context=CONTEXT)
    history = [state async for state in graph.aget_state_history(config)]
    before = next(state for state in history if state.next == ("act",) and state.values["calls"] == 1)
    found = await graph.ainvoke(None, before.config, context=CONTEXT)
    assert rung == ["Great Tom"] and found["said"] == ["It rang."]


async def test_a_function_may_ask_a_person(library: Library, server: ModelServer) -> None:
    @tool
    def ring(bell: str) -> str:
        """Ring a bell."""
        return f"{bell}: {interrupt(f'May I ring {bell}?')}"

    server.respond = script = Script(call("ring", bell="Great Tom"), say("It rang."))
    graph = build_chat(tools=[ring]).compile(checkpointer=library.checkpointer, store=library.store)
    config: Any = {"configurable": {"thread_id": "x"}}
    given: Any = {"agent": "x", "event": {"kind": "user", "text": "Ring it."}}
    found = await graph.ainvoke(given, config, context=CONTEXT)
    assert [asked.value for asked in found["__interrupt__"]] == ["May I ring Great Tom?"]
    found = await graph.ainvoke(Command(resume="yes, once"), config, context=CONTEXT)
    assert found["said"] == ["It rang."] and "result: Great Tom: yes, once" in script.requests[1].text

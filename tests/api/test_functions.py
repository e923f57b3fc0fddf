"""The functions over a library: what they return, and that they use it wherever they are called."""

import json
from dataclasses import replace

import pytest
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import Durability

from readgraph.api import as_retriever, compress, research_tool, summarise, table
from readgraph.api.functions import ask, list_documents, open_page, read, remember, research, search
from readgraph.api.running import RunThread
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ModelServer
from tests.doubles.surveyor import Surveyor, column

ON_SERVER_TOO = True

pytestmark = pytest.mark.quick

SESSIONS = [
    SessionText("Ana: The key is under the blue pot.\nBo: I will water the beans.", "Monday"),
    SessionText("Ana: The hose leaks again.\nBo: Take the tape from the shed.", "Tuesday"),
]
MODEL = ReaderContext(model="openai:double")


async def test_a_document_is_read_asked_searched_and_opened(library: Library, story: str) -> None:
    stored = await library.pages.add_document(story, title="the story")
    (listed,) = await list_documents(library)
    assert (listed.id, listed.title, listed.methods) == (stored.id, "the story", [])
    seen: list[str] = []
    reading = await read(library, "the story", listen=lambda mode, event: seen.append(mode))
    assert (reading.method, reading.complete, reading.notes) == ("read-agent", True, reading.pages)
    assert "custom" in seen
    assert (await list_documents(library))[0].methods == ["read-agent"]
    answer = await ask(library, "Who took the log book from the lamp room?")
    assert (answer.document, answer.status, answer.model) == (stored.id, "nearest", None)
    cited = answer.citations[0]
    assert story[cited.start : cited.end] == cited.quote
    page = await open_page(library, answer.document, cited.page, memory=answer.memory)
    assert cited.quote in page.text and (page.note, page.method) != (None, "")
    best, *others = await search(library, "log book", documents=["the story"], most=3)
    assert len(others) == 2 and "log" in best.text.casefold() and best.page is not None
    assert json.loads(answer.model_dump_json())["citations"][0]["quote"] == cited.quote
    with pytest.raises(BadInput, match=f"has no part {page.pages}"):
        await open_page(library, stored.id, page.pages)
    with pytest.raises(BadInput, match="Do you mean 'the story'"):
        await ask(library, "Who?", documents=["the storry"])


async def test_a_history_is_remembered_and_researched(server: ModelServer, library: Library) -> None:
    first = await remember(library, "Allotment", SESSIONS[:1])
    grown = await remember(library, "Allotment", SESSIONS)
    assert (first.sessions, grown.sessions, grown.added, grown.known, grown.pages) == (1, 2, 1, 1, 2)
    found = await research(library, "Where is the key?", document="Allotment")
    assert "under the blue pot" in found.context and 0 in found.sources and found.status == "researched"
    assert found.not_memorised == {"sessions": 0, "words": 0}
    await append_sessions(library.pages, "Allotment", [SessionText("Ana: The gate sticks.", "Wednesday")])
    with pytest.warns(UserWarning, match=r"'Allotment': 1 session \(4 words\) is not memorised"):
        asked = await research_tool(library, "Allotment").ainvoke({"question": "Where is the key?"})
    assert asked["not_memorised"] == {"sessions": 1, "words": 4}
    assert server.calls == 0
    with pytest.raises(BadInput, match="no memory of the method 'gam'"):
        await research(library, "Where is the key?", document=(await library.pages.add_document("A text.")).id)


async def test_one_document_needs_no_list(library: Library) -> None:
    for title, text in (("De", "Die Ziege fraß das Logbuch."), ("En", "The goat rang the bell. Die Ziege schlief.")):
        await library.pages.add_document(text, title=title)
    for given in ("De", (await ask(library, "Wer fraß das Logbuch?", documents=["De"])).document):
        assert (await ask(library, "Was fraß die Ziege?", documents=given)).title == "De"
        assert (await summarise(library, documents=given, words=20)).title == "De"
        assert {hit.title for hit in await search(library, "Ziege", documents=given)} == {"De"}
        assert {each.metadata["title"] for each in await as_retriever(library, documents=given).ainvoke("Ziege")} == {
            "De"
        }
    with pytest.raises(BadInput, match="No document is named"):
        await summarise(library, documents=[])
    with pytest.raises(BadInput, match="must be a ReaderContext, not dict"):
        await ask(library, "Wer?", documents=["De"], context={"model": ""})  # type: ignore[arg-type]


async def test_a_pause_that_cannot_be_made_or_ended_is_refused(library: Library) -> None:
    await library.pages.add_document("The goat ate the log book.", title="En")
    for saver, step, said in (
        (library.checkpointer, "lookup", "read-agent has no step 'lookup' to pause before"),
        (None, "look_up", "only in a thread that is kept"),
    ):
        with pytest.raises(BadInput, match=said):
            await ask(library, "Who ate it?", documents="En", thread=RunThread(saver=saver, pause_before=[step]))


async def test_a_text_is_compressed(library: Library, story: str) -> None:
    small = await compress(library, 200, text=story, engine="extractive")
    assert small.tokens <= 200 < small.original_tokens and small.status == "compressed"
    with pytest.raises(BadInput, match="either a text or"):
        await compress(library, 200)


async def test_a_document_is_summarised(library: Library, story: str) -> None:
    await library.pages.add_document(story, title="the story")
    short = await summarise(library, documents=["the story"], words=60, about="the oil")
    assert short.summary and len(short.summary.split()) <= 60 and (short.status, short.by_rule) == ("extracted", True)
    cited = short.citations[0]
    assert story[cited.start : cited.end] == cited.quote and short.sentences[0]["supported"] is True
    with pytest.raises(BadInput, match="has no place 'Part nine'"):
        await summarise(library, documents=["the story"], part="Part nine")


async def test_a_table_has_all_rows_with_their_documents(library: Library, server: ModelServer) -> None:
    server.respond = Surveyor(r"the (\w+) is", {"columns": [column("thing")], "result": "count"})
    for title, text in (("shed", "There the tape is, and the hose is."), ("house", "Where the pot is, nobody knew.")):
        await library.pages.add_document(text, title=title)
    made = await table(library, "every thing", documents=["shed", "house"], context=MODEL)
    assert (made.columns, made.kinds, made.by_rule) == (["thing"], ["text"], False)
    assert [row.values for row in made.rows] == [["tape"], ["hose"], ["pot"]] and made.percent_read == 100
    assert made.unread == []
    assert [row.citations[0].quote for row in made.rows] == ["the tape is", "the hose is", "the pot is"]


async def test_a_survey_says_which_parts_could_not_be_read(library: Library, server: ModelServer) -> None:
    model = Surveyor(r"the (\w+) is", {"columns": [column("thing")], "result": "count"})
    server.respond = model
    model.fault = lambda request: "No." if model.asked[-1] == "SurveyRecords" and "nobody" in request.text else None
    await library.pages.add_document(
        "There the tape is, and the hose is.\n\nWhere the pot is, nobody knew.", title="shed"
    )
    parts = replace(MODEL, survey_words=10)
    made = await table(library, "every thing", documents=["shed"], context=parts)
    assert (made.unread, [row.values for row in made.rows]) == ([1], [["tape"], ["hose"]])
    said = await ask(library, "How many things are there?", documents=["shed"], method="survey", context=parts)
    assert (said.unread, said.answer) == ([1], "at least 2; 1 of 2 parts could not be read")


async def test_a_function_in_another_graphs_node_uses_its_library(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: {"answer": "In the shed.", "quotes": []}
    stored = await library.pages.add_document("The tape is in the shed. " * 30, title="tape")

    async def look(state: MessagesState, runtime: Runtime[None]) -> MessagesState:
        assert runtime.store is not library.store
        found = await ask(library, "Where is the tape?", documents=["tape"], method="full-text", context=MODEL)
        return {"messages": [("ai", found.answer or "")]}  # type: ignore[list-item]

    builder = StateGraph(MessagesState)
    builder.add_node("look", look)
    builder.add_edge(START, "look")
    builder.add_edge("look", END)
    output = await builder.compile(store=InMemoryStore()).ainvoke({"messages": []})
    assert output["messages"][-1].content == "In the shed."
    assert [memory.complete for memory in await library.pages.memories(stored.id)] == [True]


@pytest.mark.parametrize(("durability", "many"), [("async", True), ("exit", False)])
async def test_the_caller_says_how_many_checkpoints_a_question_keeps(
    library: Library, durability: Durability, many: bool
) -> None:
    await library.pages.add_document("The tape is in the shed. " * 30, title="tape")
    thread = RunThread(saver=library.checkpointer, id="desk", durability=durability)
    await ask(library, "Where is the tape?", documents=["tape"], thread=thread)
    kept = [one async for one in library.checkpointer.alist({"configurable": {"thread_id": "desk"}})]
    assert (len(kept) > 1) == many
    again = await ask(library, "And where is it?", documents=["tape"], thread=replace(thread, follow_up=True))
    assert again.answer

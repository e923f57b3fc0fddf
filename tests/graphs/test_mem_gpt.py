"""An agent that lives on, with a scripted model: the scenes of the paper's figures, and what can go wrong."""

import re
from datetime import date, timedelta

import pytest

from readgraph import ReaderContext
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.state.errors import BadInput
from tests.doubles.agent import Living, Script, Step, call, queue, say
from tests.doubles.model_server import ChatRequest, ModelServer

WINDOW = 4000


@pytest.fixture
def ada(library: Library, server: ModelServer) -> Living:
    return Living(library)


async def test_a_fact_is_saved_unasked(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(
        call("memory_append", block="human", text="Has a birthday on 3 May; mother bakes plum cake."),
        say("Many happy returns! Plum cake, how good."),
    )
    found = await ada.turn("I had the day off: it's my birthday, 3 May, and my mother baked plum cake.")
    assert found["said"] == ["Many happy returns! Plum cake, how good."]
    assert (found["status"], found["usage"]["calls"]) == ("answered", 2)
    assert await ada.block("human") == "Has a birthday on 3 May; mother bakes plum cake."
    seen = script.requests[1].text
    assert "<block human: 10/300 words" in seen and "result: Done: the block holds 10/300 words." in seen
    assert "send_message(" in script.requests[0].messages[0]["content"]


async def test_a_warning_comes_once_and_leads_to_a_save(ada: Living, server: ModelServer) -> None:
    def after_warning(request: ChatRequest) -> Step:
        return call("memory_append", request_heartbeat=True, block="human", text="Races sailing boats.")

    warned: list[int] = []

    def agent(request: ChatRequest) -> Step:
        if "nearly full" in queue(request) and not warned:
            warned.append(len(server.requests))
            return after_warning(request)
        return say("Tell me more.")

    server.respond = agent
    while not warned:
        await ada.turn("I race sailing boats. " + "The wind and the speed are all I want. " * 20)
    events = await ada.events()
    assert [event.kind for event in events].count("system") == 1
    assert await ada.block("human") == "Races sailing boats."
    await ada.turn("And so on.")
    assert [event.kind for event in await ada.events()].count("system") == 1
    assert (await ada.life())["queue_from"] == 0


async def test_a_correction(ada: Living, server: ModelServer) -> None:
    server.respond = Script(
        call("memory_append", block="human", text="Watches horror films."),
        say("Which ones?"),
        call("memory_replace", block="human", old="horror films", new="romantic comedies"),
        say("I mixed that up, sorry."),
    )
    await ada.turn("I go to the pictures every week.")
    await ada.turn("No horror for me: romantic comedies!")
    assert await ada.block("human") == "Watches romantic comedies."


async def test_what_left_the_queue_is_found_in_recall(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script()
    for number in range(12):
        await ada.turn(f"Song {number} of the old album is about a lighthouse in fog.")
    await ada.turn("I could get into Nina Simone.")
    for _ in range(8):
        await ada.turn("Then there is this. " + "Something else altogether happened today. " * 60)
    assert (await ada.life())["queue_from"] > 13
    script.steps = [
        call("recall_search", words="Simone"),
        call("recall_search", words="album lighthouse"),
        call("recall_search", words="album lighthouse", page=3),
        say("Nina Simone!"),
    ]
    await ada.turn("Which singer did I say I could get into?")
    one, many, last = (await ada.results())[-4:-1]
    assert one.startswith("showing 1 of 1 (page 1 of 1)") and "I could get into Nina Simone." in one
    assert many.startswith("showing 5 of 12 (page 1 of 3)") and many.count("Song") == 5
    assert last.startswith("showing 2 of 12 (page 3 of 3)") and last.count("Song") == 2
    assert "Nina Simone" not in queue(script.requests[-4])


async def test_recall_by_date(ada: Living, server: ModelServer) -> None:
    today = date.today()
    server.respond = Script(
        say("Hello."),
        call("recall_search_date", first_day=today - timedelta(1), last_day=today + timedelta(1)),
        call("recall_search_date", first_day="2001-01-01", last_day="2001-12-31"),
        call("recall_search_date", first_day=today, last_day="2001-12-31"),
        call("recall_search_date", first_day="tomorrow", last_day="2001-12-31"),
        call("recall_search_date", first_day=f"{today} 00:00", last_day=f"{today} 23:59"),
        call("recall_search_date", first_day=today - timedelta(1), last_day=f"{today - timedelta(1)} 23:59"),
        say("Done."),
    )
    await ada.turn("The goat is on the gallery.")
    await ada.turn("What did I say today?")
    here, nothing, turned, bad, timed, earlier = (await ada.results())[1:-1]
    assert here.startswith("showing 2 of 2 (page 1 of 1)") and "goat" in here and ", you: Hello." in here
    assert nothing == "showing 0 of 0 (page 1 of 1)"
    assert "exchange them" in turned and "first_day" in bad
    assert timed == here and earlier == nothing


async def test_archival_storage(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(
        *(call("archival_insert", text=f"Lamp {number} burns rape oil.") for number in range(7)),
        call("archival_search", query="rape oil", page=2),
        call("archival_search", query="rape oil", page=3),
        call("archival_delete", passages="2, 5, 2"),
        call("archival_delete", passages="5, 1"),
        call("archival_delete", passages="none"),
        call("archival_search", query="oil"),
        say("Done."),
    )
    await ada.turn("Note the lamps.")
    second, third, deleted, again, none, left = (await ada.results())[7:-1]
    assert second.startswith("showing 2 of 7 (page 2 of 2)") and "passage 5: Lamp 5" in second
    assert third == "There is no page 3 of these results: their pages are 1 to 2."
    assert deleted == "Deleted 2 of your passages; 5 are left."
    assert "no passage 5" in again and "Nothing was deleted" in again and "No passage is named" in none
    assert left.startswith("showing 5 of 5") and "Lamp 2" not in left
    assert "5 passages of your own" in script.requests[-1].text


async def test_the_end_of_a_chain(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(*(call("document_list", request_heartbeat=True) for _ in range(100)))
    found = await ada.turn("Hello?")
    assert len(script.requests) == ada.context.max_chain == 30
    assert (found["said"], found["status"]) == ([], "no_answer")
    assert "This is the last one" in script.requests[-1].text
    last = (await ada.events())[-1]
    assert last.kind == "system" and "30 functions" in last.text
    script.steps = []
    assert (await ada.turn("Hello?"))["said"] == ["Done."]


async def test_when_a_turn_goes_on(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(call("document_list"))
    found = await ada.turn("What is open?", kind="timer")
    assert len(script.requests) == 1 and found["status"] == "no_answer", "a timer's turn yields when the agent does"
    script.steps = [
        say("One."),
        say("Two.", request_heartbeat=True),
        say("Three.", request_heartbeat=True),
        call("document_list"),
    ]
    assert (await ada.turn("Hello."))["said"] == ["One."]
    assert (await ada.turn("Hello."))["said"] == ["Two.", "Three."]


async def test_messages_of_every_kind_are_events(ada: Living, server: ModelServer, whole_story: str) -> None:
    server.respond = script = Script(say("Hello."), call("document_list"), call("document_list"), say("I saw it."))
    document = await ada.library.pages.add_document(whole_story, title="The Lamp at Sarn Head")
    await ada.turn("A user logged in.", kind="system")
    await ada.turn("Look after the lamp.", kind="timer")
    await ada.turn(kind="upload", document=document.id)
    await ada.turn("Did you see it?")
    kinds = [event.kind for event in await ada.events()]
    assert kinds == ["system", "call", "timer", "call", "upload", "call", "user", "call"]
    assert (await ada.results())[2].startswith("showing 1 of 1 (page 1 of 1)\ndocument 1: The Lamp at Sarn Head, pages")
    assert "Uploaded: document 1, 'The Lamp at Sarn Head': 13,695 words on pages 0 to " in queue(script.requests[2])


async def test_of_a_history_that_has_grown_the_agent_is_told_what_it_cannot_reach(
    ada: Living, server: ModelServer
) -> None:
    log = (await append_sessions(ada.library.pages, "Log", [SessionText("The goat came down.")])).document
    server.respond = script = Script(say("Good."))
    await ada.turn(kind="upload", document=log.id)
    await append_sessions(ada.library.pages, "Log", [SessionText("The goat fell.")])
    await ada.turn(kind="upload", document=log.id)
    first, again = (queue(request) for request in script.requests)
    assert "not memorised" not in first and "on page 0; 1 session (3 words) is not memorised." in again


async def test_a_document_is_searched_and_opened(ada: Living, server: ModelServer, whole_story: str) -> None:
    document = await ada.library.pages.add_document(whole_story, title="The Lamp")
    server.respond = script = Script(call("document_list"))
    await ada.turn(kind="upload", document=document.id)
    script.steps = [
        call("archival_insert", text="The keeper of Sarn kept a goat."),
        call("archival_search", query="goat gallery"),
        call("document_open", document=1, page=4),
        call("document_open", document=1, page=4, part=2),
        call("document_open", document=1, page=4, part=9),
        call("document_open", document=1, page=400),
        call("archival_delete", passages=3),
        say("Done."),
    ]
    await ada.turn("Where is the goat?")
    found, opened, rest, part, missing, deleted = (await ada.results())[2:-1]
    assert re.match(r"showing 5 of \d+ \(page 1 of \d+\)\n", found)
    assert "The keeper of Sarn kept a goat." in found and "document 1, page 4 (The Lamp)" in found
    assert "Goat on gallery" in rest and opened.startswith("document 1, page 4 (The Lamp)")
    assert "give one of 1 to" in part and "has no page 400: its pages are 0 to 25" in missing
    assert "no passage 3 of your own" in deleted


async def test_a_budget_holds_for_each_turn(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(*(call("document_list", request_heartbeat=True) for _ in range(9)))
    ada.context = ReaderContext(model="openai:double", window_words=WINDOW, max_calls=3)
    found = await ada.turn("Hello?")
    assert (found["status"], found["usage"]["calls"], found["said"]) == ("budget", 3, [])
    assert "budget" in (await ada.events())[-1].text
    script.steps = []
    found = await ada.turn("Hello?")
    assert (found["status"], found["usage"]["calls"]) == ("answered", 1)


async def test_two_agents_side_by_side(library: Library, server: ModelServer) -> None:
    ada, ben = Living(library, "ada"), Living(library, "ben")
    server.respond = Script(
        call("memory_append", block="human", text="Keeps goats."),
        call("archival_insert", text="Goats eat lamps."),
        say("I see."),
        call("archival_search", query="goats lamps"),
        call("recall_search", words="goats"),
        say("No."),
    )
    await ada.turn("I keep goats.")
    await ben.turn("Do I keep goats?")
    assert (await ada.block("human"), await ben.block("human")) == ("Keeps goats.", "")
    assert (await ben.results())[:2] == ["showing 0 of 0 (page 1 of 1)"] * 2
    with pytest.raises(BadInput, match="the life of another agent"):
        event = {"kind": "user", "text": "Hello."}
        await ada.graph.ainvoke({"agent": "ben", "event": event}, ada.config, context=ada.context)


async def test_without_a_model_or_an_event(library: Library) -> None:
    ada = Living(library, context=ReaderContext(model=""))
    with pytest.raises(BadInput, match="An agent needs a model: write PROVIDER:NAME"):
        await ada.turn("Hello.")
    with pytest.raises(BadInput, match="The event is empty"):
        await ada.turn(" \n")
    with pytest.raises(BadInput, match="Nothing arrived"):
        await ada.graph.ainvoke({"agent": "ada"}, ada.config, context=ada.context)


@pytest.mark.parametrize(
    "event", ["Hello.", {"text": "Hello."}, {"kind": "martian", "text": "x"}, {"kind": "user", "text": 5}]
)
async def test_what_is_no_event(ada: Living, event: object) -> None:
    with pytest.raises(BadInput, match="Its kind is one of user, system, timer, upload"):
        await ada.graph.ainvoke({"agent": "ada", "event": event}, ada.config, context=ada.context)

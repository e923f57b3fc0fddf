"""An agent that lives on, with a scripted model: the scenes of the paper's figures, and what can go wrong."""

import re
from datetime import date, timedelta

import pytest
from langchain_core.tools import tool

from readgraph import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.library import Library
from readgraph.state.words import count_words
from tests.agent import Living, Script, Step, call, say, sums_up
from tests.model_server import ChatRequest, Fault, ModelServer

WINDOW = 4000


@pytest.fixture
def ada(library: Library, server: ModelServer) -> Living:
    return Living(library)


def queue(request: ChatRequest) -> str:
    return request.text.split("<events>\n", 1)[1].split("\n</events>", 1)[0]


async def test_a_fact_is_saved_unasked(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(
        call("memory_append", block="human", text="Has a birthday on 3 May; mother bakes plum cake."),
        say("Many happy returns! Plum cake, how good."),
    )
    found = await ada.turn("I had the day off: it's my birthday, 3 May, and my mother baked plum cake.")
    assert found["messages"] == ["Many happy returns! Plum cake, how good."]
    assert (found["status"], found["usage"]["calls"]) == ("answered", 2)
    assert await ada.block("human") == "Has a birthday on 3 May; mother bakes plum cake."
    seen = script.requests[1].text
    assert "<block human: 10/300 words" in seen and "result: Done: the block holds 10/300 words." in seen
    assert "send_message(" in script.requests[0].messages[0]["content"]


async def test_a_warning_comes_once_and_leads_to_a_save(ada: Living, server: ModelServer) -> None:
    def after_warning(request: ChatRequest) -> Step:
        return call("memory_append", run_on=True, block="human", text="Races sailing boats.")

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
        say("Done."),
    )
    await ada.turn("The goat is on the gallery.")
    await ada.turn("What did I say today?")
    here, nothing, turned, bad = (await ada.results())[1:-1]
    assert here.startswith("showing 2 of 2 (page 1 of 1)") and "goat" in here and ", you: Hello." in here
    assert nothing == "showing 0 of 0 (page 1 of 1)"
    assert "exchange them" in turned and "first_day" in bad


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


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (call("fly"), r"There is no function 'fly': call one of send_message, memory_append.*"),
        (call("memory_append", block="human"), r"memory_append takes block, text\. text: Field required\."),
        (call("memory_append", blok="human", text="x"), r"memory_append takes block, text; .* no argument 'blok'\."),
        (call("recall_search", words="x", page="two"), r"recall_search takes words, page\. page: .*integer.*"),
        (call("recall_search", words="x", page=0), r"There is no page 0 of these results.*"),
        (call("memory_replace", block="human", old="", new="x"), r"The old text is empty: .*"),
        (call("memory_replace", block="human", old="cats", new="x"), r"Block 'human' does not hold exactly that.*"),
        (call("memory_append", block="pets", text="x"), r"There is no block 'pets': choose one of persona, human\."),
        (call("memory_rewrite", block="human", text=" "), r"A rewrite with no text would empty the block.*"),
        (
            call("memory_append", block="human", text="x " * 301),
            r"Block 'human' would hold 301 words, .* 300: shorten.*",
        ),
        (call("send_message", message=" "), r"The message is empty.*"),
        (call("send_message", message="x " * 501), r"The message has more than 500 words.*"),
        (call("archival_insert", text="x " * 600), r"The passage has more than 480 words: insert it in several.*"),
        (call("document_open", document=1, page=0), r"There is no document 1: there are 0; .*"),
    ],
)
async def test_an_error_goes_back_to_the_model_and_the_turn_goes_on(
    ada: Living, server: ModelServer, step: Step, error: str
) -> None:
    server.respond = script = Script(step, say("I see."))
    found = await ada.turn("Hello.")
    assert found["messages"] == ["I see."] and len(script.requests) == 2
    assert re.fullmatch(error, (await ada.results())[0])
    assert "error: " in queue(script.requests[1])
    assert await ada.block("human") == ""


async def test_a_functions_own_failure_goes_back_too(library: Library, server: ModelServer) -> None:
    @tool
    def weather(town: str) -> str:
        """The weather in a town."""
        raise ConnectionError(f"no station in {town}")

    server.respond = script = Script(call("weather", town="Sarn"), say("I can't tell."))
    ada = Living(library, tools=[weather])
    assert (await ada.turn("How is the weather?"))["messages"] == ["I can't tell."]
    assert (await ada.results())[0] == "weather failed: ConnectionError: no station in Sarn"
    assert "- weather(town: text): The weather in a town." in script.requests[0].text


async def test_the_end_of_a_chain(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(*(call("document_list", run_on=True) for _ in range(100)))
    found = await ada.turn("Hello?")
    assert len(script.requests) == ada.context.max_chain == 30
    assert (found["messages"], found["status"]) == ([], "no_answer")
    assert "This is the last one" in script.requests[-1].text
    last = (await ada.events())[-1]
    assert last.kind == "system" and "30 functions" in last.text
    script.steps = []
    assert (await ada.turn("Hello?"))["messages"] == ["Done."]


async def test_when_a_turn_goes_on(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(call("document_list"))
    found = await ada.turn("What is open?", kind="timer")
    assert len(script.requests) == 1 and found["status"] == "no_answer", "a timer's turn yields when the agent does"
    script.steps = [say("One."), say("Two.", run_on=True), say("Three.", run_on=True), call("document_list")]
    assert (await ada.turn("Hello."))["messages"] == ["One."]
    assert (await ada.turn("Hello."))["messages"] == ["Two.", "Three."]


async def test_messages_of_every_kind_are_events(ada: Living, server: ModelServer, story: str) -> None:
    server.respond = script = Script(say("Hello."), call("document_list"), call("document_list"), say("I saw it."))
    document = await ada.library.pages.add_document(story, title="The Lamp at Sarn Head")
    await ada.turn("A user logged in.", kind="system")
    await ada.turn("Look after the lamp.", kind="timer")
    await ada.turn(kind="upload", document=document.id)
    await ada.turn("Did you see it?")
    kinds = [event.kind for event in await ada.events()]
    assert kinds == ["system", "call", "timer", "call", "upload", "call", "user", "call"]
    assert (await ada.results())[2].startswith("showing 1 of 1 (page 1 of 1)\ndocument 1: The Lamp at Sarn Head, pages")
    assert "Uploaded: document 1, 'The Lamp at Sarn Head': 13,695 words on pages 0 to " in queue(script.requests[2])


async def test_a_document_is_searched_and_opened(ada: Living, server: ModelServer, story: str) -> None:
    document = await ada.library.pages.add_document(story, title="The Lamp")
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


async def test_a_paste_of_200_000_words_becomes_a_document(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script()
    paste = " ".join(f"word{number}." for number in range(200_000))
    found = await ada.turn(paste)
    assert found["messages"] == ["Done."]
    life = await ada.life()
    assert len(life["documents"]) == 1 and life["documents"][0][1] > 300
    told = (await ada.events())[0]
    assert told.kind == "upload" and "200,000 words on pages" in told.text and "It begins: word0." in told.text
    assert all(count_words(request.text) <= WINDOW for request in script.requests)


@pytest.mark.parametrize("form", ["json_schema", "function", "text"])
async def test_the_window_holds_whatever_arrives(library: Library, server: ModelServer, form: str) -> None:
    sizes = [1, 250, 251, 9000, 90, 240, 240, 240, 240, 90]

    def agent(request: ChatRequest) -> Step | str:
        if sums_up(request):
            return "so " * 5000
        number = len(server.requests)
        if number % 3 == 1:
            return call("memory_append", thoughts="hm " * 400, block="human", text=f"x{number} " * 150)
        if number % 3 == 2:
            return call("archival_insert", thoughts="hm " * 4000, text=f"y{number} " * 3000)
        return say("well " * 450)

    server.respond = agent
    context = ReaderContext(model="openai:double", window_words=2000, reply_form=form)  # type: ignore[arg-type]
    ada = Living(library, context=context)
    for number, size in enumerate(sizes):
        if number % 4 == 3:
            server.faults.extend([Fault("long prose", answer="so " * 9000)] * 2)
        await ada.turn(f"word{number} " * size)
    assert max(count_words(request.text) for request in server.requests) <= 2000
    life, events = await ada.life(), await ada.events()
    assert life["queue_from"] > 0 and life["summaries"] > 1
    assert [event.number for event in events] == [*range(life["events"])], "nothing leaves recall storage"


async def test_eviction_sums_up_recursively_and_cuts_where_a_turn_begins(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script()
    before = 0
    for number in range(60):
        await ada.turn(f"Turn {number}. " + "The wind stood in the north and the oil was low. " * 10)
        life = await ada.life()
        if life["queue_from"] != before:
            before = life["queue_from"]
            first = (await ada.store.events(life_id(ada), [before]))[0]
            assert first.kind == "user", "the queue begins with a turn"
    assert len(script.summaries) == life["summaries"] >= 3
    assert "Summary 1." not in script.summaries[0].text
    assert "<summary-so-far>\nSummary 1.\n" in script.summaries[1].text
    assert f"<summary>\nSummary {life['summaries']}.\n</summary>" in script.requests[-1].text
    assert "Turn 59." in queue(script.requests[-1]) and "Turn 0." not in queue(script.requests[-1])
    assert len([event for event in await ada.events() if event.kind == "user"]) == 60


async def test_a_summary_that_the_model_does_not_give(ada: Living, server: ModelServer) -> None:
    server.respond = lambda request: "" if sums_up(request) else say("Done.")
    while not (await ada.turn("The goat stood on the gallery. " * 60))["fallbacks"]:
        pass
    life = await ada.life()
    assert life["summaries"] == 1
    assert "goat" in await ada.store.summary(life_id(ada), 1)


async def test_a_smaller_window_after_a_large_one(library: Library, server: ModelServer) -> None:
    server.respond = Script()
    ada = Living(library, context=ReaderContext(model="openai:double", window_words=60_000))
    for number in range(30):
        await ada.turn(f"Turn {number}. " + "The wind stood in the north. " * 60)
    assert (await ada.life())["queue_from"] == 0
    server.requests.clear()
    ada.context = ReaderContext(model="openai:double", window_words=3000)
    assert (await ada.turn("And now?"))["messages"] == ["Done."]
    assert max(count_words(request.text) for request in server.requests) <= 3000
    ada.context = ReaderContext(model="openai:double", window_words=1000)
    with pytest.raises(BadInput, match="The window of 1,000 words is too small"):
        await ada.turn("And now?")


async def test_a_budget_holds_for_each_turn(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(*(call("document_list", run_on=True) for _ in range(9)))
    ada.context = ReaderContext(model="openai:double", window_words=WINDOW, max_calls=3)
    found = await ada.turn("Hello?")
    assert (found["status"], found["usage"]["calls"], found["messages"]) == ("budget", 3, [])
    assert "budget" in (await ada.events())[-1].text
    script.steps = []
    found = await ada.turn("Hello?")
    assert (found["status"], found["usage"]["calls"]) == ("answered", 1)


async def test_replies_that_are_no_step(ada: Living, server: ModelServer) -> None:
    server.respond = Script()
    server.faults.extend([Fault.not_json(), Fault.wrong_schema(), Fault.empty()])
    found = await ada.turn("Hello?")
    assert (found["status"], found["fallbacks"]) == ("no_answer", {"step": 1})
    assert (await ada.events())[-1].kind == "system"
    assert (await ada.turn("Hello?"))["messages"] == ["Done."]


@pytest.mark.parametrize(
    "said",
    [
        '{"function": "send_message", "arguments": {"message": "Hi."}}',
        'Let me see.\n```json\n{"inner_thoughts": "x", "function": "send_message", "arguments": '
        '"{\\"message\\": \\"Hi.\\"}", "run_on": false}\n```',
        '{"inner_thoughts": "x", "function": "send_message", "arguments": [{"name": "message", "value": "Hi."}],}',
    ],
)
async def test_a_model_without_function_calling(library: Library, server: ModelServer, said: str) -> None:
    server.supports = frozenset()
    server.respond = lambda request: said
    assert (await Living(library).turn("Hello?"))["messages"] == ["Hi."]


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


def life_id(living: Living) -> str:
    from readgraph.state.agents import agent_id

    return agent_id(living.name)

"""The main context never exceeds the window, whatever arrives; what leaves the queue is summed up, and not lost."""

import pytest

from readgraph import ReaderContext
from readgraph.features.agents.store import agent_id
from readgraph.library.opening import Library
from readgraph.state.errors import BadInput
from readgraph.state.words import count_words
from tests.doubles.agent import Living, Script, Step, call, queue, say, sums_up
from tests.doubles.model_server import ChatRequest, Fault, ModelServer

WINDOW = 4000


@pytest.fixture
def ada(library: Library, server: ModelServer) -> Living:
    return Living(library)


@pytest.mark.slow
async def test_a_paste_of_200_000_words_becomes_a_document(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script()
    paste = " ".join(f"word{number}." for number in range(200_000))
    found = await ada.turn(paste)
    assert found["said"] == ["Done."]
    life = await ada.life()
    assert len(life["documents"]) == 1 and life["documents"][0][1] > 300
    told = (await ada.events())[0]
    assert told.kind == "upload" and "200,000 words on pages" in told.text and "It begins: word0." in told.text
    assert all(count_words(request.text) <= WINDOW for request in script.requests)


@pytest.mark.parametrize(
    "form", ["json_schema", *(pytest.param(form, marks=pytest.mark.slow) for form in ("function", "text"))]
)
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
    for number in range(30):
        await ada.turn(f"Turn {number}. " + "The wind stood in the north and the oil was low. " * 20)
        life = await ada.life()
        if life["queue_from"] != before:
            before = life["queue_from"]
            first = (await ada.store.events(agent_id(ada.name), [before]))[0]
            assert first.kind == "user", "the queue begins with a turn"
    assert len(script.summaries) == life["summaries"] >= 3
    assert "Summary 1." not in script.summaries[0].text
    assert "<summary-so-far>\nSummary 1.\n" in script.summaries[1].text
    assert f"<summary>\nSummary {life['summaries']}.\n</summary>" in script.requests[-1].text
    assert "Turn 29." in queue(script.requests[-1]) and "Turn 0." not in queue(script.requests[-1])
    kinds = [event.kind for event in await ada.events()]
    assert kinds.count("user") == 30 and kinds.count("system") >= life["summaries"], "it is warned before each"


async def test_a_summary_that_the_model_does_not_give(ada: Living, server: ModelServer) -> None:
    server.respond = lambda request: "" if sums_up(request) else say("Done.")
    while not (await ada.turn("The goat stood on the gallery. " * 60))["fallbacks"]:
        pass
    life = await ada.life()
    assert life["summaries"] == 1
    summary = await ada.store.summary(agent_id(ada.name), 1)
    assert "goat" in summary and "<event" not in summary  # what was said, not how the queue shows it


async def test_a_smaller_window_after_a_large_one(library: Library, server: ModelServer) -> None:
    server.respond = Script()
    ada = Living(library, context=ReaderContext(model="openai:double", window_words=60_000))
    for number in range(15):
        await ada.turn(f"Turn {number}. " + "The wind stood in the north. " * 120)
    assert (await ada.life())["queue_from"] == 0
    server.requests.clear()
    ada.context = ReaderContext(model="openai:double", window_words=3000)
    assert (await ada.turn("And now?"))["said"] == ["Done."]
    assert max(count_words(request.text) for request in server.requests) <= 3000
    ada.context = ReaderContext(model="openai:double", window_words=1000)
    with pytest.raises(BadInput, match="The window of 1,000 words is too small"):
        await ada.turn("And now?")

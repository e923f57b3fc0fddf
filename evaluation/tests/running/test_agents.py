"""How an evaluation puts its questions to an agent: memory of what was said, and the first word."""

import time as clock
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.tests.support import datasets
from readgraph import ReaderContext, open_library
from readgraph.features.agents.store import AgentStore
from readgraph.library.histories import SessionText
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.metrics.answers import abstention, evidence_recall
from readgraph_evaluation.plan import what_is_run
from readgraph_evaluation.reading import moment, session_events, turns_of
from readgraph_evaluation.records import AddressedMessage, Dataset, Item, Outcome, Text
from readgraph_evaluation.rows import row_named
from readgraph_evaluation.running import Evaluation
from tests.doubles.agent import Script, Step, call, queue, say
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader

CONTEXT = ReaderContext(model="openai:double", window_words=4000)

SAID = [
    ("2023-05-08 13:56", ["Nell: I keep nine geese.", "Tobias: I can get into accordions.", "Nell: How loud."]),
    ("2023-06-01 10:00", ["Tobias: The boat leaks.", "Nell: Tar it, then.", "Tobias: My sister has the tar."]),
]


@pytest.fixture
def text() -> Text:
    sessions = (SessionText("\n".join([time, *lines]), time=time) for time, lines in SAID)
    return Text.of_sessions("chat", "Nell and Tobias", tuple(sessions))


def asked(identity: str, message: str, question: str = "What is said?") -> Item:
    """A question of Nell to Tobias, who is the agent."""
    return Item(identity, "chat", question, ("yes",), addressed=AddressedMessage("Tobias", "Nell", message))


async def answered(
    folder: Path, text: Text, *items: Item, methods: tuple[str, ...] = ("mem-gpt",), context: ReaderContext = CONTEXT
) -> dict[str, Outcome]:
    """The outcomes of an evaluation, by method and question."""
    dataset = Dataset("chats", (text,), items, ("accuracy",))
    named, kept = [row_named(name, context) for name in methods], EvaluationFolder(folder)
    with kept.open_for(what_is_run(None, dataset, named, 1, None, context)):
        async with open_library(kept.library) as library:
            evaluation = Evaluation(dataset, named, range(1), kept, library)
            found = {f"{one.method} {one.item}": one async for one in evaluation.run()}
            assert await AgentStore(library.store).agents() == [] or context.model
    return found


def newest(request: ChatRequest) -> str:
    return queue(request).rsplit("<event ", 1)[-1]


class Tobias:
    """An agent that searches what was said, and says what it found first."""

    def __init__(self, search: str = "recall_search") -> None:
        self.search, self.seen = search, list[str]()

    def __call__(self, request: ChatRequest) -> str | Step:
        if asked_for(request) != "NextStep":
            return reader(request)
        self.seen.append(request.text)
        event = newest(request)
        if ": user" in event:
            return call(self.search, words=event.split(">\n")[1])
        found = [line for line in event.splitlines() if line.startswith("- ")]
        return say(found[0] if found else "I don't know.")


async def test_the_agent_searches_what_was_said_and_sends_the_answer(
    server: ModelServer, tmp_path: Path, text: Text
) -> None:
    server.respond = tobias = Tobias()
    items = (
        asked("q1", "Which instrument, accordions?"),
        asked("q2", "Does your sister have any?"),
        asked("q3", "And zebras?"),
    )
    found = await answered(tmp_path / "out", text, *items)
    one, two, three = (found[f"mem-gpt {item.id}"] for item in items)
    assert one.answer == "- 2023-05-08 13:56, you: I can get into accordions."
    assert two.answer and "My sister has the tar." in two.answer
    assert three.answer == "I don't know.", "no question sees another, which speaks of zebras too"
    recalled = [[text.text[span.start : span.end].strip() for span in each.read] for each in (one, two, three)]
    assert recalled == [["I can get into accordions."], ["My sister has the tar."], []]
    assert {each.status for each in found.values()} == {"answered"}
    assert [each.calls for each in found.values()] == [2, 2, 2] == [each.usage["calls"] for each in found.values()]
    assert all(each.input_words and each.output_words and not each.fallbacks for each in found.values())
    assert all("accordions." not in queue for queue in map(_shown_at_once, tobias.seen)), "the past is not in view"
    assert "I am Tobias." in tobias.seen[0] and "I talk with Nell." in tobias.seen[0]
    folder = EvaluationFolder(tmp_path / "out")
    (memory,) = folder.memories()
    assert (memory["calls"], memory["words"]) == (0, sum(memory["page_words"]))
    assert {line["item"] for line in folder.lines("exchanges")} == {"q1", "q2", "q3"}


async def test_an_agent_that_says_nothing_did_not_answer(server: ModelServer, tmp_path: Path, text: Text) -> None:
    server.respond = lambda request: "no idea"
    item = replace(asked("zebras", "And zebras?"), unanswerable=True)
    outcome = (await answered(tmp_path / "out", text, item))["mem-gpt zebras"]
    assert outcome.by_substitute(CONTEXT.model) and abstention(item, outcome.by_method(CONTEXT.model)) == 0


def _shown_at_once(request: str) -> str:
    return request.split("result:")[0]


async def test_no_question_sees_the_events_of_another(server: ModelServer, tmp_path: Path, text: Text) -> None:
    seen = list[str]()

    def respond(request: ChatRequest) -> str | Step:
        seen.append(request.text)
        if ": user" in newest(request):
            return call("memory_append", block="human", text="Asked of: " + newest(request).split(">\n")[1])
        return say("Noted.")

    server.respond = respond
    server.latency = 0.01
    await answered(tmp_path / "out", text, asked("q1", "Geese?"), asked("q2", "Boats?"))
    assert len(seen) == 4
    for request in seen:
        assert ("Geese?" in request) != ("Boats?" in request)
        assert "<events>\n<event 8: user>" in request, "each begins behind the same eight events"


@pytest.mark.parametrize(("words", "recall"), [("oil shed", 100), ("hello", 0)])
async def test_what_an_agent_recalls_is_held_to_the_evidence(
    server: ModelServer, tmp_path: Path, words: str, recall: float
) -> None:
    server.respond = Script(call("recall_search", words=words), say("In shed 7."))
    dataset = load_dataset(datasets.array(tmp_path / "longmemeval_s.json", datasets.long_mem_question("q1")))
    found = await answered(tmp_path / "out", dataset.texts[0], *dataset.items)
    outcome = found["mem-gpt q1-q"]
    assert outcome.answer == "In shed 7." and evidence_recall(dataset.items[0], outcome) == recall
    assert "Today is 2023/06/01 (Thu) 10:00. Where is my oil?" in queue(server.requests[0])


async def test_other_methods_are_asked_about_the_history(server: ModelServer, tmp_path: Path, text: Text) -> None:
    server.respond = Tobias()
    item = asked("q1", "The tar?", "Nell asks Tobias who has the tar. What does he answer?")
    found = await answered(tmp_path / "out", text, item, methods=("mem-gpt", "full-text", "recurrent"))
    assert found["full-text q1"].answer == found["recurrent q1"].answer == "It says so."
    assert any("Nell asks Tobias" in request.text and "nine geese" in request.text for request in server.requests)


async def test_without_a_model_the_agent_s_method_reads_too(tmp_path: Path, text: Text) -> None:
    item = asked("q1", "The tar?", "Who has the tar?")
    found = await answered(tmp_path / "out", text, item, context=ReaderContext(model=""))
    outcome = found["mem-gpt q1"]
    assert outcome.status == "nearest" and outcome.answer and "the tar" in outcome.answer


class Hears:
    """An agent that notes what it heard when a conversation ends, and speaks first of what it noted."""

    def __init__(self) -> None:
        self.seen = list[ChatRequest]()

    def __call__(self, request: ChatRequest) -> str | Step:
        self.seen.append(request)
        if "a new conversation begins" in newest(request):
            noted = [word for word in ("geese", "Tar") if word in request.text.split("<working-context>")[1]]
            return say(f"Hello Nell, about {' and '.join(noted)}?")
        heard = queue(request).rsplit("<event ", 2)[1].split('"')[-2:][0] if "(" in queue(request) else ""
        told = [line for line in queue(request).splitlines() if line in ("I keep nine geese.", "Tar it, then.")]
        return call("memory_append", block="human", text=told[0] if told else heard)


async def test_the_first_word_draws_on_what_was_noted(server: ModelServer, tmp_path: Path, text: Text) -> None:
    server.respond = hears = Hears()
    found = await answered(tmp_path / "out", text, asked("q1", ""), asked("q2", ""))
    assert {each.answer for each in found.values()} == {"Hello Nell, about geese and Tar?"}
    first, second, *openers = hears.seen
    assert "I keep nine geese." in queue(first) and "Tar it, then." not in queue(first)
    assert "I keep nine geese." not in queue(second) and "Tar it, then." in queue(second)
    (opener,) = openers  # the same words to the same past: one reply serves both
    assert "geese" not in queue(opener)
    (memory,) = EvaluationFolder(tmp_path / "out").memories()
    assert memory["calls"] == 2 and sum(memory["note_words"]) > 8


async def test_a_stopped_evaluation_goes_on_without_paying_again(
    server: ModelServer, tmp_path: Path, text: Text
) -> None:
    server.respond = Hears()
    await answered(tmp_path / "out", text, asked("q1", ""))
    calls, memories = server.calls, EvaluationFolder(tmp_path / "out").memories
    (once,) = memories()
    found = await answered(tmp_path / "out", text, asked("q1", ""), asked("q2", ""))
    assert list(found) == ["mem-gpt q2"] and server.calls == calls + 1, "what was noted was recorded"
    (again,) = memories()
    assert again["calls"] == once["calls"] > 0, "and counts once"


async def test_a_speaker_who_is_not_there(server: ModelServer, tmp_path: Path, text: Text) -> None:
    stranger = Item("q1", "chat", "Well?", addressed=AddressedMessage("Ida", "Otto", "Well?"))
    found = await answered(tmp_path / "out", text, stranger)
    assert found["mem-gpt q1"].status == "failed"
    assert found["mem-gpt q1"].problem == "In 'Nell and Tobias' neither Ida nor Otto says anything."


@pytest.mark.parametrize(
    ("memory", "offered", "left_out"),
    [("working", "memory_append", "recall_search"), ("recall", "recall_search", "memory_append")],
)
async def test_an_agent_uses_the_parts_of_its_memory_that_it_may(
    server: ModelServer, tmp_path: Path, text: Text, memory: str, offered: str, left_out: str
) -> None:
    """MemGPT's table 3: working context only, recall storage only."""
    server.respond = script = Script(call(left_out, True, words="lamp"))
    row = f"mem-gpt@agent_memory={memory}"
    found = await answered(tmp_path, text, asked("q1", "What is said?"), methods=(row,))
    assert found[f"{row} q1"].answer == "Done."
    for request in script.requests:
        assert f"- {offered}(" in request.text and f"- {left_out}(" not in request.text
        assert ("<working-context>" in request.text) == (memory == "working")
    assert f"There is no function '{left_out}'" in script.requests[-1].text


def test_turns_and_their_times() -> None:
    session = SessionText("1:56 pm on 8 May, 2023\nuser: Two lines:\nsecond\nassistant: Note: one.\nuser: Bye", "", "x")
    turns = turns_of(session, "user", "assistant")
    assert [(speaker, session.text[span.start : span.end]) for speaker, span in turns] == [
        ("user", "Two lines:\nsecond\n"),
        ("assistant", "Note: one.\n"),
        ("user", "Bye"),
    ]
    events = [*session_events(session, "assistant", "user", 7, "2023-05-08T00:00:00+00:00")]
    assert [event.number for event in events] == [7, 8, 9, 10] and {event.at[:4] for event in events} == {"2023"}
    assert [event.spoken_text for event in events] == ["", "Two lines:\nsecond", "Note: one.", "Bye"]


@pytest.mark.parametrize(
    ("time", "read"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56"),
        ("2023/05/20 (Sat) 02:21", "2023-05-20T02:21"),
        ("2024-02-03T10:00:00+00:00", "2024-02-03T10:00"),
        ("2 days before", ""),
        ("", ""),
    ],
)
def test_times_of_sessions(time: str, read: str) -> None:
    assert moment(time)[:16] == read


@pytest.mark.skipif(not hasattr(clock, "tzset"), reason="the local time zone can't be set here")
def test_a_session_at_a_time_for_which_the_system_has_no_local_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as east:
        east.setenv("TZ", "Asia/Tokyo")
        clock.tzset()
        read = moment("0001-01-01T00:30:00")  # as all times before 1970 on Windows
    clock.tzset()
    assert read == "0001-01-01T00:30:00+00:00"


@pytest.fixture
def documents() -> Text:
    """Twelve short documents about lamps, of which one says who paid for the oil of the ninth."""
    texts = [f"Lamp {number}\nThe lamp of rock {number} burns oil all night." for number in range(12)]
    texts[9] = "Lamp 9\nThe oil of this lamp was paid for by the Widow Pell, who kept no lamp herself."
    return Text.of_documents("chat", "Lamps", [*texts, texts[0]])


async def test_documents_are_pages_and_k_of_them_are_retrieved(
    server: ModelServer, tmp_path: Path, documents: Text
) -> None:
    assert len(documents.parts) == 12 and documents.parts[-1].end == len(documents.text)
    item = Item("q1", "chat", "Who paid for the oil of the lamp?", ("the Widow Pell",))
    for most in (1, 4):
        context = ReaderContext(model="openai:double", window_words=4000, max_pages=most)
        found = await answered(tmp_path / str(most), documents, item, methods=("bm25",), context=context)
        read = found["bm25 q1"].read
        assert len(read) == most and {*read} <= {*documents.parts} and documents.parts[9] in read


async def test_the_agent_turns_the_pages_of_a_ranking_of_documents(
    server: ModelServer, tmp_path: Path, documents: Text
) -> None:
    steps = [
        call("archival_search", query="lamp oil"),
        call("archival_search", query="lamp oil", page=2),
        call("document_open", document=1, page=9),
        call("answer", answer="The Widow Pell.", quotes="paid for by the Widow Pell"),
    ]
    server.respond = Script(*steps)
    item = Item("q1", "chat", "Who paid for the oil of lamp 9?", ("the Widow Pell",))
    outcome = (await answered(tmp_path, documents, item))["mem-gpt q1"]
    assert (outcome.answer, outcome.status, outcome.calls) == ("The Widow Pell.", "answered", 4)
    assert len(outcome.read) >= 10 and {*outcome.read} <= {*documents.parts}
    (cited,) = outcome.cited
    assert documents.text[cited.start : cited.end] == "paid for by the Widow Pell"
    shown = server.requests[1].text
    assert "showing 5 of 12 (page 1 of 3)" in shown

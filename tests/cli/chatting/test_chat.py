"""`readgraph chat` and `readgraph agents` as a person, or a script, meets them."""

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from pytest import MonkeyPatch

from readgraph.features.agents.chat import JsonView, seconds_of
from readgraph.features.agents.conversation import Conversation
from readgraph.features.agents.state import IncomingEvent
from readgraph.features.agents.store import AgentStore, agent_id
from readgraph.features.agents.store import Event as ReadEvent
from readgraph.library.opening import Library, open_library
from readgraph.models.names import HOW_TO_NAME
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from tests.doubles.agent import Script, call, say
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.support.command import DOUBLE, Command
from tests.support.examples import EXAMPLES
from tests.support.forking import ended, forked

CHAT = ("chat", "--agent", "ada", *DOUBLE)


Typed = Callable[..., str]


@pytest.fixture
def typing(readgraph: Command, monkeypatch: MonkeyPatch) -> Typed:
    """The command with lines on standard input: what it prints, or with a code, its error."""

    def command(*arguments: object, typed: str = "", code: int = 0) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        ran = readgraph(*arguments)
        assert ran.code == code, ran.err
        return ran.err if code else ran.out

    return command


def json_lines(printed: str) -> list[Any]:
    return [json.loads(line) for line in printed.splitlines()]


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ((), f"A chat needs a model. Give --model, or set READGRAPH_MODEL: {HOW_TO_NAME}"),
        ((*DOUBLE, "--every", "10m", " "), "The timer has no prompt: give one, such as --every 10m 'What is open?'"),
    ],
)
def test_what_a_chat_needs(typing: Typed, given: tuple[str, ...], refusal: str) -> None:
    assert typing("chat", *given, typed="Hello.\n", code=2) == f"readgraph: {refusal}\n"


@pytest.mark.quick
def test_a_conversation(typing: Typed, server: ModelServer) -> None:
    server.respond = script = Script(
        call("memory_append", thoughts="a fact", block="human", text="Keeps goats."),
        call("fly"),
        say("Goats, how nice."),
    )
    out = typing(*CHAT, typed="I keep goats.\n\n/memory\n/search goats\n/nonsense\n/quit\nnever read\n")
    assert "(thinks: a fact)\n" in out and "\nGoats, how nice.\n" in out
    assert 'memory_append(block="human", text="Keeps goats.") → Done: the block holds 2/300 words.' in out
    assert "fly() → There is no function 'fly'" in out
    assert "human (2/300 words): who you talk with\nKeeps goats.\n" in out and "4 events in recall storage" in out
    assert "2 found." in out and " you: I keep goats." in out and "ada: Goats, how nice." in out
    assert "There is no command /nonsense; nothing was sent.\n/memory" in out and len(script.requests) == 3
    script.steps = [say("Yes.")]
    out = typing(*CHAT, typed="Do you know me?\n/undo\n/memory\n")
    assert "you: I keep goats.\nada: Goats, how nice.\n" in out and "Undone: Do you know me?" in out
    assert "4 events in recall storage" in out
    assert "nothing to undo" in typing(*CHAT, typed="/undo\n/undo\n")


def test_events_as_json_lines(typing: Typed, server: ModelServer, tmp_path: Path) -> None:
    server.respond = Script(say("Hello."), call("document_list"))
    note = tmp_path / "note.md"
    note.write_text("# Lamps\n\nThe oil is low.\n")
    lines = json_lines(typing(*CHAT, "--json", typed=f"Hello?\n/upload {note}\n/search hello\n/memory\n/undo\n/help\n"))
    user, said, upload, _, found, memory, undone, helped = lines
    assert [user["event"][key] for key in ("number", "kind", "text")] == [0, "user", "Hello?"]
    assert said["event"]["arguments"] == {"message": "Hello."} and said["event"]["result"] == "Sent."
    assert upload["event"]["kind"] == "upload" and "'note'" in upload["event"]["text"].replace("note.md", "note")
    assert found["total"] == 2 and memory["memory"]["documents"] == [[0, 1]]
    assert [arrival["kind"] for arrival in undone["undone"]] == ["upload"] and "/quit" in helped["help"]


@pytest.mark.parametrize("quoted", ["{}", '"{}"', "'{}' "])
def test_an_uploaded_file_may_be_quoted(typing: Typed, server: ModelServer, tmp_path: Path, quoted: str) -> None:
    server.respond = Script()
    (tmp_path / "two words.md").write_text("The oil is low.\n")
    (upload, _) = json_lines(typing(*CHAT, "--json", typed=f"/upload {quoted.format(tmp_path / 'two words.md')}\n"))
    assert upload["event"]["text"].startswith("Uploaded: document 1, 'two words'")


def test_after_undo_the_same_words_get_a_new_reply(typing: Typed, server: ModelServer) -> None:
    server.respond = script = Script(say("One."), say("Two."))
    out = typing(*CHAT, typed="Hello?\n/undo\nHello?\n")
    assert "One." in out and "Two." in out and len(script.requests) == 2


def test_a_paste_that_is_too_long_is_no_input_of_the_graph(typing: Typed, server: ModelServer) -> None:
    server.respond = Script()
    events = json_lines(typing(*CHAT, "--json", "--window-words", 4000, typed="word " * 5000 + "\n"))
    assert "5,000 words on pages 0 to" in events[0]["event"]["text"]
    (file,) = Path(os.environ["READGRAPH_LIBRARY"]).glob("checkpoints.sqlite")
    assert b"word word word word word word word word " * 10 not in file.read_bytes()


def test_a_server_that_fails_loses_nothing(typing: Typed, server: ModelServer) -> None:
    server.respond = Script(say("Here I am."))
    server.faults.append(Fault.unauthorized())
    assert "refused the key" in typing(*CHAT, typed="Are you there?\n", code=2)
    events = json_lines(typing(*CHAT, "--json", typed=""))
    assert [event["event"]["arguments"] for event in events] == [{"message": "Here I am."}]


def test_a_turn_that_can_not_be_finished_is_taken_back(
    typing: Typed, server: ModelServer, monkeypatch: MonkeyPatch
) -> None:
    server.respond = Script()
    server.fault_for = lambda request, call: Fault.unauthorized()
    typing(*CHAT, typed="Are you there?\n", code=2)
    assert typing("agents", "repair", "ada") == "Repaired 'ada'. Undone: Are you there?\n"
    assert typing("agents", "repair", "ada") == "'ada' has no unfinished turn.\n"
    typing(*CHAT, typed="Well?\n", code=2)
    assert "refused the key" in typing(*CHAT, typed="/undo\n", code=2), "a program is told that its turn waits"
    monkeypatch.setattr("readgraph.features.agents.chat.can_ask_user", lambda: True)
    assert "Undone: Well?" in typing(*CHAT, typed="/undo\n")
    server.fault_for = None
    assert "Done." in typing(*CHAT, typed="Hello?\n")
    typing("agents", "repair", "ada")
    assert "0 of" not in typing("agents") and "Undone: Hello?" in typing(*CHAT, typed="/undo\n")


@pytest.mark.slow
def test_a_timer_wakes_the_agent(server: ModelServer, tmp_path: Path) -> None:
    server.respond = Script(call("document_list"), say("The lamp is low."))
    said, out = tmp_path / "said", tmp_path / "out"
    for pipe in (said, out):
        os.mkfifo(pipe)
    process = forked(*CHAT, "--json", "--every", "0.05s", "Look after the lamp.", said=said, out=out)
    with said.open("w"), out.open() as printed:
        events = [json.loads(printed.readline())["event"] for _ in range(4)]
    assert [event["kind"] for event in events] == ["timer", "call", "timer", "call"]
    assert events[0]["text"] == "Look after the lamp." and events[3]["arguments"] == {"message": "The lamp is low."}
    assert ended(process) == 0


@pytest.mark.slow
def test_many_quick_ctrl_c_end_it_once(server: ModelServer) -> None:
    asked = Event()

    def hang(request: ChatRequest, call: int) -> Fault:
        asked.set()
        return Fault.hang()

    server.fault_for = hang
    command = [sys.executable, "-m", "readgraph", *CHAT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stderr
        process.stdin.write("Are you there?\n")
        process.stdin.flush()
        assert asked.wait(60)
        for _ in range(30):
            process.send_signal(signal.SIGINT)
        err = process.stderr.read()
    assert process.returncode == 130
    assert err == "readgraph: stopped. What was read is kept; run the same command again to continue.\n"


class Witness(JsonView):
    """Keeps what it sees and hears."""

    def __init__(self, *, listens: bool = False) -> None:
        super().__init__()
        self.listens, self.events, self.pieces = listens, list[ReadEvent](), list[str]()

    def event(self, event: ReadEvent) -> None:
        self.events.append(event)

    def show_piece(self, piece: BaseMessage) -> None:
        self.pieces.append(str(piece.text))


@pytest.mark.parametrize("listens", [True, False])
async def test_who_listens_hears_a_step_while_it_is_said(library: Library, server: ModelServer, listens: bool) -> None:
    step, witness = say("Many happy returns of the day!"), Witness(listens=listens)
    server.respond = lambda request: step
    conversation = Conversation(library, "ada", ReaderContext(model="openai:double"), witness)
    server.faults.append(Fault.cut())  # a reply that breaks off is asked for again, and heard from its beginning
    await conversation.receive(IncomingEvent(kind="user", text="It's my birthday."))
    assert [event.spoken_text for event in witness.events][-1] == "Many happy returns of the day!"
    assert "".join(witness.pieces).endswith("Many happy returns of the day!" if listens else "")
    assert (len(witness.pieces) > 4) == listens


async def test_what_is_said_while_an_earlier_turn_waits(library: Library, server: ModelServer) -> None:
    server.respond, witness = Script(), Witness()
    conversation = Conversation(library, "ada", ReaderContext(model="openai:double"), witness)
    server.faults += [Fault.unauthorized(), Fault.unauthorized()]
    with pytest.raises(ReadgraphError, match="refused the key"):
        await conversation.receive(IncomingEvent(kind="user", text="One?"))
    with pytest.raises(ReadgraphError, match=r"refused the key.* Your message was not delivered: an earlier turn is"):
        await conversation.receive(IncomingEvent(kind="user", text="Two?"))
    await conversation.receive(IncomingEvent(kind="user", text="Three?"))
    assert [event.text for event in witness.events if event.kind == "user"] == ["One?", "Three?"]


async def test_two_chats_with_one_agent_take_turns(library: Library, server: ModelServer) -> None:
    server.respond, server.latency = Script(), 0.005
    async with open_library(library.folder) as other:
        chats = [
            Conversation(each, "ada", ReaderContext(model="openai:double"), Witness()) for each in (library, other)
        ]

        async def talk(chat: Conversation, who: str) -> None:
            for number in range(4):
                await chat.receive(IncomingEvent(kind="user", text=f"{who} says {number}."))

        await asyncio.gather(talk(chats[0], "Nell"), talk(chats[1], "Tobias"))
    life = await chats[0].life()
    assert life and life["events"] == 16
    events = await AgentStore(library.store).events(agent_id("ada"), range(16))
    said = [event.text for event in events if event.kind == "user"]
    assert sorted(said) == sorted(f"{who} says {number}." for who in ("Nell", "Tobias") for number in range(4))


@pytest.mark.parametrize(("time", "seconds"), [("30s", 30), ("10m", 600), ("2h", 7200), ("1d", 86400), ("0.5m", 30)])
def test_times(time: str, seconds: float) -> None:
    assert seconds_of(time) == seconds


@pytest.mark.parametrize("time", ["", "10", "m", "0m", "ten minutes", "-1m"])
def test_what_is_no_time(time: str) -> None:
    with pytest.raises(BadInput, match="is not a time"):
        seconds_of(time)


def test_agents(typing: Typed, server: ModelServer, tmp_path: Path) -> None:
    server.respond = Script()
    assert "The library has no agents" in typing("agents")
    typing(*CHAT, typed="Hello?\n")
    typing("ask", "Who?", EXAMPLES / "allotment-chat.txt", "--method", "mem-gpt", "--model", "openai:double")
    (listed,) = json.loads(typing("agents", "--json"))
    assert (listed["name"], listed["events"]) == ("ada", 2)
    assert "ada    2" in typing("agents", "list")
    file, elsewhere = tmp_path / "ada.json", ("--library", tmp_path / "elsewhere")
    assert "Exported 'ada' with 2 events" in typing("agents", "export", "ada", file)
    assert "exists already" in typing("agents", "export", "ada", file, code=2)
    assert "Imported 'eve' with 2 events." in typing("agents", "import", file, "--as", "eve", *elsewhere)
    assert "you: Hello?" in typing("chat", "--agent", "eve", "--model", "openai:double", *elsewhere)
    assert "There is an agent 'ada' already" in typing("agents", "import", file, code=2)
    assert "not an agent's file" in typing("agents", "import", EXAMPLES / "allotment-chat.txt", code=2)
    assert "There is no file" in typing("agents", "import", tmp_path / "none.json", code=2)
    file.with_name("torn.json").write_text('{"readgraph": "agent", ')
    torn = typing("agents", "import", file.with_name("torn.json"), code=2)
    assert ": Invalid JSON" in torn and ": :" not in torn
    assert "--as is empty" in typing("agents", "import", file, "--as", " ", code=2)
    nowhere = typing("agents", "export", "ada", tmp_path / "no" / "ada.json", code=2)
    assert "There is no folder" in nowhere
    assert "give --yes" in typing("agents", "forget", "ada", code=2)
    assert "Deleted 'ada'" in typing("agents", "forget", "ada", "--yes")
    assert "holds no agent 'ada'" in typing("agents", "export", "ada", tmp_path / "b.json", code=2)

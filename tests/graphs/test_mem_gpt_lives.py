"""An agent lives on: undo, export and import, forgetting, a kill at any moment."""

import asyncio
import json
import random
import signal
import sqlite3
import sys
import threading
from contextlib import closing
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from readgraph.features.agents.archives import add_agent_from_file, build_agent_from_file, make_agent_file
from readgraph.features.agents.lives import agent_config, agent_state_of, drop_old_checkpoints, forget_agent, undo_turn
from readgraph.features.agents.storages import search_recall
from readgraph.features.agents.store import Agent, AgentStore, Event, agent_id
from readgraph.library.address import CHECKPOINTS
from readgraph.library.notices import keep_notices
from readgraph.library.opening import Library, open_library
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.state.errors import BadInput, LibraryError
from tests.doubles.agent import Living, Script, call, say
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.support.forking import ended, forked


@pytest.fixture
def ada(library: Library, server: ModelServer) -> Living:
    return Living(library)


async def record(living: Living) -> Agent:
    return await living.store.require_agent(living.name)


async def test_undo_takes_back_a_turn_with_all_that_came_of_it(ada: Living, server: ModelServer) -> None:
    server.respond = script = Script(
        call("archival_insert", text="Goats eat lamps."),
        say("Noted."),
        call("memory_append", block="human", text="Keeps mackerel."),
        call("archival_delete", passages=0),
        call("archival_insert", text="Mackerel eat oil."),
        call("recall_search", words="goats"),
        call("archival_search", query="goats mackerel"),
        say("Mackerel it is."),
    )
    await ada.turn("I keep goats.")
    before = await ada.life()
    await ada.turn("No, I keep mackerel.")
    assert "Mackerel eat oil" in (await ada.results())[-2] and "Goats" not in (await ada.results())[-2]
    (taken_back,) = await undo_turn(ada.graph, "ada")
    assert taken_back.get("text") == "No, I keep mackerel."
    assert await ada.life() == before
    script.steps = [
        call("recall_search", words="mackerel"),
        call("archival_search", query="goats mackerel"),
        call("document_list"),
        call("recall_search", words="goats"),
        say("Done."),
    ]
    await ada.turn("What do I keep?")
    mackerel, archive, _, goats = (await ada.results())[2:-1]
    assert mackerel == "showing 0 of 0 (page 1 of 1)"
    assert archive.startswith("showing 1 of 1") and "passage 0: Goats eat lamps." in archive
    assert goats.startswith("showing 1 of 1")
    assert "mackerel" not in json.dumps(script.requests[-1].text.split("<events>")[1].split("recall_search")[0])


@pytest.mark.parametrize("between", [0, 1])
async def test_undo_over_steps_that_damage_made_go_round_ends(ada: Living, server: ModelServer, between: int) -> None:
    server.respond = Script()
    await ada.turn("Die Ziege frisst die Lampe.")
    saver = ada.library.checkpointer
    rows = [saved.config["configurable"]["checkpoint_id"] async for saved in saver.alist(agent_config("ada"))]
    with closing(sqlite3.connect(ada.library.folder / CHECKPOINTS)) as file, file:
        file.execute(
            "UPDATE checkpoints SET parent_checkpoint_id = ? WHERE checkpoint_id = ?", (rows[0], rows[between])
        )
    with pytest.raises(LibraryError, match="one comes before itself"):
        await undo_turn(ada.graph, "ada")


async def test_undo_of_the_first_turn_and_of_none(ada: Living, server: ModelServer) -> None:
    server.respond = Script()
    await ada.turn("The system said hello.", kind="system")
    assert await undo_turn(ada.graph, "ada") == []
    await ada.turn("One.")
    await ada.turn("Tick.", kind="timer")
    await ada.turn("Two.")
    for expected, events in ((["Two."], 6), (["One.", "Tick."], 2)):
        assert [arrival.get("text") for arrival in await undo_turn(ada.graph, "ada")] == expected
        assert (await ada.life())["events"] == events
    assert await undo_turn(ada.graph, "ada") == []


async def test_undo_of_an_upload_leaves_what_was_said_before(ada: Living, server: ModelServer, story: str) -> None:
    server.respond = Script()
    await ada.turn("Hello.")
    before = await ada.life()
    document = await ada.library.pages.add_document(story, title="The Lamp")
    await ada.turn(kind="upload", document=document.id)
    (taken_back,) = await undo_turn(ada.graph, "ada")
    assert taken_back.get("document") == document.id and await ada.life() == before


async def test_old_checkpoints_go_and_undo_ends_there(
    ada: Living, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readgraph.features.agents.lives.KEPT_TURNS", 2)
    server.respond = Script()
    for number in range(5):
        await ada.turn(f"Turn {number}.")
        await drop_old_checkpoints(ada.library, "ada")
    assert (await ada.life())["events"] == 10
    taken_back = [await undo_turn(ada.graph, "ada") for _ in range(4)]
    assert [[arrival.get("text") for arrival in taken] for taken in taken_back] == [["Turn 4."], ["Turn 3."], [], []]
    assert (await ada.life())["events"] == 6
    assert (await ada.turn("Go on."))["said"] == ["Done."]


async def test_a_document_filed_where_passages_were_taken_back(ada: Living, server: ModelServer, story: str) -> None:
    server.respond = script = Script(
        *(call("archival_insert", text=f"Ghost {number}.") for number in range(6)),
        say("Noted."),
        call("archival_search", query="ghost lamp"),
        say("Done."),
    )
    await ada.turn("Note the ghosts.")
    await undo_turn(ada.graph, "ada")
    document = await ada.library.pages.add_document(story, title="The Lamp")
    script.steps[:0] = [call("document_list", request_heartbeat=False)]
    await ada.turn(kind="upload", document=document.id)
    script.steps = [call("archival_search", query="ghost"), say("Done.")]
    await ada.turn("Any ghosts?")
    assert "Ghost" not in (await ada.results())[-2]


async def test_export_and_import(ada: Living, server: ModelServer, story: str, tmp_path: Path) -> None:
    server.respond = script = Script(
        call("memory_append", block="human", text="Keeps goats."),
        call("archival_insert", text="Goats eat lamps."),
        call("archival_insert", text="Wrong."),
        call("archival_delete", passages=1),
    )
    document = await ada.library.pages.add_document(story, title="The Lamp", places=[(0, "line 1")])
    document = await keep_notices(ada.library.pages, document, "", ["lamp.pdf: page 2 can't be read."])
    await ada.turn("I keep goats.")
    await ada.turn(kind="upload", document=document.id)
    for number in range(30):
        await ada.turn(f"Turn {number}. " + "The wind stood in the north. " * 30)
    life, agent = await ada.life(), await record(ada)
    file = await make_agent_file(ada.store, agent, life)
    value = json.loads(file.json_text())
    assert (value["readgraph"], value["format"], value["name"]) == ("agent", 1, "ada")
    assert value["documents"][0]["text"] == story and [p["text"] for p in value["passages"]] == ["Goats eat lamps."]
    async with open_library(tmp_path / "elsewhere") as other:
        taken_in = await add_agent_from_file(AgentStore(other.store), file.json_text(), "eve")
        again = await make_agent_file(
            AgentStore(other.store), taken_in, await agent_state_of(other.checkpointer, taken_in)
        )
        assert again.model_copy(update={"name": "ada"}) == file and again.documents[0].notices == document.notices
        eve = Living(other, "eve")
        script.steps = [call("archival_search", query="goats"), call("recall_search", words="goats"), say("Goats.")]
        assert (await eve.turn("What do I keep?"))["said"] == ["Goats."]
        archive, recall = (await eve.results())[-3:-1]
        assert "passage 0: Goats eat lamps." in archive and "document 1, page 4" in archive and "Wrong" not in archive
        assert "I keep goats." in recall
        with pytest.raises(BadInput, match="There is an agent 'eve' already"):
            await add_agent_from_file(AgentStore(other.store), file.json_text(), "eve")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": 2}, "was made by a newer version"),
        ({"recall": [{"number": 3}]}, "not an agent's file"),
        ({"queue_from": 9}, "was changed: the numbers"),
        ({"passages": [{"number": 5, "at": "", "text": "x"}]}, "was changed: the numbers"),
        ({"more": 1}, "not an agent's file"),
    ],
)
async def test_a_file_that_is_no_agent(ada: Living, server: ModelServer, change: dict[str, Any], reason: str) -> None:
    server.respond = Script()
    await ada.turn("Hello.")
    file = await make_agent_file(ada.store, await record(ada), await ada.life())
    with pytest.raises(BadInput, match=reason):
        await add_agent_from_file(ada.store, json.dumps({**json.loads(file.json_text()), **change}), "eve")
    assert await ada.store.agent("eve") is None


async def test_who_begins_again_with_another_past_recalls_that_alone(ada: Living, server: ModelServer) -> None:
    for said in ("I keep goats.", "I keep mackerel."):
        server.respond = Script(say("Noted."))
        await ada.turn(said)
        past = await make_agent_file(ada.store, await record(ada), await ada.life())
        await forget_agent(ada.library, await record(ada))
        again = await build_agent_from_file(ada.store, past, "copy")
        assert await search_recall(ada.store, again.id, again.birth["events"], said.split()[-1]) == [0]
    assert await search_recall(ada.store, again.id, again.birth["events"], "goats") == []


async def test_forgetting(ada: Living, server: ModelServer, story: str) -> None:
    document = await ada.library.pages.add_document(story, title="The Lamp")
    server.respond = script = Script(call("archival_insert", text="x"), call("recall_search", words="x"), say("Yes."))
    await ada.turn("Hello.")
    await ada.turn(kind="upload", document=document.id)
    await forget_document(ada.library, document)
    script.steps = [
        call("archival_search", query="goat lamp"),
        call("document_open", document=1, page=1),
        call("document_list"),
        say("It's gone."),
    ]
    assert (await ada.turn("What does it say of the goat?"))["said"] == ["It's gone."]
    assert "was forgotten" in (await ada.results())[-3]
    agent = await record(ada)
    await forget_agent(ada.library, agent)
    assert await ada.store.agents() == []
    assert not (await ada.graph.aget_state(ada.config)).values
    for log in ("events", "archive", "summaries", "replies"):
        assert not await ada.library.store.asearch(("readgraph", log)), log


class KillingAgent:
    """Replies by what the newest event is, and kills the process at a given call."""

    def __init__(self) -> None:
        self.calls, self.kill_at, self.delay = 0, sys.maxsize, 0.0
        self.process: BaseProcess | None = None

    def __call__(self, request: ChatRequest) -> str | dict[str, object]:
        self.calls += 1
        if self.calls == self.kill_at and self.process:
            threading.Timer(self.delay, self.process.kill).start()
        newest = request.text.split("\n</events>")[0].rsplit("<event ", 1)[-1]
        if ": user" in newest:
            return call("archival_insert", text=newest.split(">\n")[1].strip())
        if "archival_insert" in newest:
            return call("archival_search", query="line")
        return say("I heard: " + newest.split("passage ")[1][:8])


@pytest.mark.slow
def test_kills_at_any_moment_lose_nothing_and_say_nothing_twice(server: ModelServer, tmp_path: Path) -> None:
    server.respond = agent = KillingAgent()
    server.latency = 0.01
    lines = [f"This is line {number}." for number in range(5)]
    command = ["chat", "--agent", "ada", "--model", "openai:double", "--json", "--library", tmp_path / "kept"]
    rng, left, kills, code = random.Random(5), lines, 0, None
    while code != 0:
        (tmp_path / "said").write_text("".join(f"{line}\n" for line in left))
        agent.delay = rng.uniform(0, 0.03)
        agent.kill_at = agent.calls + rng.randint(1, 7) if kills < 2 else sys.maxsize
        agent.process = forked(*command, said=tmp_path / "said")
        code = ended(agent.process)
        assert code in (0, -signal.SIGKILL)
        kills += code != 0
        left = lines[asyncio.run(taken_in(tmp_path / "kept")) :]
    assert kills == 2
    events = asyncio.run(kept_events(tmp_path / "kept"))
    assert [event.text for event in events if event.kind == "user"] == lines
    calls = [event for event in events if event.kind == "call"]
    assert [event.function for event in calls] == ["archival_insert", "archival_search", "send_message"] * len(lines)
    assert [event.result for event in calls[::3]] == [f"Kept as passage {number}." for number in range(len(lines))]
    assert str(calls[-2].result).startswith(f"showing 5 of {len(lines)}")


async def taken_in(place: Path | str) -> int:
    """How many lines are taken in: those in recall storage, and one whose turn was killed before it came there."""
    lines = sum(event.kind == "user" for event in await kept_events(place))
    async with open_library(place) as library:
        state = await Living(library).graph.aget_state(agent_config("ada"))
        return lines + ([task.name for task in state.tasks] in (["__start__"], ["receive"]))


async def kept_events(place: Path | str) -> list[Event]:
    async with open_library(place) as library:
        agent = await AgentStore(library.store).agent("ada")
        events = (await agent_state_of(library.checkpointer, agent))["events"] if agent else 0
        return await AgentStore(library.store).events(agent_id("ada"), range(events))

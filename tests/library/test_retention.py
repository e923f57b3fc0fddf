"""A thread of many questions stays small: the steps of old questions go, and their ends stay."""

import json
import zlib
from operator import add
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from readgraph.graphs.gam import build as build_gam
from readgraph.graphs.read_agent import build
from readgraph.library.address import library_place
from readgraph.library.opening import Library, open_library
from readgraph.library.serializer import COMPRESSED
from readgraph.library.upkeep.compacting import compact
from readgraph.state.context import ReaderContext
from readgraph.state.errors import LibraryError
from tests.support.command import ASK, Command
from tests.support.tables import asked_at

ON_SERVER_TOO = True

KEPT, ASKED, MOST_BYTES = 2, 6, 10_000
THREAD: Any = {"configurable": {"thread_id": "long"}}
WITHOUT_MODEL = ReaderContext(model="")


async def ask_often(library: Library, story: str, compiled: Any) -> str:
    document = (await library.pages.add_document(story, title="The Lamp")).id
    for number in range(ASKED):
        asked = {"document": document, "question": f"Who took log book {number}?"}
        await compiled.ainvoke(asked, THREAD, context=WITHOUT_MODEL)
    return document


def stored(where: str) -> int:
    """Bytes of all checkpoints and what was written to them."""
    if not isinstance(library_place(where), Path):
        sums = "sum(length(checkpoint::text) + length(metadata::text))"
        tables = [(sums, "checkpoints"), ("sum(length(blob))", "writes"), ("sum(length(blob))", "checkpoint_blobs")]
    else:
        tables = [("sum(length(checkpoint) + length(metadata))", "checkpoints"), ("sum(length(value))", "writes")]
    return sum(int(asked_at(where, f"SELECT {sums} FROM {table}")[0][0]) for sums, table in tables)


@pytest.mark.parametrize("graph", [build, build_gam])
@pytest.mark.slow
async def test_a_question_adds_little_to_a_long_thread(library: Library, where: str, story: str, graph: Any) -> None:
    library.checkpointer.kept_questions = KEPT
    compiled = graph().compile(checkpointer=library.checkpointer, store=library.store)
    document = await ask_often(library, story, compiled)
    before = stored(where)
    for number in range(ASKED):
        asked = {"document": document, "question": f"Who took the lamp {number}?"}
        await compiled.ainvoke(asked, THREAD, context=WITHOUT_MODEL)
    assert (stored(where) - before) / ASKED < MOST_BYTES

    past = [state async for state in compiled.aget_state_history(THREAD)]
    ends = [state.values["question_text"] for state in past if state.values.get("answer") and not state.next]
    assert len(ends) == 2 * ASKED, "where each question ended can still be seen"
    begun = [state for state in past if state.metadata["source"] == "input"]
    assert len(begun) == KEPT
    await compiled.ainvoke(None, begun[-1].config, context=WITHOUT_MODEL)
    again = (await compiled.aget_state(THREAD)).values["question_text"]
    assert again == f"Who took the lamp {ASKED - KEPT}?", "a new question can be asked again"


async def test_another_graph_keeps_all_its_checkpoints(library: Library) -> None:
    class State(TypedDict):
        seen: Annotated[list[int], add]

    library.checkpointer.kept_questions = 1
    builder = StateGraph(State)
    builder.add_node("see", lambda state: {"seen": [len(state["seen"])]})
    builder.add_edge(START, "see")
    compiled: Any = builder.compile(checkpointer=library.checkpointer)
    for _ in range(4):
        await compiled.ainvoke({"seen": []}, THREAD)
    assert len([state async for state in compiled.aget_state_history(THREAD)]) == 12


async def test_compacting_gives_the_disk_back_and_keeps_the_answers(library: Library, where: str, story: str) -> None:
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store)
    document = await ask_often(library, story, compiled)
    library.checkpointer.kept_questions = 1
    done = await compact(library)
    assert done.checkpoints > ASKED
    assert done.after < 0.8 * done.before or where.startswith("postgresql"), "a server keeps the space"
    kept = await compiled.aget_state(THREAD)
    assert kept.values["question_text"] == f"Who took log book {ASKED - 1}?"
    assert (await library.pages.document(document)).words
    assert (await compact(library)).checkpoints == 0


async def test_a_torn_compressed_checkpoint_is_damage(library: Library, where: str, story: str) -> None:
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store)
    await ask_often(library, story, compiled)
    torn, written_as = zlib.compress(b"x" * 1000)[:-2].hex(), f"{COMPRESSED}msgpack"
    if where.startswith("postgresql"):
        asked_at(where, f"UPDATE checkpoint_blobs SET type = '{written_as}', blob = decode('{torn}', 'hex')")
    else:
        asked_at(where, f"UPDATE checkpoints SET type = '{written_as}', checkpoint = x'{torn}'")
    with pytest.raises(LibraryError, match="damaged"):
        await compiled.aget_state(THREAD)


async def test_a_compressed_value_of_any_length_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readgraph.library.serializer.MOST_BYTES", 1_000)
    async with open_library(tmp_path / "bomb") as library:
        saver = library.checkpointer
        packed = saver.serde.dumps_typed("x" * 100_000)
        assert len(packed[1]) < 1_000
        with pytest.raises(LibraryError, match="damaged"):
            saver.serde.loads_typed(packed)


def test_the_command_says_how_large_the_library_was_and_is(readgraph: Command) -> None:
    readgraph(*ASK, "--quiet")
    assert "The library took " in readgraph("library", "compact").out
    told = json.loads(readgraph("library", "compact", "--json").out)
    assert 0 < told["bytes_after"] <= told["bytes_before"] and told["checkpoints"] == 0

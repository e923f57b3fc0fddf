"""One library, and one store, for many threads and event loops at once."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from readgraph import LibraryError, ReaderContext, open_library, open_library_in_background
from readgraph.graphs import mem_walker, read_agent
from readgraph.library.address import CHECKPOINTS
from readgraph.library.file_checkpointer import open_checkpointer
from readgraph.library.sqlite_files import lock_setup
from tests.doubles.model_server import ModelServer

SMALL = ReaderContext(model="openai:double", min_page_words=100, max_page_words=200, segment_words=100)
MANY = range(8)


def thread(name: object) -> Any:
    return {"configurable": {"thread_id": str(name)}}


def asked(text: str, number: object) -> Any:
    return {"text": text, "question": f"What of lamp {number}?"}


@pytest.mark.filterwarnings("ignore:The graph has no store")
async def test_a_synchronous_call_works_inside_a_running_loop(server: ModelServer, story: str) -> None:
    asks: Any = {"text": story[:9000], "question": "Who?"}
    found = read_agent.graph.invoke(asks, context=SMALL)
    assert found["status"] == "answered"


async def test_synchronous_and_asynchronous_runs_share_a_library(
    server: ModelServer, tmp_path: Path, story: str
) -> None:
    with open_library_in_background(tmp_path / "library") as library:
        graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
        here = [graph.ainvoke(asked(story[:5000], n), thread(n), context=SMALL) for n in MANY]
        there = [asyncio.to_thread(graph.invoke, asked(story[:5000], n), thread(-n), context=SMALL) for n in MANY]
        found: list[Any] = await asyncio.gather(*here, *there)
        assert {one["status"] for one in found} == {"answered"}
        states = [graph.aget_state(thread(n)) for n in MANY]
        states += [asyncio.to_thread(graph.get_state, thread(n)) for n in MANY]
        assert {state.values["status"] for state in await asyncio.gather(*states)} == {"answered"}


async def test_a_synchronous_run_within_an_open_library_of_this_loop(tmp_path: Path) -> None:
    async with open_library(tmp_path / "library") as library:
        graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
        graph.invoke(asked("The lamp is out.", 1), thread(1), context=ReaderContext(model=""))
        assert graph.get_state(thread(1)).values["status"] == "nearest"


@pytest.mark.slow
def test_a_state_of_the_history_is_edited_while_it_is_gone_through(tmp_path: Path) -> None:
    with open_library_in_background(tmp_path / "library") as library:
        graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
        for n in range(20):  # more states than are read at once
            graph.invoke(asked("The lamp is out.", n), thread(1), context=ReaderContext(model=""))
        history = list(graph.get_state_history(thread(1)))
        assert len({state.config["configurable"]["checkpoint_id"] for state in history}) == len(history) == 160
        assert len(list(graph.get_state_history(thread(1), limit=130))) == 130
        for state in graph.get_state_history(thread(1)):
            if state.next == ("look_up",):
                edited = graph.update_state(state.config, {"pages_read": [0]}, as_node="look_up")
                break
        assert graph.invoke(None, edited, context=ReaderContext(model=""))["pages_read"] == [0]


async def test_a_closed_library_says_so(tmp_path: Path) -> None:
    async with open_library(tmp_path / "library") as library:
        graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
    with pytest.raises(LibraryError, match="is closed"):
        await graph.ainvoke(asked("The lamp.", 1), thread(1))
    with pytest.raises(LibraryError, match="is closed"):
        await asyncio.to_thread(graph.invoke, asked("The lamp.", 1), thread(1))


def test_many_may_open_a_new_library_at_once(tmp_path: Path) -> None:
    def opened(folder: Path) -> Path:
        with open_library_in_background(folder) as library:
            return library.folder

    folders = [tmp_path / str(n // 8) for n in range(64)]
    with ThreadPoolExecutor(8) as several:
        assert list(several.map(opened, folders)) == folders


def test_a_new_library_is_opened_after_another_process_has_made_its_tables(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as thread:
        with lock_setup(tmp_path), closing(sqlite3.connect(tmp_path / CHECKPOINTS)) as another:
            another.execute("BEGIN IMMEDIATE")  # who changes the file to WAL mode now is refused at once
            opening = thread.submit(asyncio.run, open_threads(tmp_path / CHECKPOINTS))
            with pytest.raises(TimeoutError):
                opening.result(timeout=0.3)
        assert opening.result() == []


async def open_threads(file: Path) -> Sequence[str]:
    async with open_checkpointer(file) as checkpointer:
        return checkpointer.threads({})


@pytest.mark.parametrize("method", [read_agent, mem_walker], ids=lambda method: method.__name__.rpartition(".")[2])
def test_loops_of_their_own_build_one_memory_once(method: Any, server: ModelServer, story: str) -> None:
    graph = method.build().compile(checkpointer=InMemorySaver(), store=InMemoryStore())

    def ask(number: int) -> Any:
        return asyncio.run(graph.ainvoke(asked(story[:5000], number), thread(number), context=SMALL))

    with ThreadPoolExecutor(len(MANY)) as several:
        found = list(several.map(ask, MANY))
    assert {one["status"] for one in found} == {"answered"}
    assert len(server.answered) == len(set(server.answered))


IN_A_LOOP = """
import asyncio
from blockbuster import blockbuster_ctx
from readgraph.language.detection import language_of
async def read():
    return language_of("El guardián encendió la lámpara y bajó a la orilla.")
with blockbuster_ctx():
    print(asyncio.run(read()))
"""


@pytest.mark.slow
def test_a_language_is_seen_in_a_loop_that_refuses_to_wait_for_files() -> None:
    pytest.importorskip("blockbuster", reason="comes with the development server: pip install 'langgraph-cli[inmem]'")
    ran = subprocess.run([sys.executable, "-c", IN_A_LOOP], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout.strip()) == (0, "es"), ran.stderr

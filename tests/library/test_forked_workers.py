"""Workers that are forked after their parent has read, as prefork servers and task queues do, read too."""

import asyncio
import atexit
import multiprocessing
import os
import sqlite3
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from readgraph import LibraryError, ReaderContext, open_library, open_library_in_background
from readgraph.graphs import gam, read_agent
from readgraph.library.store import hold_build_lock
from tests.doubles.model_server import ModelServer

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is forked here"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning", "ignore:The graph has no store"),
]

WITHOUT_MODEL = ReaderContext(model="")
ASKED: Any = {"text": "The keeper lit the lamp.", "question": "Who lit the lamp?"}


def in_worker(work: Callable[[], Any], leaves: bool = False) -> Any:
    """What the work gives, or its error's line, in a forked child; `leaves`: which then ends as a program does."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_worker, args=(work, there, leaves))
    process.start()
    try:
        assert here.poll(60), "the worker hangs"
        said = here.recv()
        process.join(60)
        assert process.exitcode == 0, "the worker hangs at its end"
        return said
    finally:
        process.kill()


def _worker(work: Callable[[], Any], there: Connection, leaves: bool) -> None:
    try:
        said = work()
    except LibraryError as problem:
        said = str(problem)
    there.send(said)
    if leaves:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()


def thread(name: object) -> Any:
    return {"configurable": {"thread_id": str(name)}}


@pytest.mark.parametrize("context", [WITHOUT_MODEL, ReaderContext(model="openai:double")], ids=["extractive", "model"])
@pytest.mark.slow
def test_a_graph_without_a_library_runs_in_a_worker(server: ModelServer, context: ReaderContext) -> None:
    def read() -> Any:
        return read_agent.graph.invoke(ASKED, context=context)["status"]

    status = "answered" if context.model else "nearest"
    assert [read(), in_worker(read), in_worker(read, leaves=True), read()] == [status] * 4


@pytest.mark.filterwarnings("ignore:local.* runs on this machine")
def test_a_model_of_this_machine_runs_for_parent_and_worker(local_double: Path) -> None:
    def read(question: str) -> Any:
        asked: Any = {**ASKED, "question": question}
        return read_agent.graph.invoke(asked, context=ReaderContext(model="local"))["status"]

    there = [read("Who?"), in_worker(lambda: read("When?"), leaves=True), read("Where?")]
    assert there == ["answered"] * 3


def test_a_store_and_its_search_indexes_go_along(server: ModelServer) -> None:
    graph = gam.build().compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    context = ReaderContext(model="openai:double")

    def read() -> Any:
        return graph.invoke(ASKED, thread(1), context=context)["status"]

    assert [read(), in_worker(read), read()] == ["answered"] * 3


@pytest.mark.slow
def test_a_library_of_the_parent_says_where_to_open_it(tmp_path: Path) -> None:
    with open_library_in_background(tmp_path / "library") as library:
        graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
        kept = read_agent.build().compile(store=library.store)

        def goes_on() -> Any:
            return graph.invoke(ASKED, thread(1), context=WITHOUT_MODEL)["status"]

        works: list[Callable[[], Any]] = [
            goes_on,
            lambda: kept.invoke(ASKED, context=WITHOUT_MODEL),
            lambda: asyncio.run(kept.ainvoke(ASKED, context=WITHOUT_MODEL)),
            lambda: graph.get_state(thread(1)).values,
            lambda: list(graph.get_state_history(thread(1))),
        ]
        assert goes_on() == "nearest"
        for work in works:
            said = in_worker(work)
            assert said.endswith("was opened before this process was forked: open it in the worker.")
        assert in_worker(library.close, leaves=True) is None
        assert goes_on() == "nearest"


def test_a_worker_opens_the_library_that_its_parent_has_open(tmp_path: Path) -> None:
    folder = tmp_path / "library"

    def read(name: str) -> Any:
        with open_library_in_background(folder) as library:
            graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
            return graph.invoke(ASKED, thread(name), context=WITHOUT_MODEL)["status"]

    with open_library_in_background(folder) as library:
        graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
        graph.invoke(ASKED, thread("parent"), context=WITHOUT_MODEL)
        assert in_worker(lambda: read("worker")) == "nearest"
        assert graph.get_state(thread("worker")).values["status"] == "nearest"


def test_what_a_worker_writes_stays_when_its_parent_closes_first(tmp_path: Path) -> None:
    folder, go_on = tmp_path / "library", multiprocessing.get_context("fork").Event()
    here, there = multiprocessing.Pipe()

    def write() -> None:
        async def documents() -> None:
            async with open_library(folder) as library:
                await library.pages.add_document("Before.")
                there.send("open")
                go_on.wait(60)
                await library.pages.add_document("After.")

        asyncio.run(documents())

    with open_library_in_background(folder):
        worker = multiprocessing.get_context("fork").Process(target=write)
        worker.start()
        assert here.poll(60)
    with open_library_in_background(folder):
        pass
    go_on.set()
    worker.join(60)
    assert worker.exitcode == 0
    with sqlite3.connect(folder / "library.sqlite") as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        values = [value for (value,) in file.execute("SELECT value FROM store")]
    for text in ("Before.", "After."):
        assert any(text in str(value) for value in values)


@pytest.mark.slow
def test_workers_that_are_forked_while_others_write(tmp_path: Path) -> None:
    folder = tmp_path / "library"

    async def add(number: int) -> None:
        async with open_library(folder) as library:
            await library.pages.add_document(f"The lamp {number}.")

    def added(number: int) -> None:
        asyncio.run(add(number))

    with open_library_in_background(folder) as library:
        ended = threading.Event()

        def write() -> None:
            while not ended.is_set():
                library.store.put(("busy",), "one", {"held": "x" * 5000})

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(5):
                in_worker(partial(added, number))
        finally:
            ended.set()
            writer.join()
        assert library.store.get(("busy",), "one")
    with sqlite3.connect(folder / "library.sqlite") as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_lock_of_the_parent_does_not_stop_a_worker() -> None:
    store = InMemoryStore()

    async def build() -> str:
        async with hold_build_lock(store, "memory"):
            return "built"

    async def build_while_the_parent_does() -> Any:
        async with hold_build_lock(store, "memory"):
            return in_worker(lambda: asyncio.run(build()))

    assert asyncio.run(build_while_the_parent_does()) == "built"

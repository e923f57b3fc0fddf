"""Many processes, threads and coroutines over one library: nothing is lost or done twice, and nobody waits for ever.

`READGRAPH_AT_ONCE=2.5 pytest -n 0 -m slow tests/library/test_many_at_once.py` has two and a half times as many at once.
"""

import asyncio
import faulthandler
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from readgraph.graphs import gam, read_agent
from readgraph.library.opening import open_library, open_library_in_background
from readgraph.library.upkeep.checking import check
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, Forgotten
from readgraph.state.loops import in_background
from tests.doubles.model_server import ModelServer
from tests.support.forking import forked_call

pytestmark = pytest.mark.slow

TIMES = float(os.environ.get("READGRAPH_AT_ONCE", 1))
PROCESSES, THREADS, COROUTINES = (int(TIMES * each) for each in (16, 64, 200))
LONGEST = 300
"""Seconds after which a test that hangs prints where all of its threads stand, and ends."""

CONTEXT = ReaderContext(model="openai:double", min_page_words=60, max_page_words=120, memo_page_words=100)
WITHOUT_MODEL = ReaderContext(model="", min_page_words=60, max_page_words=120)


@pytest.fixture(autouse=True)
def stacks() -> Iterator[None]:
    """Where something hangs, the stacks of all threads are printed."""
    faulthandler.dump_traceback_later(LONGEST, exit=True, file=2)
    yield
    faulthandler.cancel_dump_traceback_later()


def work(folder: Path, number: int, texts: list[str], environment: dict[str, str]) -> None:
    """A process reads and asks: documents of its own, one that all share, and one that is forgotten meanwhile."""
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    os.environ.update(environment)  # it is forked from a process that was begun by an earlier test

    async def all_of_it() -> None:
        async with open_library(folder) as library:
            graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
            own = await library.pages.add_document(f"Process {number}. {texts[1]}", title=f"Of {number}")
            shared = await library.pages.add_document(texts[0], title="Shared")
            for document in (own, shared):
                config: Any = {"configurable": {"thread_id": f"{number} {document.title}"}}
                given: Any = {"document": document.id, "question": "Who took the log book?"}
                assert (await graph.ainvoke(given, config, context=CONTEXT))["status"] == "answered"
            with suppress(Forgotten, BadInput):  # what others forget meanwhile says so in a line
                passing = await library.pages.add_document(texts[2], title="Passing")
                given, config = {"document": passing.id}, {"configurable": {"thread_id": f"{number} passing"}}
                await graph.ainvoke(given, config, context=WITHOUT_MODEL)
                await forget_document(library, passing)

    asyncio.run(all_of_it())
    faulthandler.cancel_dump_traceback_later()


def test_processes_read_ask_and_forget_over_one_library(server: ModelServer, tmp_path: Path, story: str) -> None:
    folder, texts = tmp_path / "library", [story[:4000], story[4000:4400], story[6000:7000]]
    started: list[BaseProcess] = [
        forked_call(work, folder, number, texts, {**os.environ}) for number in range(PROCESSES)
    ]
    for process in started:
        process.join()
    assert [process.exitcode for process in started] == [0] * PROCESSES
    asked = Counter(request.key for request in server.requests)
    shared = [request.key for request in server.requests if not request.text.count("Process ")]
    assert max(asked[key] for key in shared if not is_question(server, key)) == 1, "the shared document was read once"

    async def kept() -> None:
        async with open_library(folder) as library:
            documents = {document.title for document in await library.pages.documents()}
            assert documents - {"Passing"} == {"Shared", *(f"Of {number}" for number in range(PROCESSES))}
            graph = read_agent.build().compile(checkpointer=library.checkpointer, store=library.store)
            for number in range(PROCESSES):
                for title in ("Shared", f"Of {number}"):
                    state = await graph.aget_state({"configurable": {"thread_id": f"{number} {title}"}})
                    assert state.values["status"] == "answered"
            assert not await check(library)

    asyncio.run(kept())


def is_question(server: ModelServer, key: str) -> bool:
    """Whether a request belongs to the answer: those that ask at the same time may each be made."""
    return any("Who took the log book?" in request.text for request in server.requests if request.key == key)


@pytest.mark.parametrize("method", [read_agent, gam])
def test_threads_on_one_compiled_graph(server: ModelServer, tmp_path: Path, story: str, method: Any) -> None:
    with open_library_in_background(tmp_path / "library") as library:
        graph = method.build().compile(checkpointer=library.checkpointer, store=library.store)
        document = in_background(library.pages.add_document, story[:4000])
        failed, found = list[BaseException](), dict[int, str]()

        def ask(number: int) -> None:
            try:
                asked: Any = {"document": document.id, "question": f"Who bought the tide station, {number}?"}
                config: Any = {"configurable": {"thread_id": str(number)}}
                found[number] = graph.invoke(asked, config, context=CONTEXT)["status"]
            except BaseException as problem:
                failed.append(problem)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed and found == dict.fromkeys(range(THREADS), "answered")
        for number in range(THREADS):
            state = graph.get_state({"configurable": {"thread_id": str(number)}})
            assert state.values["question_text"].endswith(f", {number}?")
        assert max(Counter(request.key for request in server.requests).values()) == 1, "nothing was asked twice"


@pytest.mark.parametrize("method", [read_agent, gam])
async def test_coroutines_on_one_compiled_graph(server: ModelServer, tmp_path: Path, story: str, method: Any) -> None:
    async with open_library(tmp_path / "library") as library:
        graph = method.build().compile(checkpointer=library.checkpointer, store=library.store)
        document = await library.pages.add_document(story[:4000])
        passing = await library.pages.add_document(story[4000:6000])

        async def ask(number: int) -> str:
            asked: Any = {"document": document.id, "question": f"Who bought the tide station, {number}?"}
            config: Any = {"configurable": {"thread_id": str(number)}}
            return str((await graph.ainvoke(asked, config, context=CONTEXT))["status"])

        async def read_and_forget() -> None:
            given: Any = {"document": passing.id}
            config: Any = {"configurable": {"thread_id": "passing"}}
            reading = asyncio.ensure_future(graph.ainvoke(given, config, context=CONTEXT))
            await forget_document(library, passing)
            with suppress(Forgotten, BadInput):  # it had begun, or it comes too late
                await reading

        *statuses, _ = await asyncio.gather(*map(ask, range(COROUTINES)), read_and_forget())
        assert statuses == ["answered"] * COROUTINES
        for number in range(COROUTINES):
            state = await graph.aget_state({"configurable": {"thread_id": str(number)}})
            assert state.values["question_text"].endswith(f", {number}?")
        assert max(Counter(request.key for request in server.requests).values()) == 1, "nothing was asked twice"
        assert [each.id for each in await library.pages.documents()] == [document.id]
        assert not await check(library)

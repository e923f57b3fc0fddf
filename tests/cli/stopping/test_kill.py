"""A build that is killed goes on where it was: the same memory in the end, and no answered call paid twice."""

import asyncio
import json
import os
import random
import re
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from readgraph.library.opening import open_library
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import reader
from tests.doubles.surveyor import Surveyor, column
from tests.support.command import DOUBLE
from tests.support.examples import WHOLE_STORY
from tests.support.forking import ended, forked

IN_FLIGHT, KILLS = 4, 10
ANSWERED_MEANWHILE = 2  # calls that may be answered between the one that asks for the kill and the kill

Memory = tuple[list[tuple[int, int]], list[str]]


class KillingReader:
    """Replies as the reader does, each marked with its call's number, and kills the process at a given call.

    However late the kill comes on a busy machine, only so many calls are answered before it.
    """

    def __init__(self, respond: Callable[[ChatRequest], Any] = reader) -> None:
        self.respond = respond
        self.asked: dict[int, str] = {}
        self.numbering = threading.Lock()
        self.process: BaseProcess | None = None
        self.started = threading.Event()  # a process may ask before its starter has it
        self.kill_at = sys.maxsize
        self.delay = 0.0
        self.killed = threading.Event()

    def __call__(self, request: ChatRequest) -> str | dict[str, object]:
        with self.numbering:
            number = len(self.asked) + 1
            self.asked[number] = request.key
        if number == self.kill_at:
            threading.Timer(self.delay, self.kill).start()
        if number > self.kill_at + ANSWERED_MEANWHILE:
            self.killed.wait(60)
        said = self.respond(request)
        return f"{said} (call {number})" if isinstance(said, str) else {**said, "reason": f"(call {number})"}

    def kill(self) -> None:
        """Kill the process that asks; where the call came from one that is dead already, the next one."""
        assert self.started.wait(60) and self.process
        self.started.clear()
        self.process.kill()
        self.killed.set()

    def start(self, *given: object, out: str | Path = os.devnull) -> BaseProcess:
        """Start the command in a process of its own, the one that is killed."""
        self.killed.clear()
        self.started.clear()
        self.process = forked(*given, out=out)
        self.started.set()
        return self.process


def read_in(library: Path, answers: KillingReader, *what: object, out: str | Path = os.devnull) -> int | None:
    """Run the command over the story in a process of its own, by default `read`; gives its exit code."""
    given = (*(what or ("read",)), WHOLE_STORY, *DOUBLE, "--library", library, "--concurrency", IN_FLIGHT)
    return ended(answers.start(*given, out=out))


def memory_in(library: Path) -> Memory:
    """Page spans and gists of the only memory, without the call numbers."""

    async def load() -> Memory:
        async with open_library(library) as opened:
            (document,) = await opened.pages.documents()
            (memory,) = await opened.pages.memories(document.id)
            assert memory.complete
            pages = await opened.pages.pages(memory.id, range(memory.pages))
            notes = await opened.pages.notes(memory.id, range(memory.pages))
            gists = [re.sub(r" \(call \d+\)", "", note.text) for note in notes]
            return [(page.start, page.end) for page in pages], gists

    return asyncio.run(load())


def paid_for(library: Path, answers: KillingReader) -> set[str]:
    """The prompts whose replies are recorded."""

    async def load() -> set[str]:
        async with open_library(library) as opened:
            items = await opened.store.asearch(("readgraph", "replies"), limit=10_000)
            calls = [re.search(r"\(call (\d+)\)", item.value["said"]) for item in items]
            return {answers.asked[int(call.group(1))] for call in calls if call}

    return asyncio.run(load())


@pytest.mark.slow
def test_kills_change_nothing_and_cost_nothing(server: ModelServer, tmp_path: Path) -> None:
    server.respond = whole = KillingReader()
    assert read_in(tmp_path / "whole", whole) == 0

    server.latency = 0.02
    server.respond = answers = KillingReader()
    library, rng = tmp_path / "killed", random.Random(13)
    for kill in range(KILLS):
        answers.kill_at, answers.delay = len(answers.asked) + rng.randint(1, 8), rng.uniform(0, 0.03)
        before, paid = len(answers.asked), paid_for(library, answers)
        assert read_in(library, answers) == -signal.SIGKILL, f"run {kill} was not killed"
        asked_now = {answers.asked[number] for number in range(before + 1, len(answers.asked) + 1)}
        assert not asked_now & paid, "an answered call was paid twice"

    before, paid, answers.kill_at = len(answers.asked), paid_for(library, answers), sys.maxsize
    assert read_in(library, answers) == 0
    assert not {answers.asked[number] for number in range(before + 1, len(answers.asked) + 1)} & paid
    assert memory_in(library) == memory_in(tmp_path / "whole")
    assert len(answers.asked) <= len(whole.asked) + KILLS * IN_FLIGHT


@pytest.mark.slow
def test_a_survey_that_is_killed_ten_times_pays_for_no_part_twice(server: ModelServer, tmp_path: Path) -> None:
    taking = {"columns": [column("who")], "same_by": [], "result": "count"}
    surveyor = Surveyor(r"(Marian|Iolo|Desmond)[^.\n]{20,60}", taking)
    server.respond, server.latency = KillingReader(surveyor), 0.02
    what = ("ask", "How often are they named?", "--method", "survey", "--survey-words", 100, "--json")
    assert read_in(tmp_path / "whole", server.respond, *what, out=made(tmp_path / "whole.json")) == 0

    server.respond = answers = KillingReader(surveyor)
    library, rng = tmp_path / "killed", random.Random(13)
    for _ in range(KILLS):
        answers.kill_at, answers.delay = len(answers.asked) + rng.randint(1, 12), rng.uniform(0, 0.03)
        assert read_in(library, answers, *what) == -signal.SIGKILL
    answers.kill_at = sys.maxsize
    assert read_in(library, answers, *what, out=made(tmp_path / "killed.json")) == 0
    whole, killed = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("whole", "killed"))
    assert whole["answer"] == killed["answer"] and int(whole["answer"]) > 50
    assert whole["table"]["rows"] == killed["table"]["rows"]
    asked = [*answers.asked.values()]
    assert len(asked) - len({*asked}) <= KILLS * IN_FLIGHT, "only calls in flight are paid again"


def made(file: Path) -> Path:
    """A file that a process can write to."""
    file.touch()
    return file

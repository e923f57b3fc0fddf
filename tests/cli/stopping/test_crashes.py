"""Killed at any moment, whatever it was doing: given again, each command ends as if nothing had happened.

`READGRAPH_CRASHES=100 pytest -n 0 -m slow tests/cli/stopping/test_crashes.py` kills so many times, spread over all
commands and methods. A moment is the number of a call or of a write, drawn from a seed. With `-m postgres` the
libraries are on a server.
"""

import asyncio
import json
import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evaluation.tests.support import datasets as made
from readgraph.graphs.methods import METHODS
from readgraph.library.opening import open_library
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.graphs.test_mem_gpt_lives import KillingAgent, kept_events, taken_in
from tests.support.command import Command
from tests.support.crashing import UNDISTURBED, Crashing, Moment
from tests.support.examples import EXAMPLES
from tests.support.postgres_server import ON_SERVER, PostgresServer
from tests.support.questions import GOAT, WELL, story_file

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("READGRAPH_CRASHES", 14))
KILLS_ON_SERVER = int(os.environ.get("READGRAPH_CRASHES", 5))
IN_FLIGHT = 2
SETTINGS = f"""
model = "openai:double"
embeddings = "openai:double-embeddings"
concurrency = {IN_FLIGHT}
min_page_words = 60
max_page_words = 120
segment_words = 100
memo_page_words = 100
survey_words = 100
chunk_words = 100
children = 3
"""
QUESTION = "Who took the log book?"

Address = Callable[[str], str]
"""The address of the library with this name."""


@dataclass(frozen=True)
class Case:
    """A command that is killed and given again; `before`: one that is given first, and not killed."""

    command: tuple[object, ...]
    before: tuple[object, ...] = ()


ASKED = {f"ask {method}": Case(("ask", QUESTION, "{text}", "--method", method, "--json")) for method in METHODS}
READ = ("read", "{text}", "--json")
OTHERS = {
    "read": Case(READ),
    "read two": Case(("read", "{text}", "{other}", "--method", "gam", "--json")),
    "remember": Case(("remember", "chat", "{chat}", "--json")),
    "table": Case(("table", "{text}", "what happens", "--json")),
    "summarise": Case(("summarise", "{text}", "--words", 60, "--json")),
    "compress gists": Case(("compress", "{text}", "--budget", 150, "--json")),
    "compress tree": Case(("compress", "{text}", "--budget", 150, "--engine", "memwalker_tree", "--json")),
    "compress memos": Case(("compress", "{text}", "--budget", 150, "--engine", "gam_memos", "--json")),
    "compare": Case(("compare", QUESTION, "{text}", "--methods", "read-agent,gam", "--json")),
    "evaluate": Case(("evaluate", "{questions}", "--methods", "read-agent,gam", "--out", "{out}", "--json")),
    "evaluate web": Case(("evaluate", "{web}", "--methods", "web-agent,web-bm25", "--out", "{out}", "--json")),
    "correct": Case(("correct", "{text}", "--part", 1, "--text", "My own words.", "--json"), READ),
    "collection": Case(("collection", "add", "both", "{text}", "--json"), READ),
    "ask again": Case(("ask", QUESTION, "{text}", "--json"), READ),
}
CASES = ASKED | OTHERS


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Address]:
    """Libraries with names: folders, or databases of a server."""
    if request.param == "folder":
        yield lambda name: str(tmp_path / name)
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    made = dict[str, str]()
    with ExitStack() as databases:

        def database(name: str) -> str:
            return made.get(name) or made.setdefault(name, databases.enter_context(server.database()))

        yield database


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """What the commands read."""
    (tmp_path / "settings.toml").write_text(SETTINGS)
    story, chat = EXAMPLES / "the-lamp-at-sarn-head.txt", EXAMPLES / "allotment-chat.txt"
    texts = story.read_text(encoding="utf-8"), chat.read_text(encoding="utf-8")
    given = {"text": texts[0][:4000], "other": texts[0][4000:7000], "chat": texts[1][:3000]}
    for name, text in given.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    web = made.array(tmp_path / "web.json", made.mind2web_task())
    questions = story_file(tmp_path, GOAT, WELL)
    return {name: str(tmp_path / f"{name}.txt") for name in given} | {"web": str(web), "questions": str(questions)}


class Killed:
    """A case, run once undisturbed and then killed so many times, over libraries of their own."""

    def __init__(self, case: Case, crashing: Crashing, readgraph: Command, files: dict[str, str], address: Address):
        self.case, self.crashing, self.readgraph, self.files, self.address = case, crashing, readgraph, files, address
        self.began = 0

    def begin(self, name: str) -> None:
        """From now on a new library is used."""
        os.environ["READGRAPH_LIBRARY"] = self.address(name)
        self.files["out"] = str(self.crashing.folder / f"{name}-out")
        if self.case.before:
            assert self.run(self.case.before) == 0
        self.crashing.asked.clear()

    def run(self, command: tuple[object, ...], at: Moment = UNDISTURBED) -> int | None:
        return self.crashing.run(*(str(part).format(**self.files) for part in command), at=at)

    def result(self) -> Any:
        """What the last command printed, and what the library holds."""
        printed = (self.crashing.folder / "printed").read_text(encoding="utf-8")
        return lasting(json.loads(printed)), asyncio.run(held(os.environ["READGRAPH_LIBRARY"]))

    def undisturbed(self) -> tuple[Any, Counter[str], int]:
        self.begin("whole")
        assert self.run(self.case.command) == 0
        return self.result(), Counter(self.crashing.asked), len(self.crashing.writes)

    def kill(self, kills: int, chance: random.Random) -> None:
        """Kill so many times; each library takes one to three kills."""
        whole, asked, writes = self.undisturbed()
        done = 0
        while done < kills:
            self.began += 1
            self.begin(f"killed-{self.began}")
            planned, killed = min(kills - done, chance.randint(1, 3)), 0
            for _ in range(planned):
                calls = asked.total() // planned
                moment = moment_of(chance.randint(1, calls + writes // planned), calls)
                code = self.run(self.case.command, moment)
                assert code in (0, -signal.SIGKILL), (moment, self.crashing.writes[-3:])
                killed += code != 0
                self.assert_sound(moment)
            assert self.run(self.case.command) == 0
            assert_same(self.result(), whole)
            again = self.crashing.asked - asked
            assert not asked - self.crashing.asked and again.total() <= IN_FLIGHT * killed, again
            assert {*again} <= {*asked}
            done += killed

    def assert_sound(self, moment: Moment) -> None:
        """Nothing is torn, and `show` tells what is there."""
        where = (moment, self.crashing.writes[-3:])
        assert self.readgraph("library", "check", "--json").json == {"faults": []}, where
        shown = self.readgraph("show", "--json").json
        there = asyncio.run(held(os.environ["READGRAPH_LIBRARY"]))
        documents = [key for kind, key in there if kind == "readgraph.documents"]
        assert sorted(each["id"] for each in shown) == sorted(documents), where
        for document in shown:
            for memory in document["memories"]:
                assert memory["pages"] == sum(kind == f"readgraph.pages.{memory['id']}" for kind, _ in there), where
                assert memory["notes"] == sum(kind == f"readgraph.notes.{memory['id']}" for kind, _ in there), where


def assert_same(found: Any, whole: Any) -> None:
    """The same was printed, and the same is held; what differs is named."""
    assert found[0] == whole[0]
    assert {*found[1]} == {*whole[1]}, {*found[1]} ^ {*whole[1]}
    assert {key: value for key, value in found[1].items() if value != whole[1][key]} == {}


PASSING = {"usage", "cost", "steps", "seconds", "processing_ms", "library", "what"}
PASSING |= {"added", "known", "started", "began", "ended"}
"""What differs between two runs of the same command, one of which found what was paid for before."""

OF_A_RUN = {"agents", "archive", "archive-indexes", "events", "summaries"}
"""What a run keeps under its own name: one that was killed leaves it, until its document is forgotten."""


def lasting(value: Any) -> Any:
    """A JSON value without what differs between two runs."""
    if isinstance(value, dict):
        return {name: lasting(part) for name, part in value.items() if name not in PASSING}
    return [*map(lasting, value)] if isinstance(value, list) else value


async def held(library: str) -> dict[tuple[str, str], Any]:
    """All that a library holds."""
    async with open_library(library) as opened:
        items = await opened.store.asearch((), limit=10**6)
        kept = [item for item in items if item.namespace[1] not in OF_A_RUN]
        return {(".".join(item.namespace), item.key): lasting(item.value) for item in kept}


def share(of: int, number: int, parts: int) -> int:
    """So many of the whole fall to the part with this number."""
    return of * (number + 1) // parts - of * number // parts


def shares(kills: int) -> dict[str, int]:
    """How many kills each case gets."""
    return {name: own for number, name in enumerate(CASES) if (own := share(kills, number, len(CASES)))}


WHERE = pytest.mark.parametrize(
    ("address", "kills"),
    [("folder", KILLS), pytest.param("server", KILLS_ON_SERVER, marks=ON_SERVER)],
    indirect=["address"],
    ids=["folder", "server"],
)


@pytest.mark.parametrize(
    ("address", "name", "kills"),
    [("folder", *each) for each in shares(KILLS).items()]
    + [pytest.param("server", *each, marks=ON_SERVER) for each in shares(KILLS_ON_SERVER).items()],
    indirect=["address"],
)
def test_killed_anywhere_it_ends_as_if_nothing_had_happened(
    server: ModelServer,
    readgraph: Command,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    files: dict[str, str],
    address: Address,
    name: str,
    kills: int,
) -> None:
    monkeypatch.setenv("READGRAPH_LIBRARY", "")  # put back at the end
    killed = Killed(CASES[name], Crashing(server, tmp_path, reader), readgraph, files, address)
    killed.kill(kills, random.Random(name))


@WHERE
def test_a_forgetting_that_is_killed_leaves_nothing_in_the_end(
    server: ModelServer,
    readgraph: Command,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    files: dict[str, str],
    address: Address,
    kills: int,
) -> None:
    monkeypatch.setenv("READGRAPH_LIBRARY", "")
    case, chance = Case(("forget", files["text"], "--yes"), ("ask", QUESTION, files["text"])), random.Random(5)
    killed = Killed(case, Crashing(server, tmp_path, reader), readgraph, files, address)
    killed.begin("whole")
    assert killed.run(case.command) == 0
    writes, left = len(killed.crashing.writes), asyncio.run(held(os.environ["READGRAPH_LIBRARY"]))
    assert {key for _, key in left} <= {"noted"}, "what says how the library is kept, and nothing of a document"
    for number in range(-(-kills // 20)):
        killed.begin(f"killed-{number}")
        moment = Moment(write=chance.randint(1, writes))
        assert killed.run(case.command, moment) == -signal.SIGKILL
        killed.assert_sound(moment)
        assert killed.run(case.command) in (0, 2)  # 2: opening the library finished it, and there is no such document
        assert asyncio.run(held(os.environ["READGRAPH_LIBRARY"])) == left, moment


STEP = "INTO checkpoints"
"""How a step is written; what its node made is kept before, in a transaction of its own or in the same one."""


@WHERE
def test_a_chat_that_is_killed_goes_on(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: Address, kills: int
) -> None:
    crashing, chance = Crashing(server, tmp_path, KillingAgent()), random.Random(7)
    lines = [f"This is line {number}." for number in range(3)]

    def chat(library: str, left: list[str], at: Moment = UNDISTURBED) -> int | None:
        monkeypatch.setenv("READGRAPH_LIBRARY", address(library))
        command = ("chat", "--agent", "ada", "--model", "openai:double", "--json")
        return crashing.run(*command, said="".join(f"{line}\n" for line in left), at=at)

    def events(library: str) -> list[tuple[str, str, str]]:
        found = asyncio.run(kept_events(address(library)))
        return [(event.kind, event.text, str(event.result)) for event in found]

    assert chat("whole", lines) == 0
    whole, calls, writes = events("whole"), crashing.asked.total(), crashing.writes
    steps = [number for number, write in enumerate(writes) if STEP in write and writes[number - 1] == "COMMIT"]
    before_a_step_is_kept = [Moment(write=number + 1) for number in steps[:: len(steps) // 4 or 1]]
    at_any = [moment_of(chance.randint(1, calls + len(writes)), calls) for _ in range(-(-kills // 20))]
    for number, at in enumerate([*before_a_step_is_kept, *at_any]):
        library, asked = f"killed-{number}", crashing.asked.total()
        code = chat(library, lines, at)
        assert code in (0, -signal.SIGKILL)
        assert code == 0 or chat(library, lines[asyncio.run(taken_in(address(library))) :]) == 0
        assert events(library) == whole, at
        assert crashing.asked.total() - asked <= calls + (code != 0), at


def moment_of(number: int, calls: int) -> Moment:
    """One of the calls, or one of the writes."""
    return Moment(call=number) if number <= calls else Moment(write=number - calls)

"""A long mixed run: whether memory, threads and descriptors stay flat, and what the library's files grow with.

    python -m benchmarks.soak [--minutes 60] [--pause 0]

Three processes share one library and one model (a double in a fourth): a program that reads, asks, surveys,
summarises, chats and forgets with every method in turn; `readgraph serve`; and `readgraph mcp`. They use the same few
texts again and again, since what is worked out from a text is kept for a while, and ask other questions each time.
After 30 % of the time, and a round of all texts, in which each loads what it needs, they are looked at every second.
Prints the medians of the first and the last quarter of the rest, and what the library grew by meanwhile; ends with 1
where a last quarter is more than 1.05 times the first (and more by over 20 MB, 2 descriptors, or a pool of threads).
`--pause`: seconds between two steps of each, so that other work goes on beside it.
"""

import argparse
import asyncio
import itertools
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from httpx2 import Client
from mcp import Client as McpClient
from mcp.client.stdio import StdioServerParameters

from readgraph import ReaderContext, open_library
from readgraph.features.agents.lives import agent_config
from readgraph.features.agents.mem_gpt import build_chat
from readgraph.graphs.methods import METHODS
from readgraph.library.upkeep.forgetting import forget_document
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import reader

MOST_GROWTH = 1.05
WARMING_UP = 0.3
"""The share of the time in which each process loads what it needs."""

WORDS_OF_A_TEXT, TEXTS = 1500, 6
WORDS_OF_A_MESSAGE = 600  # so many that the agent's window is full while it warms up
CONTEXT = ReaderContext(
    model="openai:double",
    embeddings="openai:double-embeddings",
    segment_words=300,
    memo_page_words=400,
    max_page_words=400,
)
NAMES = ("memory", "threads", "descriptors")
MAY_COME = {"memory": 20, "threads": min(32, (os.cpu_count() or 1) + 4), "descriptors": 2}
"""What may come besides: SQLite keeps up to 2 MB of pages for each of about five connections, and the allocator what
it once gave for them; asyncio's pool begins a thread only when all that it has are busy, however late."""


def text_of(number: int) -> str:
    """One of the texts."""
    number %= TEXTS
    sentence = "The keeper of lamp {n} wrote on day {d} that the wind blew from the east and the goat stood still."
    return "\n\n".join(sentence.format(n=number, d=day) for day in range(WORDS_OF_A_TEXT // 20))


def serve_model(address: Any) -> None:
    """In a process of its own: the model, which keeps nothing of what it was asked."""
    with ModelServer(reader) as server:

        def forgetful(request: ChatRequest) -> Any:
            server.requests.clear()
            server.answered.clear()
            return reader(request)

        server.respond = forgetful
        address.send(server.url)
        signal.pause()


async def program(folder: str, pause: float, rounds: Any) -> None:
    """In a process of its own: every method in turn, for ever."""
    async with open_library(folder) as library:
        build = {name: method.build() for name, method in METHODS.items()}
        graphs: Any = {
            name: builder.compile(checkpointer=library.checkpointer, store=library.store)
            for name, builder in build.items()
        }
        chat = build_chat().compile(checkpointer=library.checkpointer, store=library.store)
        for number in itertools.count():
            document = await library.pages.add_document(text_of(number), title="Book")
            for name, graph in graphs.items():
                asked = {"document": document.id, "question": f"What did the keeper write on day {number}?"}
                async for _ in graph.astream(asked, agent_config(f"soak {name} {number}"), context=CONTEXT):
                    pass
                await asyncio.sleep(pause)
            event: Any = {"kind": "user", "text": f"I saw lamp {number}.", "document": ""}
            await chat.ainvoke({"agent": "ada", "event": event}, agent_config("ada"), context=CONTEXT)
            await forget_document(library, document)
            rounds.value = number + 1


def run_program(folder: str, pause: float, rounds: Any) -> None:
    """In a process of its own: see `program`."""
    asyncio.run(program(folder, pause, rounds))


@contextmanager
def served(folder: str) -> Iterator["tuple[subprocess.Popen[str], Client]"]:
    """`readgraph serve`, and a client that may use it."""
    command = [sys.executable, "-m", "readgraph", "serve", "--no-open", "--port", "0", "--library", folder]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stderr
    try:
        match = re.search(r"(http://\S+)/\?token=(\S+)", process.stderr.readline())
        assert match
        threading.Thread(target=process.stderr.read, daemon=True).start()
        with Client(base_url=match[1], headers={"authorization": f"Bearer {match[2]}"}, timeout=600) as client:
            yield process, client
    finally:
        process.kill()
        process.wait()


def use_room(client: Client, pause: float, rounds: Any, ended: threading.Event) -> None:
    """Add texts, read them and ask about them as a person in the browser does."""

    def ran(run: Any) -> list[str]:
        with client.stream("GET", f"/api/runs/{run.json()['id']}/events") as response:
            return [line for line in response.iter_lines() if line]

    for number in itertools.count():
        if ended.is_set():
            return
        ran(client.put(f"/api/files/tale-{number % TEXTS}.txt", content=f"Tale.\n\n{text_of(number)}".encode()))
        listed = client.get("/api/documents").json()["documents"]
        tale = next(each["id"] for each in listed if each["title"].startswith("tale"))
        question = f"Who saw lamp {number}?"
        ran(client.post("/api/runs", json={"documents": [tale], "question": question}))
        told = f"{question} {' '.join(text_of(number).split()[:WORDS_OF_A_MESSAGE])}"
        ran(client.post("/api/agents/bo/messages", json={"text": told}))
        for path in ("/", "/api/about", "/api/questions", "/api/agents/bo", f"/api/documents/{tale}"):
            client.get(path)
        rounds.value = number + 1
        time.sleep(pause)


async def use_mcp(parameters: StdioServerParameters, pause: float, rounds: Any, ended: threading.Event) -> None:
    """Remember, list, search and ask as an agent does."""
    async with McpClient(parameters) as client:
        for number in itertools.count():
            if ended.is_set():
                return
            calls: dict[str, dict[str, Any]] = {
                "remember": {"document": "talks", "text": f"Lamp {number % TEXTS} was lit."},
                "list_documents": {},
                "search": {"query": f"lamp {number}"},
                "ask": {"question": f"When was lamp {number} lit?", "document": "talks"},
            }
            for tool, given in calls.items():
                result = await client.call_tool(tool, given)
                assert not result.is_error, result
            rounds.value = number + 1
            await asyncio.sleep(pause)


def looked_at(process: int) -> tuple[float, int, int]:
    """A process's memory in megabytes, its threads and its descriptors."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    memory, threads = (int(re.search(rf"{name}:\s+(\d+)", status)[1]) for name in ("VmRSS", "Threads"))  # type: ignore[index]
    return memory / 1024, threads, len(os.listdir(f"/proc/{process}/fd"))


def verdict(name: str, seen: list[tuple[float, int, int]]) -> bool:
    """Print a process's figures; whether they stayed flat."""
    quarter, flat = len(seen) // 4, True
    for what, values in zip(NAMES, zip(*seen, strict=True), strict=True):
        first, last = median(values[:quarter]), median(values[-quarter:])
        grown = last > MOST_GROWTH * first and last > first + MAY_COME.get(what, 0)
        flat &= not grown
        unit = " MB" if what == "memory" else ""
        told = "  GROWS" if grown else ""
        print(f"{name:8} {what:12} first quarter {first:6.0f}{unit}, last {last:6.0f}{unit} ({last / first:.3f}){told}")
    return flat


def size_of(folder: str) -> float:
    """Megabytes of a library's files."""
    return sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()) / 1e6


def soak(folder: str, minutes: float, pause: float) -> bool:
    """Run everything; whether all stayed flat."""
    spawning = multiprocessing.get_context("spawn")
    here, there = spawning.Pipe()
    model = spawning.Process(target=serve_model, args=(there,), daemon=True)
    model.start()
    os.environ |= {
        "OPENAI_BASE_URL": here.recv(),
        "OPENAI_API_KEY": "sk-not-a-real-key",
        "READGRAPH_MODEL": "openai:double",
        "READGRAPH_LIBRARY": folder,
    }
    rounds, ended = [spawning.Value("i", 0) for _ in range(3)], threading.Event()
    own = spawning.Process(target=run_program, args=(folder, pause, rounds[0]), daemon=True)
    own.start()
    with served(folder) as (room, client):
        users = [threading.Thread(target=use_room, args=(client, pause, rounds[1], ended))]
        listed = StdioServerParameters(command=sys.executable, args=["-m", "readgraph", "mcp"], env={**os.environ})
        users.append(threading.Thread(target=lambda: asyncio.run(use_mcp(listed, pause, rounds[2], ended))))
        for user in users:
            user.start()
        time.sleep(60 * minutes * WARMING_UP)
        while (
            any(synchronized.value <= TEXTS for synchronized in rounds)
            and own.is_alive()
            and all(user.is_alive() for user in users)
        ):
            time.sleep(1)
        until = time.monotonic() + 60 * minutes * (1 - WARMING_UP)
        server = _child(b"readgraph\0mcp")
        size = size_of(folder)
        seen: dict[str, list[tuple[float, int, int]]] = {"program": [], "serve": [], "mcp": []}
        while time.monotonic() < until:
            assert own.is_alive() and all(user.is_alive() for user in users), "one of them has ended"
            for name, process in (("program", own.pid), ("serve", room.pid), ("mcp", server)):
                seen[name].append(looked_at(process or 0))
            time.sleep(1)
        ended.set()
        for user in users:
            user.join()
    own.kill()
    model.kill()
    grown = f"grew from {size:.1f} to {size_of(folder):.1f} MB by what was asked and said"
    print(f"{minutes:g} minutes; after the first {WARMING_UP:.0%} and {TEXTS} texts the library {grown}")
    flat = [verdict(name, each) for name, each in seen.items()]
    return all(flat)


def _child(words: bytes) -> int:
    """The process of ours whose command holds these words."""
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        if words in status.read_bytes() and f"\nPPid:\t{os.getpid()}\n" in (status.parent / "status").read_text():
            return int(status.parent.name)
    raise LookupError("It has ended.")


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--pause", type=float, default=0)
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        flat = soak(folder, args.minutes, args.pause)
    sys.exit(0 if flat else 1)


if __name__ == "__main__":
    main()

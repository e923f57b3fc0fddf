"""What a long conversation costs: time per turn and checkpoint size of an agent, with a double that does not delay.

    python -m benchmarks.living [--events 10000] [--window 4000]

A turn is a user's message and the agent's reaction: it answers; in every fifth turn it first edits its working context,
inserts a passage, or searches recall or archival storage. The double runs in its own process. Prints the median time of
a turn over the first and over the last thousand events with their ratio, and the size of the largest checkpoint.
"""

import argparse
import asyncio
import contextlib
import os
import re
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI

from benchmarks.gisting import model_server
from readgraph import ReaderContext, open_library
from readgraph.features.agents.conversation import TIDIED_AFTER
from readgraph.features.agents.lives import agent_config, drop_old_checkpoints
from readgraph.features.agents.mem_gpt import build_chat
from tests.doubles.agent import Step, call, say, sums_up
from tests.doubles.model_server import ChatRequest

SAYS = "On day {n} the keeper of lamp {n} wrote that the wind stood in the north and that the oil was low. "

FUNCTION_TURNS = 5
"""Every turn of this number calls a function before it answers."""


def respond(request: ChatRequest) -> str | Step:
    """The double's reply: the day in the newest event decides whether to call a function, and which one."""
    if sums_up(request):
        return "The keepers wrote of wind and oil, day after day."
    newest = request.text.split("\n</events>")[0].rsplit("<event ", 1)[-1]
    day = re.search(r": user.*\n.*On day (\d+)", newest)
    if not day or int(day[1]) % FUNCTION_TURNS:
        return say("So the wind stands in the north again, and you are low on oil. I will think of it.")
    number = int(day[1])
    return [
        call("memory_rewrite", block="human", text=f"A keeper of lamps; the last one was lamp {number}."),
        call("archival_insert", text=f"Lamp {number} was low on oil on day {number}."),
        call("recall_search", words=f"lamp {number // 2}"),
        call("archival_search", query=f"lamp {number // 2} oil"),
    ][number // FUNCTION_TURNS % 4]


async def live(folder: str, events: int, context: ReaderContext) -> list[tuple[int, float, float]]:
    """For each turn: the number of events at its end, seconds, and seconds of this process's processor time."""
    turns = list[tuple[int, float, float]]()
    async with open_library(folder) as library:
        graph = build_chat().compile(checkpointer=library.checkpointer, store=library.store)
        done = 0
        while done < events:
            event = {"kind": "user", "text": SAYS.format(n=len(turns))}
            graph_input: Any = {"agent": "keeper", "event": event}
            start, processor_start = time.perf_counter(), time.process_time()
            output = await graph.ainvoke(graph_input, agent_config("keeper"), context=context, durability="sync")
            if len(turns) % TIDIED_AFTER == 0:
                await drop_old_checkpoints(library, "keeper")
            spent = time.perf_counter() - start, time.process_time() - processor_start
            assert output["status"] == "answered", output
            done += 1 + output["usage"]["calls"] - sum(step["node"] == "evict" for step in output["steps"])
            turns.append((done, *spent))
    return turns


async def bare(url: str, calls: int = 200) -> float:
    """Median seconds that the bare SDK needs for a call with such a prompt."""
    client, seconds = AsyncOpenAI(base_url=url, api_key="none", max_retries=0), list[float]()
    for _ in range(calls):
        start = time.perf_counter()
        prompt: Any = [{"role": "user", "content": SAYS * 100}]
        await client.chat.completions.create(model="double", messages=prompt)
        seconds.append(time.perf_counter() - start)
    await client.close()
    return statistics.median(seconds)


def checkpoint_sizes(folder: str) -> tuple[int, int]:
    """Bytes of the largest checkpoint and of the whole file."""
    path = Path(folder) / "checkpoints.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as saved:
        (largest,) = saved.execute("SELECT max(length(checkpoint) + length(metadata)) FROM checkpoints").fetchone()
    return largest, path.stat().st_size


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--window", type=int, default=4000)
    options = parser.parse_args()
    part = min(1000, options.events // 2)
    with model_server(0.0, "benchmarks.living:respond") as url, tempfile.TemporaryDirectory() as folder:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        context = ReaderContext(model="openai:double", window_words=options.window)
        turns = asyncio.run(live(folder, options.events, context))
        largest, file = checkpoint_sizes(folder)
        floor = 1000 * asyncio.run(bare(url))
    first = [turn for turn in turns if turn[0] <= part]
    last = [turn for turn in turns if turn[0] > turns[-1][0] - part]
    print(f"{turns[-1][0]:,} events in {len(turns):,} turns, window {options.window:,} words, zero latency")
    for name, column in (("time per turn", 1), ("processor time of this process per turn", 2)):
        early, late = (1000 * statistics.median(turn[column] for turn in turns_of) for turns_of in (first, last))
        print(f"{name}: first {part} events {early:.1f} ms, last {part} {late:.1f} ms, ratio {late / early:.2f}")
    print(f"a bare SDK call with such a prompt takes {floor:.1f} ms; most turns make one call")
    print(f"largest checkpoint: {largest:,} bytes; all checkpoints: {file / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

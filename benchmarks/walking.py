"""The overhead of MemWalker: growing a tree, and walking it.

    python -m benchmarks.walking [--segments 512] [--at-once 32] [--latency 0.5] [--walk-latency 0.05] [--runs 2]

Growing: every group's text is over the limit, so that each node on each level costs a call; the floor is the sum
over the levels of ⌈nodes / at once⌉ × latency. Walking: the model double goes down to the leftmost unvisited child
and reverts at each leaf, so that a walk visits nodes until it has no hops left. The overhead per hop is the time
without the latency of the calls; on a busy machine the processor time is more reliable. The server runs in its own
process; figures are the best of the runs.
"""

import argparse
import asyncio
import math
import os
import re
import tempfile
import time
from dataclasses import replace

from benchmarks.gisting import SENTENCE, model_server
from readgraph import ReaderContext, open_library
from readgraph.graphs.mem_walker import build
from readgraph.graphs.wiring.joined import join_steps
from readgraph.state.reading import Question
from readgraph.state.summary_tree import TreeShape
from tests.doubles.model_server import ChatRequest

SEGMENT_WORDS = 100


def responder(request: ChatRequest) -> str | dict[str, object]:
    """The double's replies: notes of 30 words; down to the first unvisited part, and back from every leaf."""
    wanted = request.schema_name or ""
    if not wanted:
        return " ".join(request.last.split()[:30])
    if wanted.endswith("Verdict"):
        return {"reasoning": "It isn't here.", "quotes": [], "action": "revert", "found": None}
    visited = request.last.partition("can't be chosen: ")[2].partition(".")[0]
    done = {int(number) for number in re.findall(r"\d+", visited)}
    return {"reasoning": "It may be here.", "part": next(number for number in range(99) if number not in done)}


def made_text(segments: int) -> str:
    """A text of this many paragraphs, each the size of a segment."""
    return "\n\n".join((SENTENCE * 5).format(n=number) for number in range(segments))


async def grow(folder: str, text: str, context: ReaderContext) -> tuple[float, tuple[int, ...], int]:
    """Read the text and grow its tree; returns seconds, the number of nodes on each level, and calls."""
    async with open_library(folder) as library:
        graph = build().compile(checkpointer=library.checkpointer, store=library.store)
        warm = await library.pages.add_document(made_text(context.concurrency).replace("keeper", "baker"))
        await graph.ainvoke({"document": warm.id}, {"configurable": {"thread_id": "warm"}}, context=context)
        document = await library.pages.add_document(text, title="benchmark")
        start = time.perf_counter()
        output = await graph.ainvoke(
            {"document": document.id}, {"configurable": {"thread_id": "build"}}, context=context
        )
        seconds = time.perf_counter() - start
        memory = await library.pages.memory(document.id, output["memory"])
    return seconds, TreeShape.of(memory).counts, output["usage"]["calls"]


async def walk(folder: str, text: str, context: ReaderContext, run: int) -> tuple[float, float, int, int]:
    """Walk over the existing tree; returns seconds, seconds of processor time, hops and calls.

    A short walk comes first to open the connection to the model, which belongs to the event loop.
    """
    async with open_library(folder) as library:
        graph = build().compile(checkpointer=library.checkpointer, store=library.store)
        document = await library.pages.add_document(text, title="benchmark")
        short = Question(document=document.id, question=f"What is there before run {run}?")
        await graph.ainvoke(
            short, {"configurable": {"thread_id": f"short {run}"}}, context=replace(context, max_hops=2)
        )
        start = end = (0.0, 0.0)
        question = Question(document=document.id, question=f"What did nobody write in run {run}?")
        async for event in graph.astream(
            question, {"configurable": {"thread_id": f"walk {run}"}}, context=context, stream_mode="updates"
        ):
            if "enter" in event:
                start = time.perf_counter(), time.process_time()
            elif "answer" not in event and "cite" not in event:
                end = time.perf_counter(), time.process_time()
        snapshot = await graph.aget_state({"configurable": {"thread_id": f"walk {run}"}})
    seconds, processor = end[0] - start[0], end[1] - start[1]
    return seconds, processor, len(snapshot.values["hops"]), snapshot.values["usage"]["calls"]


async def walk_joined(folder: str, text: str, context: ReaderContext, run: int) -> tuple[float, int]:
    """Walk with steps joined and one checkpoint, as where questions are served; returns seconds and calls."""
    async with open_library(folder) as library:
        graph = join_steps(build()).compile(checkpointer=library.checkpointer, store=library.store)
        document = await library.pages.add_document(text, title="benchmark")
        for hops in (2, context.max_hops):  # the first one opens the connection to the model
            question = Question(document=document.id, question=f"What did nobody write in run {run} of {hops}?")
            start = time.perf_counter()
            found = await graph.ainvoke(
                question,
                {"configurable": {"thread_id": f"joined {run} {hops}"}},
                context=replace(context, max_hops=hops),
                durability="exit",
            )
    return time.perf_counter() - start, found["usage"]["calls"]


def measure_growing(options: argparse.Namespace, text: str, context: ReaderContext, folder: str) -> float:
    """Grow the tree in a new library and print its time; returns the ratio to the floor."""
    with model_server(options.latency, "benchmarks.walking:responder") as url:
        os.environ["OPENAI_BASE_URL"] = url
        seconds, counts, calls = asyncio.run(grow(folder, text, context))
    floor = sum(math.ceil(count / options.at_once) for count in counts) * options.latency
    print(
        f"tree of {' + '.join(map(str, counts))} nodes, {calls} calls of {options.latency * 1000:.0f} ms: "
        f"{seconds:.2f} s, floor {floor:.2f} s, ratio {seconds / floor:.2f}"
    )
    return float(seconds / floor)


def measure_walking(options: argparse.Namespace, text: str, context: ReaderContext, folder: str) -> float:
    """Walk over the existing tree and print its time; returns the overhead in milliseconds per hop."""
    best = math.inf
    with model_server(options.walk_latency, "benchmarks.walking:responder") as url:
        os.environ["OPENAI_BASE_URL"] = url
        for run in range(1, options.runs + 1):
            seconds, processor, hops, calls = asyncio.run(walk(folder, text, context, run))
            overhead = 1000 * (seconds - calls * options.walk_latency) / hops
            latency = options.walk_latency * 1000
            print(
                f"walk of {hops} hops, {calls} calls of {latency:.0f} ms: {seconds:.2f} s, overhead "
                f"{overhead:.1f} ms per hop, processor {1000 * processor / hops:.1f} ms"
            )
            best = min(best, overhead)
    return best


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=512)
    parser.add_argument("--at-once", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--walk-latency", type=float, default=0.05)
    parser.add_argument("--hops", type=int, default=32)
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    text = made_text(options.segments)
    context = ReaderContext(
        model="openai:double",
        concurrency=options.at_once,
        segment_words=SEGMENT_WORDS,
        node_words=60,
        max_hops=options.hops,
    )
    ratio, overhead = math.inf, math.inf
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            ratio = min(ratio, measure_growing(options, text, context, folder))
            overhead = min(overhead, measure_walking(options, text, context, folder))
    print(
        f"best: growing {ratio:.2f} x its floor, {options.at_once} at once; walking {overhead:.1f} ms overhead per hop"
    )


if __name__ == "__main__":
    main()

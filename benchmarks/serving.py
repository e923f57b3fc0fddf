"""Many questions at once in one process, without a model, beside a bare LangGraph graph over the same checkpointer.

    python -m benchmarks.serving [--questions 256] [--at-once 64] [--runs 3] [--durability async exit]

Each method answers questions about a text that it has read, step by step and with steps joined (`join_steps`); the bare
graph has six nodes that do nothing. Prints how many questions a second each answered, and that as a share of the bare
graph's, by the clock and by the processor's time (which other work on the machine disturbs less); each the median of
the runs. Both have the same durability: a checkpoint after each step (`async`), or one at the end (`exit`). What is
imported is left out of garbage collection, as `readgraph serve` does. The aims are 0.5 for ReadAgent and MemWalker and
0.3 for GAM.
"""

import argparse
import asyncio
import gc
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from benchmarks.checkpoints import made_text
from readgraph import Library, ReaderContext, open_library
from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.graphs.wiring.joined import join_steps

AIMS = {"read_agent": 0.5, "mem_walker": 0.5, "gam": 0.3}
TEXT_MEGABYTES = 0.05
NODES = 6


class Bare(TypedDict):
    question: str
    document: str


def bare_graph() -> StateGraph[Bare]:
    """Six nodes in a row, each of which writes the question again."""
    builder = StateGraph(Bare)
    names = [START, *(f"step {number}" for number in range(NODES))]
    for before, name in pairwise(names):
        builder.add_node(name, _do_nothing)
        builder.add_edge(before, name)
    return builder


async def _do_nothing(state: Bare) -> dict[str, str]:
    return {"question": state["question"]}


async def rate(
    graph: Any, document: str, questions: int, at_once: int, run: str, durability: str = "async"
) -> tuple[float, float]:
    """Questions a second, by the clock and by the processor's time, each in a thread of its own."""
    limit = asyncio.Semaphore(at_once)

    async def ask(number: int) -> None:
        async with limit:
            asked = {"document": document, "question": f"What did the keeper of lamp {number} write about the wind?"}
            config = {"configurable": {"thread_id": f"{run} {number}"}}
            await graph.ainvoke(asked, config, context=ReaderContext(model=""), durability=durability)

    start, used = time.perf_counter(), time.process_time()
    await asyncio.gather(*map(ask, range(questions)))
    return questions / (time.perf_counter() - start), questions / (time.process_time() - used)


async def measure(
    library: Library, questions: int, at_once: int, runs: int, durability: str = "async"
) -> dict[str, float]:
    """Print each method's rate; returns their shares of the bare graph's."""
    document = (await library.pages.add_document(made_text(TEXT_MEGABYTES), title="benchmark")).id
    builders = {method.__name__.rpartition(".")[2]: method.build() for method in (read_agent, mem_walker, gam)}
    builders |= {f"{name}, joined": join_steps(builder) for name, builder in builders.items()}
    graphs: dict[str, Any] = {"bare": bare_graph().compile(checkpointer=library.checkpointer)}
    graphs |= {
        name: builder.compile(checkpointer=library.checkpointer, store=library.store)
        for name, builder in builders.items()
    }
    for name, graph in graphs.items():
        await rate(graph, document, 1, 1, f"{name} reads")
    gc.collect()
    gc.freeze()
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in graphs}
    for run in range(runs):  # in turn, so that other work on the machine comes to all alike
        for name, graph in graphs.items():
            rates[name].append(await rate(graph, document, questions, at_once, f"{name} {run}", durability))
    found = {name: [median(values) for values in zip(*each, strict=True)] for name, each in rates.items()}
    bare = found.pop("bare")
    print(f"durability {durability}: bare graph of {NODES} nodes: {bare[0]:.0f} a second")
    for name, (by_clock, by_processor) in found.items():
        shares = f"{by_clock / bare[0]:.2f} of the bare graph, by processor time {by_processor / bare[1]:.2f}"
        print(f"{name}: {by_clock:.0f} a second, {shares} (aim {AIMS[name.partition(',')[0]]})")
    return {name: by_clock / bare[0] for name, (by_clock, _) in found.items()}


async def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=256)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--durability", nargs="+", choices=["sync", "async", "exit"], default=["async", "exit"])
    options = parser.parse_args()
    for durability in options.durability:
        with tempfile.TemporaryDirectory() as folder:
            async with open_library(Path(folder) / "library") as library:
                await measure(library, options.questions, options.at_once, options.runs, durability)


if __name__ == "__main__":
    asyncio.run(main())

"""How long building a memory takes. Paging is a chain of calls, so stretches of the text are paged in parallel.

python -m benchmarks.building [--words 200000] [--stretches 1 8] [--latency 0.1] [--at-once 32]
"""

import argparse
import asyncio
import os
import tempfile
import time

from benchmarks.checkpoints import made_text
from benchmarks.gisting import model_server
from readgraph import ReaderContext, open_library
from readgraph.graphs.read_agent import build


async def measure_build(folder: str, text: str, context: ReaderContext) -> tuple[float, int, int]:
    """Build the text's memory; returns seconds, pages and calls."""
    async with open_library(folder) as library:
        document = await library.pages.add_document(text, title="benchmark")
        graph = build().compile(store=library.store)
        start = time.perf_counter()
        output = await graph.ainvoke({"document": document.id}, context=context)
        seconds = time.perf_counter() - start
        memory = await library.pages.memory(document.id, output["memory"])
    return seconds, memory.pages, output["usage"]["calls"]


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--stretches", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--at-once", type=int, default=32)
    options = parser.parse_args()
    text = made_text(options.words * 4.65 / 1_000_000)
    first = 0.0
    with model_server(options.latency, "tests.doubles.reader:reader") as url:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        for stretches in options.stretches:
            context = ReaderContext(model="openai:double", concurrency=options.at_once, stretches=stretches)
            with tempfile.TemporaryDirectory() as folder:
                seconds, pages, calls = asyncio.run(measure_build(folder, text, context))
            first = first or seconds
            print(
                f"{len(text.split()):,} words, {options.latency * 1000:.0f} ms per call, {stretches} stretches: "
                f"{pages} pages, {calls} calls, {seconds:.1f} s; {first / seconds:.1f} x as fast as the first"
            )


if __name__ == "__main__":
    main()

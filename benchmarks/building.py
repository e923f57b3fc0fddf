"""How long a first reading takes, beside the calls that it makes: the floor is calls / at once × latency.

    python -m benchmarks.building [ROW ...] [--words 200000] [--latency 0.5] [--at-once 16]

A row is a method, with settings where they are others than the defaults, such as read-agent@stretches=1, the paper's
own order. A survey's question is part of its reading. The server runs in its own process.
"""

import argparse
import asyncio
import os
import tempfile
import time
from typing import Any

from benchmarks.checkpoints import made_text
from benchmarks.gisting import model_server
from readgraph import ReaderContext, open_library
from readgraph.graphs.methods import find_methods

ROWS = ("read-agent", "mem-walker", "gam", "summary", "survey")
MOST = 1.3  # times the floor


async def measure_reading(folder: str, row: str, text: str, context: ReaderContext) -> tuple[float, int]:
    """Read a text by a row's method; returns seconds and calls."""
    method = next(method for method in find_methods() if method.name == row.partition("@")[0])
    given: dict[str, Any] = {"question": "What did the keepers write?"} if method.name == "survey" else {}
    async with open_library(folder) as library:
        graph: Any = method.build().compile(store=library.store)
        warm, document = [await library.pages.add_document(part) for part in (text[: len(text) // 50], text)]
        await graph.ainvoke({"document": warm.id, **given}, context=context)
        start = time.perf_counter()
        output = await graph.ainvoke({"document": document.id, **given}, context=context)
        return time.perf_counter() - start, output["usage"]["calls"]


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", default=ROWS, metavar="ROW")
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--at-once", type=int, default=16)
    options = parser.parse_args()
    text = made_text(options.words * 4.65 / 1_000_000)
    print(f"{len(text.split()):,} words, {options.latency * 1000:.0f} ms a call, {options.at_once} at once")
    with model_server(options.latency, "tests.doubles.reader:reader") as url:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        for row in options.rows:
            own = dict(setting.split("=") for setting in row.partition("@")[2].split(",") if setting)
            settings: dict[str, Any] = {name: int(value) for name, value in own.items()}
            context = ReaderContext(model="openai:double", concurrency=options.at_once, **settings)
            with tempfile.TemporaryDirectory() as folder:
                seconds, calls = asyncio.run(measure_reading(folder, row, text, context))
            floor = calls * options.latency / options.at_once
            print(f"{row}: {calls} calls, {seconds:.1f} s, {seconds / floor:.2f} x the floor (at most {MOST})")


if __name__ == "__main__":
    main()

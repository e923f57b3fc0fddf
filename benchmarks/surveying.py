"""What a survey costs over a model server of fixed latency: its time beside the floor, and its own time a page.

    python -m benchmarks.surveying [--pages 400] [--at-once 32] [--latency 0.5]

The floor is (1 + ⌈pages / at once⌉) × latency: the plan, then the records of all pages. The survey's own time is the
processor time of its process, of which a bare SDK client that sends the same number of prompts uses a part, too. The
server runs in its own process. Each page gives five records, and the answer is their number.
"""

import argparse
import asyncio
import math
import os
import tempfile
import time
from typing import Any

from benchmarks.gisting import bare, model_server
from readgraph import ReaderContext, open_library
from readgraph.features.survey.graph import build
from readgraph.features.survey.records import survey_records_prompt
from readgraph.state.words import count_words
from tests.doubles.model_server import ChatRequest
from tests.doubles.surveyor import Surveyor, column

ENTRY = "On day {n} the keeper put the launch off, for a wind of {wind} knots. "
REST = "Nobody else came by, the oil was low, and the gulls sat on the rail of the gallery until it was dark again. "

surveyor = Surveyor(
    r"On day (\d+) the keeper put the launch off, for a wind of (\d+) knots",
    {"columns": [column("day", "number"), column("wind", "number")], "result": "count"},
)


def respond(request: ChatRequest) -> Any:
    """The records of a page."""
    surveyor.asked.clear()
    return surveyor(request)


def made_text(pages: int, begin: int = 0) -> str:
    """A text that is cut into about this many pages, of five entries or a few more each."""
    entries = [ENTRY.format(n=number, wind=number % 60) + REST * 4 for number in range(begin, begin + pages * 5)]
    return "\n\n".join(entries)


async def survey(folder: str, url: str, pages: int, at_once: int) -> tuple[float, float, int]:
    """Seconds, and seconds of the processor, from the question to the answer, and the number of pages."""
    os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
    context = ReaderContext(model="openai:double", concurrency=at_once, survey_words=count_words(made_text(1)) + 1)
    async with open_library(folder) as library:
        graph = build().compile(store=library.store)
        warm, document = [
            await library.pages.add_document(made_text(count, begin), title=str(count))
            for count, begin in ((at_once, 100_000), (pages, 0))
        ]
        await graph.ainvoke({"document": warm.id, "question": "How often was it put off?"}, context=context)
        await graph.ainvoke({"document": document.id}, context=context)
        begun, used = time.perf_counter(), time.process_time()
        asked: Any = {"document": document.id, "question": "How often was the launch put off?"}
        found = await graph.ainvoke(asked, context=context)
        seconds = time.perf_counter() - begun, time.process_time() - used
    assert found["answer"] == str(pages * 5), found["answer"]
    assert found["usage"]["calls"] == len(found["pages_read"]) + 1, found["usage"]
    return *seconds, len(found["pages_read"])


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--at-once", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    passage = survey_records_prompt(made_text(1), "a postponement", surveyor.plan["columns"])
    pages = options.pages
    best, best_used, best_bare = math.inf, math.inf, math.inf
    with model_server(options.latency, "benchmarks.surveying:respond") as url:
        for _ in range(options.runs):
            with tempfile.TemporaryDirectory() as folder:
                seconds, used, pages = asyncio.run(survey(folder, url, options.pages, options.at_once))
            best, best_used = min(best, seconds), min(best_used, used)
            begun = time.process_time()
            asyncio.run(bare(url, [(passage.system, passage.user)] * pages, options.at_once))
            best_bare = min(best_bare, time.process_time() - begun)
    floor = (1 + math.ceil(pages / options.at_once)) * options.latency
    own, sdk = 1000 * best_used / pages, 1000 * best_bare / pages
    print(
        f"{pages} pages, {options.at_once} at once, {options.latency * 1000:.0f} ms a call: "
        f"floor {floor:.2f} s, survey {best:.2f} s, {best / floor:.2f} of the floor (at most 1.15); "
        f"own time a page {own:.1f} ms (at most 5), of which the bare SDK's is {sdk:.1f}"
    )


if __name__ == "__main__":
    main()

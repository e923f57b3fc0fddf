"""What GAM's memorizer costs: words in prompts, time with several pages per batch, overhead per call.

    python -m benchmarks.memorizing [--pages 437] [--timed-pages 109] [--block 8] [--latency 0.5]

Each session of the history is one page of about 1,500 words, distributed as in real texts (few are frequent, many are
rare); a memo has 100 words. The server runs in its own process. The overhead is the time of a build, one call at a
time, without the server's latency; it includes the server's own processing.
"""

import argparse
import asyncio
import os
import random
import re
import tempfile
import time
from itertools import accumulate

from benchmarks.gisting import model_server
from readgraph import ReaderContext, open_library
from readgraph.graphs.gam import build_memorize
from readgraph.library.histories import SessionText, append_sessions
from tests.doubles.model_server import ChatRequest

MEMO_WORDS, HEADER_WORDS, PAGE_WORDS, LINE_WORDS = 100, 25, 1_500, 15
VOCABULARY = 20_000


def made_sessions(count: int) -> list[SessionText]:
    """Sessions of one page each, the same in every run."""
    rng = random.Random(11)
    words = ["".join(rng.choices("abcdeiklmnorstu", k=rng.randint(3, 9))) for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
    sessions = []
    for number in range(count):
        drawn = rng.choices(words, cum_weights=weights, k=PAGE_WORDS)
        turns = [" ".join(drawn[first : first + LINE_WORDS]) for first in range(0, PAGE_WORDS, LINE_WORDS)]
        sessions.append(SessionText(".\n".join(turns), time=f"day {number + 1}"))
    return sessions


def memo(request: ChatRequest) -> dict[str, object]:
    """The double's reply: the passage's first words as memo and header."""
    passage = re.split(r"<passage(?:-\d+)?>", request.text)[-1].split()
    return {"memo": " ".join(passage[:MEMO_WORDS]), "header": " ".join(passage[:HEADER_WORDS])}


async def measure_memorizing(pages: int, context: ReaderContext) -> tuple[float, float]:
    """Memorise this many pages; returns seconds, and words in prompts / words of text."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_library(folder) as library:
            graph = build_memorize().compile(store=library.store)
            first = " ".join(reversed(made_sessions(1)[0].text.split()))  # long enough to load the language detector
            warm = await append_sessions(library.pages, "warm", [SessionText(first)])
            await graph.ainvoke({"document": warm.document.id}, context=context)
            document = (await append_sessions(library.pages, "history", made_sessions(pages))).document
            start = time.perf_counter()
            output = await graph.ainvoke({"document": document.id}, context=context)
            seconds = time.perf_counter() - start
            memory = await library.pages.memory(document.id, output["memory"])
    assert memory.complete and memory.pages == pages == output["usage"]["calls"] and not output["fallbacks"], output
    return seconds, output["usage"]["input_words"] / document.words


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=437)
    parser.add_argument("--timed-pages", type=int, default=109)
    parser.add_argument("--block", type=int, default=8)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    context = ReaderContext(model="openai:double")
    with model_server(0.0, "benchmarks.memorizing:memo") as url:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        seconds, ratio = min(asyncio.run(measure_memorizing(options.pages, context)) for _ in range(options.runs))
        overhead = 1000 * seconds / options.pages
        print(
            f"{options.pages} pages: words in prompts / words of text {ratio:.2f}; "
            f"overhead per call {overhead:.1f} ms, best of {options.runs}"
        )
        for pages in (28, options.timed_pages):
            _, ratio = asyncio.run(measure_memorizing(pages, context))
            print(f"{pages} pages: words in prompts / words of text {ratio:.2f}")
    with model_server(options.latency, "benchmarks.memorizing:memo") as url:
        os.environ |= {"OPENAI_BASE_URL": url}
        timed = {
            batch: asyncio.run(measure_memorizing(options.timed_pages, context))[0]
            for batch in (1, options.block)
            for context in [ReaderContext(model="openai:double", memorize_batch=batch)]
        }
    overhead = 1000 * (timed[1] / options.timed_pages - options.latency)
    print(
        f"{options.timed_pages} pages, {options.latency * 1000:.0f} ms per call: one by one {timed[1]:.1f} s "
        f"(overhead per call {overhead:.1f} ms), batches of {options.block} {timed[options.block]:.1f} s: "
        f"{timed[1] / timed[options.block]:.1f} x as fast"
    )


if __name__ == "__main__":
    main()

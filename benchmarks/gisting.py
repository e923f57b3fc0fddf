"""The overhead of calling a model: gisting ready pages with a model server of fixed latency.

    python -m benchmarks.gisting [--pages 400] [--at-once 32] [--latency 0.5 0.05]

For each latency it prints the floor (⌈pages / at once⌉ × latency), the time of a single bare SDK client that sends the
same prompts in the same run, readgraph's time, and the ratios. The server runs in its own process.
"""

import argparse
import asyncio
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from langgraph.runtime import Runtime
from openai import AsyncOpenAI

from readgraph import ReaderContext, open_library
from readgraph.graphs import read_agent
from readgraph.library.opening import Library
from readgraph.nodes.building.notes import gist_prompt
from readgraph.nodes.building.parts import candidate_ends, paragraph_ends
from readgraph.state.records import Page
from readgraph.state.words import count_words

SENTENCE = "On day {n} the keeper of lamp {n} wrote that the wind stood in the north and the oil was low. "


def made_text(pages: int) -> str:
    """A text of about `pages` pages of 440 words."""
    paragraphs = [(SENTENCE * 5).format(n=number) for number in range(pages * 5)]
    return "\n\n".join(paragraphs)


@contextmanager
def model_server(latency: float, respond: str = "tests.doubles.model_server:echo") -> Iterator[str]:
    """Run a model double in a process of its own; yields its base URL."""
    command = [sys.executable, "-m", "tests.doubles.model_server", "--latency", str(latency), "--respond", respond]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait()


async def bare(url: str, prompts: list[tuple[str, str]], at_once: int) -> float:
    """Seconds that one bare SDK client needs for the same prompts."""
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    slots = asyncio.Semaphore(at_once)

    async def send(system: str, user: str) -> None:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        async with slots:
            await client.chat.completions.create(model="double", messages=messages)  # type: ignore[arg-type]

    await asyncio.gather(*(send("warm", "up") for _ in range(at_once)))
    start = time.perf_counter()
    await asyncio.gather(*(send(*prompt) for prompt in prompts))
    seconds = time.perf_counter() - start
    await client.close()
    return seconds


async def ready_pages(library: Library, context: ReaderContext, pages: int) -> tuple[str, list[tuple[str, str]]]:
    """Add a document with pages but without gists; returns its id and the prompts that gisting will send."""
    text = made_text(pages)
    document = await library.pages.add_document(text, title="benchmark")
    memory = await library.pages.open_memory(document.id, read_agent.recipe(context))
    ends, start, prompts = paragraph_ends(text), 0, list[tuple[str, str]]()
    while start < len(text):
        end = candidate_ends(text, ends, start, context.min_page_words, context.max_page_words)[0]
        if len(prompts) == pages - 1:
            end = len(text)
        page = Page(memory.pages, start, end, count_words(text[start:end]), "rule")
        memory = await library.pages.add_page(memory, page)
        prompt = gist_prompt(text[start:end])
        prompts.append((prompt.system, prompt.user))
        start = end
    return document.id, prompts


async def readgraph(folder: str, url: str, pages: int, at_once: int) -> tuple[float, list[tuple[str, str]]]:
    """Seconds that the graph's `read` node needs, and the prompts that it sent."""
    os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
    context = ReaderContext(model="openai:double", concurrency=at_once)
    async with open_library(folder) as library:
        # The client is made and its connections are opened before the measurement, as for the bare client.
        warm, _ = await ready_pages(library, replace(context, sample=1), at_once)
        document, prompts = await ready_pages(library, context, pages)
        runtime = Runtime(context=replace(context, sample=1), store=library.store)
        await read_agent.read.ainvoke({"document": warm}, runtime=runtime)
        start = time.perf_counter()
        update = await read_agent.read.ainvoke(
            {"document": document}, runtime=Runtime(context=context, store=library.store)
        )
        seconds = time.perf_counter() - start
    assert update["usage"]["calls"] == len(prompts), update
    return seconds, prompts


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--at-once", type=int, default=32)
    parser.add_argument("--latency", type=float, nargs="+", default=[0.5, 0.05])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"{options.pages} pages, {options.at_once} at once; seconds, best of {options.runs}")
    for latency in options.latency:
        floor = math.ceil(options.pages / options.at_once) * latency
        best_readgraph, best_bare = math.inf, math.inf
        with model_server(latency) as url:
            for _ in range(options.runs):
                with tempfile.TemporaryDirectory() as folder:
                    seconds, prompts = asyncio.run(readgraph(folder, url, options.pages, options.at_once))
                best_readgraph = min(best_readgraph, seconds)
                best_bare = min(best_bare, asyncio.run(bare(url, prompts, options.at_once)))
        overhead = 1000 * (best_readgraph - floor) / options.pages
        print(
            f"latency {latency * 1000:.0f} ms: floor {floor:.2f}, bare SDK {best_bare:.2f}, "
            f"readgraph {best_readgraph:.2f}; readgraph/floor {best_readgraph / floor:.2f}, "
            f"readgraph/bare {best_readgraph / best_bare:.2f}, overhead per call {overhead:.2f} ms"
        )


if __name__ == "__main__":
    main()

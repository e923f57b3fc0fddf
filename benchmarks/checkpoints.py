"""What a long text costs in checkpoints, memory and time: build and ask over a text of many megabytes.

    python -m benchmarks.checkpoints [--megabytes 10] [--with-model] [--questions 50]

Prints the bytes that the checkpointer wrote for one build and one question, the peak memory of the process, and
seconds. Without --with-model the reading is extractive; with it, the model double answers without delay. Then the same
number of questions is asked in one thread of each method, without a model, about a short text.
"""

import argparse
import asyncio
import contextlib
import os
import resource
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.gisting import SENTENCE, model_server
from readgraph import ReaderContext, open_library
from readgraph.graphs import gam, mem_walker, read_agent
from readgraph.graphs.read_agent import build
from readgraph.state.reading import Question

QUESTION = "What did the keeper of lamp 777 write about the wind?"


def made_text(megabytes: float) -> str:
    """A text of this many megabytes, in paragraphs of about 100 words."""
    paragraphs, size, number = list[str](), 0, 0
    while size < megabytes * 1_000_000:
        paragraphs.append((SENTENCE * 5).format(n=number))
        size += len(paragraphs[-1]) + 2
        number += 1
    return "\n\n".join(paragraphs)


async def read_and_ask(folder: str, text: str, context: ReaderContext) -> None:
    """Build the memory in one run, ask in a second run of the same thread, and print the time each took."""
    async with open_library(folder) as library:
        graph = build().compile(checkpointer=library.checkpointer, store=library.store)
        start = time.perf_counter()
        document = await library.pages.add_document(text, title="benchmark")
        print(
            f"stored {document.characters:,} characters, {document.words:,} words: {time.perf_counter() - start:.1f} s"
        )
        for graph_input in (Question(document=document.id), Question(document=document.id, question=QUESTION)):
            start = time.perf_counter()
            output = await graph.ainvoke(graph_input, {"configurable": {"thread_id": "benchmark"}}, context=context)
            memory = await library.pages.memory(document.id, output["memory"])
            run = "question" if "question" in graph_input else "build"
            seconds = time.perf_counter() - start
            print(f"{run}: {memory.pages:,} pages, {output['usage']['calls']:,} calls, {seconds:.1f} s")


async def ask_in_one_thread(folder: str, text: str, questions: int) -> None:
    """Ask this many questions in one thread of each method, and print what each of the second half added."""
    for method in (read_agent, mem_walker, gam):
        name = method.__name__.rpartition(".")[2]
        async with open_library(Path(folder) / name) as library:
            graph: Any = method.build().compile(checkpointer=library.checkpointer, store=library.store)
            document = (await library.pages.add_document(text, title="benchmark")).id
            half = 0
            for number in range(questions):
                if number == questions // 2:
                    half = checkpoint_bytes(str(library.folder))
                question = Question(document=document, question=QUESTION.replace("777", str(number)))
                await graph.ainvoke(question, {"configurable": {"thread_id": "long"}}, context=ReaderContext(model=""))
            added = (checkpoint_bytes(str(library.folder)) - half) / (questions - questions // 2)
        print(f"{name}: {questions} questions in one thread, {added:,.0f} bytes a question")


def checkpoint_bytes(folder: str) -> int:
    """Bytes of all checkpoints and pending writes."""
    with contextlib.closing(sqlite3.connect(Path(folder) / "checkpoints.sqlite")) as saved:
        tables = {"checkpoints": "length(checkpoint) + length(metadata)", "writes": "length(value)"}
        return sum(
            saved.execute(f"SELECT coalesce(sum({size}), 0) FROM {table}").fetchone()[0]
            for table, size in tables.items()
        )


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=10.0)
    parser.add_argument("--with-model", action="store_true")
    parser.add_argument("--questions", type=int, default=50)
    options = parser.parse_args()
    text = made_text(options.megabytes)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        context = ReaderContext(model="")
        if options.with_model:
            os.environ |= {"OPENAI_BASE_URL": stack.enter_context(model_server(0.0)), "OPENAI_API_KEY": "none"}
            context = ReaderContext(model="openai:double", concurrency=32)
        asyncio.run(read_and_ask(folder, text, context))
        file = os.path.getsize(Path(folder) / "checkpoints.sqlite")
        print(f"checkpoints of build and question: {checkpoint_bytes(folder):,} bytes (file {file:,} bytes)")
    if options.questions:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(ask_in_one_thread(folder, made_text(0.05), options.questions))
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()

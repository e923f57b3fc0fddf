"""What GAM's researcher costs and finds: overhead per call, and evidence recall on LoCoMo without a model.

    python -m benchmarks.researching [--pages 109] [--questions 20] [--latency 0.0 0.5] [--embeddings PROVIDER:NAME]

Cost: questions over a history with pages of 1,500 words, one by one; the double's verdict is never "enough", so each
question takes all rounds. The overhead is the time of a question without the server's latency; it includes the double's
own processing and other work on the machine. This process's processor time is printed too, since a busy machine changes
it less, and the overhead of a single bare SDK client that sends prompts of such sizes in the same run.

Recall: the share of LoCoMo's evidence turns (categories 1 to 4) on pages that were read, with one page per session;
and the share of pages that were read.
"""

import argparse
import asyncio
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from benchmarks.gisting import bare, model_server
from benchmarks.memorizing import made_sessions
from readgraph import ReaderContext, open_library
from readgraph.graphs.gam import build, build_memorize
from readgraph.graphs.wiring.joined import join_steps
from readgraph.library.histories import SessionText, append_sessions, sessions_of
from readgraph.library.opening import Library
from readgraph.state.reading import Question
from tests.doubles.model_server import ChatRequest

DATA = Path(__file__).parents[2] / "shared" / "data" / "locomo_mini.jsonl"


def researcher(request: ChatRequest) -> dict[str, object]:
    """The double's replies: search for words of the question and of a page, note beginnings of pages, ask for more."""
    wanted = request.schema_name
    pages = re.findall(r"<page (\d+)>\n(?:\[[^\n]*\]\n)?(.{200})", request.last, re.DOTALL)
    if wanted == "SearchPlan":
        question = request.last.split("<question>")[-1].split()
        known = request.last.split("</notes>")[0].split()[-6:]
        return {"needs": ["it"], "keyword": [" ".join(question[:6]), " ".join(known)], "vector": [], "page": [1, 5]}
    if wanted == "Integrated":
        notes = "\n".join(text for _, text in pages)
        quotes = [{"page": int(number), "quote": text[:80]} for number, text in pages[:3]]
        return {"content": notes, "sources": [int(number) for number, _ in pages], "quotes": quotes}
    return {"enough": False, "missing": ["one thing", "another"]} if wanted == "Verdict" else {"answer": "It is so."}


class Cost(NamedTuple):
    """What a question took: seconds by the clock, seconds of this process's processor time, calls."""

    seconds: float
    processor: float
    calls: int


async def question_costs(pages: int, questions: int, context: ReaderContext, *, joined: bool = False) -> list[Cost]:
    """The costs of this many questions, each in a thread of its own, after a first one that is not counted.

    `joined`: with steps joined and one checkpoint a question, as where questions are served.
    """
    with tempfile.TemporaryDirectory() as folder:
        async with open_library(folder) as library:
            sessions = made_sessions(pages)
            document = (await append_sessions(library.pages, "history", sessions)).document
            without_model = replace(context, model="")
            memorizer = build_memorize().compile(store=library.store)
            await memorizer.ainvoke({"document": document.id}, context=without_model)
            (memory,) = await library.pages.memories(document.id)
            # The memory was built without a model; the questions use it as it is.
            builder = build(memorize=lambda state: {"memory": memory.id})
            graph = (join_steps(builder) if joined else builder).compile(
                checkpointer=library.checkpointer, store=library.store
            )
            kept: Any = {"durability": "exit" if joined else "async"}
            costs = list[Cost]()
            for number in range(questions + 1):
                words = " ".join(sessions[(7 * number) % pages].text.split()[number : number + 6])
                config: Any = {"configurable": {"thread_id": str(number)}}
                question = Question(document=document.id, question=f"{words}?")
                start, processor_start = time.perf_counter(), time.process_time()
                output = await graph.ainvoke(question, config, context=context, **kept)
                spent = time.perf_counter() - start, time.process_time() - processor_start
                costs.append(Cost(*spent, output["usage"]["calls"]))
                assert not output["fallbacks"] and len(output["rounds"]) == context.rounds, output["steps"]
    return costs[1:]


def bare_seconds(url: str, questions: int) -> list[float]:
    """Seconds per call of a bare client that sends prompts of the same sizes as a question's."""
    words = " ".join(session.text for session in made_sessions(5)).split()
    prompts = [("system", " ".join(words[:size])) for size in (6_500, 7_500, 300) * 3]
    return [asyncio.run(bare(url, prompts, 1)) / len(prompts) for _ in range(questions)]


def conversations(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def session_text(session: dict[str, Any]) -> tuple[SessionText, dict[str, int]]:
    """A session's text with a line for each turn, and the offset of each turn in it."""
    lines, offsets, offset = list[str](), dict[str, int](), 0
    for turn in session["turns"]:
        offsets[turn["id"]] = offset
        lines.append(f"{turn['speaker']}: {' '.join(turn['text'].split())}")
        offset += len(lines[-1]) + 1
    return SessionText("\n".join(lines), time=str(session["date_time"])), offsets


async def recall(
    library: Library, conversation: dict[str, Any], context: ReaderContext
) -> list[tuple[float, float, float]]:
    """For each question: the share of its evidence turns that were read, the share of pages read, and seconds."""
    sessions = [session_text(session) for session in conversation["sessions"]]
    document = (await append_sessions(library.pages, conversation["doc_id"], [text for text, _ in sessions])).document
    turns = dict[str, int]()
    for session, (_, offsets) in zip(await sessions_of(library.pages, document), sessions, strict=True):
        turns |= {turn: session.start + offset for turn, offset in offsets.items()}
    graph, shares = build().compile(store=library.store), []
    for question in conversation["questions"]:
        evidence = [turns[turn] for turn in question["evidence"] if turn in turns]
        if question["category"] not in (1, 2, 3, 4) or not evidence:
            continue
        start = time.perf_counter()
        output = await graph.ainvoke({"document": document.id, "question": question["question"]}, context=context)
        seconds = time.perf_counter() - start
        memory = await library.pages.memory(document.id, output["memory"])
        read = await library.pages.pages(memory.id, output["pages_read"])
        turns_read = sum(any(page.start <= offset < page.end for page in read) for offset in evidence)
        shares.append((turns_read / len(evidence), len(read) / memory.pages, seconds))
    return shares


async def measure_recall(path: Path, context: ReaderContext) -> None:
    for rounds, pages in ((1, 1), (1, 3), (1, 5), (3, 5)):
        used = replace(context, rounds=rounds, pages_per_tool=pages)
        with tempfile.TemporaryDirectory() as folder:
            async with open_library(folder) as library:
                results = [
                    result
                    for conversation in conversations(path)
                    for result in await recall(library, conversation, used)
                ]
        evidence, read, seconds = (sum(column) / len(results) for column in zip(*results, strict=True))
        print(
            f"LoCoMo, {len(results)} questions, no model, {rounds} x {pages} pages per tool: evidence read "
            f"{100 * evidence:.1f} %, pages read {100 * read:.1f} %, {1000 * seconds:.0f} ms per question"
        )


@contextmanager
def double(latency: float) -> Iterator[str]:
    with model_server(latency, "benchmarks.researching:researcher") as url:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        yield url


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=109)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--latency", type=float, nargs="+", default=[0.0, 0.5])
    parser.add_argument("--embeddings", default="", help="PROVIDER:NAME or 'local', for the recall")
    options = parser.parse_args()
    for latency in options.latency:
        with double(latency) as url:
            context = ReaderContext(model="openai:double")
            costs = asyncio.run(question_costs(options.pages, options.questions, context))
            bare_ms = sorted(1000 * (seconds - latency) for seconds in bare_seconds(url, options.questions))
        overhead = sorted(1000 * (cost.seconds / cost.calls - latency) for cost in costs)
        processor = sorted(1000 * cost.processor / cost.calls for cost in costs)
        print(
            f"{options.pages} pages, {1000 * latency:.0f} ms per call: {mean(cost.calls for cost in costs):.1f} calls "
            f"and {mean(cost.seconds for cost in costs):.2f} s per question; overhead per call, median and best: "
            f"{median(overhead):.1f} and {overhead[0]:.1f} ms, processor time of it {median(processor):.1f} and "
            f"{processor[0]:.1f} ms; bare SDK {median(bare_ms):.1f} and {bare_ms[0]:.1f} ms"
        )
    if DATA.exists():
        asyncio.run(measure_recall(DATA, ReaderContext(model="", embeddings=options.embeddings)))
    else:
        print(f"recall: skipped, there is no {DATA}")


if __name__ == "__main__":
    main()

"""What GAM's researcher costs and finds: own time a model call, and evidence recall on LoCoMo without a model.

    python -m benchmarks.researching [--pages 109] [--questions 20] [--latency 0.0 0.5] [--embeddings PROVIDER:NAME]

Cost: questions over a history of pages of 1,500 words, asked one by one; the double never says enough, so each question
takes all rounds. Own time is what is left of a question when the server's latency is taken off; it holds the double's
own time too, and that of other work on the machine; what this process computed is given beside it, since a busy machine
changes that less. Beside it, the same of a bare reused SDK client that sends prompts of such sizes in the same run.

Recall: the share of LoCoMo's evidence turns (categories 1 to 4) that stand on pages which were read, one page a
session; beside it, the share of the pages that were read.
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
from readgraph.state.histories import SessionText, append_sessions, sessions_of
from readgraph.state.library import Library
from tests.doubles.model_server import ChatRequest

DATA = Path(__file__).parents[2] / "shared" / "data" / "locomo_mini.jsonl"


def researcher(request: ChatRequest) -> dict[str, object]:
    """The double's replies: searches for words of the question and of a page, notes pages' beginnings, wants more."""
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


class Asked(NamedTuple):
    """What a question took: seconds by the clock, seconds of this process's computing, calls."""

    seconds: float
    processor: float
    calls: int


async def asked(pages: int, questions: int, context: ReaderContext) -> list[Asked]:
    """What so many questions took, in a thread each; a first one warms up."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_library(folder) as library:
            sessions = made_sessions(pages)
            document = (await append_sessions(library.pages, "history", sessions)).document
            unread = replace(context, model="")
            await build_memorize().compile(store=library.store).ainvoke({"document": document.id}, context=unread)
            (memory,) = await library.pages.memories(document.id)
            # It was extracted; the model takes it as it is.
            graph = build(memorize=lambda state: {"memory": memory.id}).compile(
                checkpointer=library.checkpointer, store=library.store
            )
            each = list[Asked]()
            for number in range(questions + 1):
                words = " ".join(sessions[(7 * number) % pages].text.split()[number : number + 6])
                config: Any = {"configurable": {"thread_id": str(number)}}
                began, computed = time.perf_counter(), time.process_time()
                found = await graph.ainvoke({"document": document.id, "question": f"{words}?"}, config, context=context)
                took = time.perf_counter() - began, time.process_time() - computed
                each.append(Asked(*took, found["usage"]["calls"]))
                assert not found["fallbacks"] and len(found["rounds"]) == context.rounds, found["steps"]
    return each[1:]


def plainly_asked(url: str, questions: int) -> list[float]:
    """Seconds a call of a bare client that sends prompts of the sizes that the calls of a question have here."""
    words = " ".join(session.text for session in made_sessions(5)).split()
    prompts = [("system", " ".join(words[:size])) for size in (6_500, 7_500, 300) * 3]
    return [asyncio.run(bare(url, prompts, 1)) / len(prompts) for _ in range(questions)]


def conversations(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def session_text(session: dict[str, Any]) -> tuple[SessionText, dict[str, int]]:
    """A session's text, a turn a line, and the offset of each turn in it."""
    lines, offsets, at = list[str](), dict[str, int](), 0
    for turn in session["turns"]:
        offsets[turn["id"]] = at
        lines.append(f"{turn['speaker']}: {' '.join(turn['text'].split())}")
        at += len(lines[-1]) + 1
    return SessionText("\n".join(lines), time=str(session["date_time"])), offsets


async def recall(
    library: Library, conversation: dict[str, Any], context: ReaderContext
) -> list[tuple[float, float, float]]:
    """Of each question, the shares of its evidence turns and of all pages that were read, and seconds."""
    made = [session_text(session) for session in conversation["sessions"]]
    document = (await append_sessions(library.pages, conversation["doc_id"], [text for text, _ in made])).document
    turns = dict[str, int]()
    for session, (_, offsets) in zip(await sessions_of(library.pages, document), made, strict=True):
        turns |= {turn: session.start + at for turn, at in offsets.items()}
    graph, shares = build().compile(store=library.store), []
    for question in conversation["questions"]:
        evidence = [turns[turn] for turn in question["evidence"] if turn in turns]
        if question["category"] not in (1, 2, 3, 4) or not evidence:
            continue
        began = time.perf_counter()
        found = await graph.ainvoke({"document": document.id, "question": question["question"]}, context=context)
        seconds = time.perf_counter() - began
        memory = await library.pages.memory(document.id, found["memory"])
        read = await library.pages.pages(memory.id, found["pages_read"])
        held = sum(any(page.start <= at < page.end for page in read) for at in evidence)
        shares.append((held / len(evidence), len(read) / memory.pages, seconds))
    return shares


async def measure_recall(path: Path, context: ReaderContext) -> None:
    for rounds, pages in ((1, 1), (1, 3), (1, 5), (3, 5)):
        used = replace(context, rounds=rounds, pages_per_tool=pages)
        with tempfile.TemporaryDirectory() as folder:
            async with open_library(folder) as library:
                each = [share for one in conversations(path) for share in await recall(library, one, used)]
        evidence, read, seconds = (sum(shares) / len(each) for shares in zip(*each, strict=True))
        print(
            f"LoCoMo, {len(each)} questions, no model, {rounds} x {pages} pages a tool: evidence read "
            f"{100 * evidence:.1f} %, pages read {100 * read:.1f} %, {1000 * seconds:.0f} ms a question"
        )


@contextmanager
def double(latency: float) -> Iterator[str]:
    with model_server(latency, "benchmarks.researching:researcher") as url:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        yield url


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=109)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--latency", type=float, nargs="+", default=[0.0, 0.5])
    parser.add_argument("--embeddings", default="", help="PROVIDER:NAME or 'local' for the recall; without it, none")
    options = parser.parse_args()
    for latency in options.latency:
        with double(latency) as url:
            context = ReaderContext(model="openai:double")
            each = asyncio.run(asked(options.pages, options.questions, context))
            plain = sorted(1000 * (seconds - latency) for seconds in plainly_asked(url, options.questions))
        own = sorted(1000 * (one.seconds / one.calls - latency) for one in each)
        computed = sorted(1000 * one.processor / one.calls for one in each)
        print(
            f"{options.pages} pages, {1000 * latency:.0f} ms a call: {mean(one.calls for one in each):.1f} calls and "
            f"{mean(one.seconds for one in each):.2f} s a question; own time a call {median(own):.1f} ms in the "
            f"median, {own[0]:.1f} at best, of which the processor's {median(computed):.1f} and {computed[0]:.1f}; "
            f"bare SDK {median(plain):.1f} and {plain[0]:.1f} ms"
        )
    if DATA.exists():
        asyncio.run(measure_recall(DATA, ReaderContext(model="", embeddings=options.embeddings)))
    else:
        print(f"recall: passed over, {DATA} is not there")


if __name__ == "__main__":
    main()

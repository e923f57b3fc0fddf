"""What reading and questions take, and what the answers are worth: readgraph beside other systems, over the same text.

    pip install -r examples/others/requirements.txt
    python -m benchmarks.others [--words 60000] [--questions 45] [--systems …] [--methods …] [--meaning] [--model NAME]

Every system reads the same history of `readgraph board` and is asked the same questions of it, with the scripts of
`examples/others`, against the same loopback server: a double that reads perfectly (`perfect_reader.py` says how it
replies to whom), so that an answer is right just when all of its evidence came before it. Questions without an answer
are left out, since the double would decline each. `--model` sends the calls on to a real model at OPENAI_BASE_URL.

Prints a table in Markdown. Words sent are those of the messages. Embeddings, the same for all, count the words that two
texts share; `--meaning` takes the model of the extra `meaning`, which needs minutes. Telemetry is off, and nothing but
the loopback server is asked.
"""

import argparse
import asyncio
import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from statistics import fmean

import httpx

from benchmarks.others.perfect_reader import PerfectReader
from readgraph import ReaderContext, open_library
from readgraph.graphs.methods import METHODS
from readgraph.language.terms import content_words
from readgraph.models.embeddings.models import embedding_model
from readgraph.state.words import count_words
from readgraph_evaluation import board
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.floors import score_floors
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.other_systems import load_answers
from readgraph_evaluation.reading import TextReading
from readgraph_evaluation.records import Dataset, Outcome
from readgraph_evaluation.rows import rows_to_run
from tests.doubles.model_faults import embeddings, vector
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.support.examples import EXAMPLES

SCRIPTS = EXAMPLES / "others"
SYSTEMS = {
    "light_rag": ("LightRag", "lightrag-hku"),
    "mem0_memory": ("Mem0", "mem0ai"),
    "plain_rag": ("PlainRag", "langchain-core"),
    "whole_context": ("WholeContext", "langchain-openai"),
}
"""The scripts of other systems, the class that each has, and the package that it needs."""

PAPERS = ("read-agent", "mem-walker", "gam")
DOUBLE, EMBEDDINGS = "double", "double-embeddings"
OF_WORDS = 1_024
"""Dimensions of vectors of words."""

HEADER = (
    "| system | calls to read | words sent to read, for each of the text | calls for a question "
    "| words sent for a question, % of the text | words embedded in all, for each of the text | answered right, % |"
)

Read = Callable[[], None]
"""What is called when the text is read, before the first question."""


@dataclass
class Used:
    """What was asked of the server: calls, words sent to the model, and words embedded."""

    calls: int
    sent: int
    embedded: int

    @classmethod
    def take(cls, server: ModelServer) -> "Used":
        """What was asked since the last time."""
        sent = sum(count_words(request.text) for request in server.requests)
        used = cls(len(server.requests), sent, sum(count_words(text) for texts in server.embedded for text in texts))
        server.requests.clear()
        server.embedded.clear()
        return used


async def run_method(name: str, dataset: Dataset, folder: Path, read: Read) -> Sequence[Outcome]:
    """Let a method of readgraph read the text and answer the questions."""
    context = ReaderContext(model=f"openai:{DOUBLE}", embeddings=f"openai:{EMBEDDINGS}")
    (row,) = rows_to_run([name], dataset, context, full_text=False)
    async with open_library(folder / "library") as library:
        reading = TextReading(library, EvaluationFolder(folder), lambda exchange: None, row, 0, dataset.texts[0])
        await reading.build()
        read()
        return [await reading.answer(item) for item in dataset.items]


async def run_other(name: str, dataset: Dataset, folder: Path, read: Read) -> Sequence[Outcome]:
    """Let another system do so, whose passages the model of `examples/others` reads."""
    script, answering = import_module(name), import_module("answering")
    system = getattr(script, SYSTEMS[name][0])(argparse.Namespace(model=DOUBLE, embeddings=EMBEDDINGS))
    model, file = answering.ChatOpenAI(model=DOUBLE, temperature=0), folder / f"{name}.jsonl"
    await system.read(dataset.texts[0])
    read()
    lines = [json.dumps(await answering.answer_item(model, item, system)) for item in dataset.items]
    file.write_text("\n".join(lines), encoding="utf-8")
    return load_answers(file, dataset).outcomes


async def measure(name: str, dataset: Dataset, server: ModelServer) -> str:
    """A line of the table."""
    words, asked = count_words(dataset.texts[0].text), len(dataset.items)
    run, reading = run_other if name in SYSTEMS else run_method, list[Used]()
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder  # the scripts make folders of their own
        try:
            outcomes = await run(name, dataset, Path(folder), lambda: reading.append(Used.take(server)))
        finally:
            tempfile.tempdir = None
    (built,), question, items = reading, Used.take(server), dataset.by_id
    right = fmean(METRICS["named"].score_best(items[outcome.item], outcome) or 0.0 for outcome in outcomes)
    package = SYSTEMS.get(name, ("", "readgraph"))[1]
    return (
        f"| `{name}` ({package} {version(package)}) | {built.calls} | {built.sent / words:.2f} "
        f"| {question.calls / asked:.1f} | {100 * question.sent / asked / words:.1f} "
        f"| {(built.embedded + question.embedded) / words:.2f} | {right:.0f} |"
    )


def make_board(words: int, questions: int) -> tuple[Dataset, PerfectReader]:
    """A board's text with so many of its questions that have an answer, from all abilities, and who reads it."""
    # A board has at least so many sessions: those of a short one are shorter.
    board.SESSION_WORDS = min(board.SESSION_WORDS, words // board.FEWEST_SESSIONS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "board.jsonl"
        board.write_board(file, words, 1)
        dataset, line = load_dataset(file), json.loads(file.read_text(encoding="utf-8"))
    items = [item for item in dataset.items if not item.unanswerable]
    kept = tuple(items[number * len(items) // questions] for number in range(min(questions, len(items))))
    return replace(dataset, items=kept), PerfectReader(line)


def choose_vectors(meaning: bool) -> tuple[int, Callable[[str, int], list[float]]]:
    """The dimensions of the vectors, and what makes one of a text: a model, or its words."""
    if meaning:
        embed = lru_cache(maxsize=None)(embedding_model("local", 60).embed_query)
        return len(embed("")), lambda text, _: embed(text)
    return OF_WORDS, lambda text, _: vector(" ".join(content_words(text)), OF_WORDS)


def send_on(request: ChatRequest, model: str, url: str, key: str) -> str:
    """The reply of a real model to a request."""
    body = {**request.body, "model": model, "stream": False}
    body.pop("stream_options", None)
    headers = {"Authorization": f"Bearer {key}"}
    replied = httpx.post(f"{url}/chat/completions", json=body, headers=headers, timeout=600).raise_for_status()
    return str(replied.json()["choices"][0]["message"]["content"])


async def measure_all(names: Sequence[str], dataset: Dataset, server: ModelServer) -> None:
    """Print the lines of all systems, in one event loop, since clients are kept for the next system."""
    for name in names:
        try:
            print(await measure(name, dataset, server), flush=True)
        except ModuleNotFoundError as missing:
            print(f"{name} skipped ({missing}): pip install -r examples/others/requirements.txt", flush=True)


def main(given: Sequence[str] | None = None) -> None:
    """Run every system and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=60_000)
    parser.add_argument("--questions", type=int, default=45)
    parser.add_argument("--systems", nargs="*", default=[*SYSTEMS], choices=[*SYSTEMS])
    parser.add_argument("--methods", nargs="*", default=[*PAPERS], choices=[*METHODS])
    parser.add_argument("--model", help="a model at OPENAI_BASE_URL, in place of the double")
    parser.add_argument("--meaning", action="store_true", help="embeddings of the extra 'meaning', not of words")
    options = parser.parse_args(given)
    logging.disable(logging.WARNING)
    dataset, double = make_board(options.words, options.questions)
    real = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1"), os.environ.get("OPENAI_API_KEY", "")
    reply = partial(send_on, model=options.model, url=real[0], key=real[1]) if options.model else double
    dimensions, vector_of = choose_vectors(options.meaning)
    print(f"{count_words(dataset.texts[0].text):,} words, {len(dataset.items)} questions")
    for floor, scores in score_floors(dataset).items():
        print(f"answered right without reading, by {floor}: {scores['named']:.0f} %" if "named" in scores else floor)
    print(HEADER)
    print("|---" * HEADER.count(" |") + "|")
    sys.path.insert(0, str(SCRIPTS))
    with ModelServer(reply, supports=frozenset({"json_schema"})) as server:
        server.embed = partial(embeddings, vector_of=vector_of)
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        os.environ |= {"EMBEDDING_DIMENSIONS": f"{dimensions}", "EMBEDDING_TIMEOUT": "600"}  # the latter is LightRAG's
        asyncio.run(measure_all([*options.methods, *options.systems], dataset, server))


if __name__ == "__main__":
    main()

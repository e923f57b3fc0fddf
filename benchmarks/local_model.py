"""How well a real small model follows the protocols: every method reads the beginning of the example story with it.

    python -m benchmarks.local_model [--model local] [--forms json_schema text] [--methods …] [--words 300] [--replies]

It needs what docs/guides/local.md installs. For each method and each form of typed reply it prints the number of typed
replies and the share of usable ones, the same for notes, the number of calls, the tokens per second that the model
wrote during calls, the fall-backs, and finally why replies were refused. An unusable reply is asked for again, so 80 %
means that every fifth try was lost. What methods share is asked for once. Embeddings come from the model double.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

from benchmarks.gisting import model_server
from readgraph import ReaderContext, local_model, open_library
from readgraph.features.agents.prompts import QUEUE_SUMMARY
from readgraph.graphs.method import Method
from readgraph.graphs.methods import METHODS
from readgraph.models import tries
from readgraph.models.calling import call_model
from readgraph.models.client import ModelClient
from readgraph.models.prompt import Messages
from readgraph.models.reply import ModelReply
from readgraph.nodes.building.notes import GIST
from readgraph.nodes.building.summaries import COMPRESS, RUNNING_SUMMARY, SUMMARY
from readgraph.state.reading import Question
from readgraph.state.settings import ReplyForm
from readgraph.state.words import first_words
from tests.support.examples import EXAMPLES

STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"
WORDS = 300
FORMS: tuple[ReplyForm, ...] = ("json_schema", "text", "plain")
QUESTION = "What did Marian buy at the auction, and why was it a mistake?"
BUDGET = 30
"""Most calls of one reading."""

NOTES = {words.prompt for words in (COMPRESS, GIST, QUEUE_SUMMARY, RUNNING_SUMMARY, SUMMARY)}
SMALL: dict[str, Any] = {
    "min_page_words": 80,
    "max_page_words": 200,
    "segment_words": 200,
    "memo_page_words": 300,
    "baseline_words": 300,
    "max_pages": 2,
    "max_hops": 6,
    "max_chain": 4,
    "rounds": 2,
    "pages_per_tool": 1,
}
"""Sizes for a text of a few hundred words: several pages, and few calls per question."""


@dataclass(frozen=True)
class Running:
    """A running model: its settings, the address of the embeddings' server, and the folder for libraries."""

    settings: dict[str, Any]
    embeddings: str
    folder: Path


@dataclass
class Reading:
    """What one reading asked for and received."""

    method: str
    form: str
    prints: bool = False
    status: str = ""
    replies: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    fallbacks: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    tokens: int = 0
    calling: float = 0.0
    seconds: float = 0.0
    reasons: list[str] = field(default_factory=list)

    def usable(self, kind: str) -> float:
        """The share of usable replies of a kind."""
        return 1 - self.refused[kind] / self.replies[kind] if self.replies[kind] else 1.0

    def counted(self, kind: str) -> str:
        """The number of replies of a kind, and the percentage of usable ones."""
        return f"{self.replies[kind]:5} {self.usable(kind):5.0%}" if self.replies[kind] else f"{'–':>5} {'–':>5}"

    async def call(self, client: ModelClient, messages: Messages, reply: Any, *more: Any) -> ModelReply:
        """Call the model and count the reply."""
        start = time.perf_counter()
        answer = await call_model(client, messages, reply, *more)
        self.calling += time.perf_counter() - start
        self.replies["typed" if reply else "notes"] += 1
        self.tokens += answer.tokens[1]
        if self.prints:
            kind = reply.__name__ if reply else "note"
            print(f"{kind} {answer.tokens}: {first_words(answer.text, 60)!r}", flush=True)
        return answer

    def take(self, event: dict[str, Any]) -> None:
        """Count a refused reply."""
        if refused := event.get("refused"):
            self.refused["notes" if refused["asked"] in NOTES else "typed"] += 1
            self.reasons.append("{asked}: {reason}".format_map(refused))
            if self.prints:
                print(f"refused {self.reasons[-1]}", flush=True)


def beginning(words: int) -> str:
    """The story's beginning: at most this many words, in whole paragraphs."""
    return first_words(STORY.read_text(encoding="utf-8"), words).rpartition("\n\n")[0]


async def read(method: Method, form: ReplyForm, text: str, running: Running, *, prints: bool = False) -> Reading:
    """Let a method answer the question about the text; returns what happened.

    Each form has a library of its own, so that no form uses another form's recorded replies.
    """
    reading = Reading(method.name, form, prints)
    context = ReaderContext(
        **{**running.settings, **SMALL}, reply_form=form, embeddings="openai:double", max_calls=BUDGET
    )
    start = time.perf_counter()
    async with open_library(running.folder / form) as library:
        graph = method.build().compile(store=library.store)
        document = await library.pages.add_document(text, title="The Lamp at Sarn Head")
        question = Question(document=document.id, question=QUESTION)
        embeddings = patch.dict(os.environ, OPENAI_BASE_URL=running.embeddings)
        with embeddings, patch.object(tries, "call_model", reading.call):
            events: AsyncIterator[Any] = graph.astream(question, context=context, stream_mode=["custom", "values"])
            async for mode, event in events:
                if mode == "custom":
                    reading.take(event)
                else:
                    output = event
    reading.seconds = time.perf_counter() - start
    reading.status, reading.fallbacks, reading.calls = output["status"], output["fallbacks"], output["usage"]["calls"]
    return reading


@contextmanager
def running(model: str) -> Iterator[Running]:
    """Run the model, and a server of embeddings, inside the `with` block."""
    with model_server(0) as url, local_model(model) as settings, tempfile.TemporaryDirectory() as folder:
        yield Running(settings, url, Path(folder))


HEADER = "method          form        status     typed  used notes  used calls  tok/s     s  fall-backs"


def line(reading: Reading) -> str:
    """A line of the table."""
    fallbacks = ", ".join(f"{kind} {times}" for kind, times in reading.fallbacks.items())
    rate = reading.tokens / reading.calling if reading.calling else 0
    return (
        f"{reading.method:16}{reading.form:12}{reading.status:10} {reading.counted('typed')} "
        f"{reading.counted('notes')} {reading.calls:5}{rate:7.1f}{reading.seconds:6.0f}  {fallbacks}"
    )


def total(form: str, readings: Sequence[Reading]) -> Reading:
    """The sum of all readings of a form."""
    whole = Reading("all", form)
    for reading in (reading for reading in readings if reading.form == form):
        whole.replies += reading.replies
        whole.refused += reading.refused
        whole.reasons += reading.reasons
        whole.fallbacks = dict(Counter(whole.fallbacks) + Counter(reading.fallbacks))
        whole.calls += reading.calls
        whole.tokens += reading.tokens
        whole.calling += reading.calling
        whole.seconds += reading.seconds
    return whole


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="local")
    parser.add_argument("--forms", nargs="+", choices=get_args(ReplyForm), default=FORMS)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--replies", action="store_true", help="print each reply")
    options = parser.parse_args()
    text = beginning(options.words)
    print(HEADER)
    with running(options.model) as model:
        for form in options.forms:
            readings = []
            for name in options.methods:
                reading = asyncio.run(read(METHODS[name], form, text, model, prints=options.replies))
                print(line(reading), flush=True)
                readings.append(reading)
            whole = total(form, readings)
            print(line(whole), flush=True)
            for reason, times in Counter(whole.reasons).most_common(10):
                print(f"    refused {times} times: {reason}")


if __name__ == "__main__":
    main()

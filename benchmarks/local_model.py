"""Whether a real small model keeps to the protocols: every method reads the example story's beginning with it.

    python -m benchmarks.local_model [--model local] [--forms json_schema text] [--methods …] [--words 300] [--replies]

Needs `pip install 'readgraph[local-model]'`. For each method and each form of typed reply it prints how many typed
replies came and how many of them could be used, the same of notes, the calls, the tokens a second that the model wrote
while it was asked, what fell back, and in the end why replies were refused. What cannot be used is asked again, so
that of 80 % every fifth try was lost. What methods share is asked once. Embeddings are the model double's.
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
from readgraph.graphs.methods import METHODS, Method
from readgraph.models import asking
from readgraph.models.calling import ModelReply, call_model
from readgraph.models.clients import ModelClient
from readgraph.models.prompt import Messages
from readgraph.nodes.prompts import compress, gist, queue_summary, running_summary, summary
from readgraph.state.reading import Question
from readgraph.state.settings import ReplyForm
from readgraph.state.words import first_words
from tests.support.examples import EXAMPLES

STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"
WORDS = 300
FORMS: tuple[ReplyForm, ...] = ("json_schema", "text", "plain")
QUESTION = "What did Marian buy at the auction, and why was it a mistake?"
BUDGET = 30
"""Calls of one reading."""

NOTES = {prompt.NAME for prompt in (compress, gist, queue_summary, running_summary, summary)}
SMALL: dict[str, Any] = {
    "min_page_words": 80,
    "max_page_words": 200,
    "segment_words": 200,
    "session_page_words": 300,
    "baseline_words": 300,
    "max_pages": 2,
    "max_hops": 6,
    "max_chain": 4,
    "rounds": 2,
    "pages_per_tool": 1,
}
"""Sizes for a text of a few hundred words: several pages, and questions of a few calls."""


@dataclass(frozen=True)
class Running:
    """A running model: its settings, the address of embeddings, and where libraries are kept."""

    settings: dict[str, Any]
    embeddings: str
    folder: Path


@dataclass
class Watched:
    """What one reading asked and got."""

    method: str
    form: str
    told: bool = False
    status: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    fallbacks: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    tokens: int = 0
    calling: float = 0.0
    seconds: float = 0.0
    reasons: list[str] = field(default_factory=list)

    def usable(self, kind: str) -> float:
        """The share of the replies of a kind that could be used."""
        return 1 - self.refused[kind] / self.asked[kind] if self.asked[kind] else 1.0

    def counted(self, kind: str) -> str:
        """Replies of a kind, and how many of them could be used in percent."""
        return f"{self.asked[kind]:5} {self.usable(kind):5.0%}" if self.asked[kind] else f"{'–':>5} {'–':>5}"

    async def call(self, client: ModelClient, messages: Messages, reply: Any) -> ModelReply:
        """A call to the model, counted."""
        began = time.perf_counter()
        said = await call_model(client, messages, reply)
        self.calling += time.perf_counter() - began
        self.asked["typed" if reply else "notes"] += 1
        self.tokens += said.tokens[1]
        if self.told:
            print(f"{reply.__name__ if reply else 'note'} {said.tokens}: {first_words(said.text, 60)!r}", flush=True)
        return said

    def take(self, event: dict[str, Any]) -> None:
        """Count a refused reply."""
        if refused := event.get("refused"):
            self.refused["notes" if refused["asked"] in NOTES else "typed"] += 1
            self.reasons.append("{asked}: {reason}".format_map(refused))
            if self.told:
                print(f"refused {self.reasons[-1]}", flush=True)


def beginning(words: int) -> str:
    """The story's beginning: at most so many words, in whole paragraphs."""
    return first_words(STORY.read_text(encoding="utf-8"), words).rpartition("\n\n")[0]


async def read(method: Method, form: ReplyForm, text: str, running: Running, *, told: bool = False) -> Watched:
    """Let a method answer the question about the text, and say what came of it.

    Each form has a library of its own: what one was asked is not known to the other.
    """
    watched = Watched(method.name, form, told)
    context = ReaderContext(
        **{**running.settings, **SMALL}, reply_form=form, embeddings="openai:double", max_calls=BUDGET
    )
    began = time.perf_counter()
    async with open_library(running.folder / form) as library:
        graph = method.build().compile(store=library.store)
        document = await library.pages.add_document(text, title="The Lamp at Sarn Head")
        asked = Question(document=document.id, question=QUESTION)
        embeddings = patch.dict(os.environ, OPENAI_BASE_URL=running.embeddings)
        with embeddings, patch.object(asking, "call_model", watched.call):
            events: AsyncIterator[Any] = graph.astream(asked, context=context, stream_mode=["custom", "values"])
            async for mode, event in events:
                if mode == "custom":
                    watched.take(event)
                else:
                    found = event
    watched.seconds = time.perf_counter() - began
    watched.status, watched.fallbacks, watched.calls = found["status"], found["fallbacks"], found["usage"]["calls"]
    return watched


@contextmanager
def running(model: str) -> Iterator[Running]:
    """A model that runs meanwhile, and a server of embeddings beside it."""
    with model_server(0) as url, local_model(model) as settings, tempfile.TemporaryDirectory() as folder:
        yield Running(settings, url, Path(folder))


HEADER = "method          form        status     typed  used notes  used calls  tok/s     s  fall-backs"


def line(one: Watched) -> str:
    """A line of the table."""
    fallbacks = ", ".join(f"{kind} {times}" for kind, times in one.fallbacks.items())
    rate = one.tokens / one.calling if one.calling else 0
    return (
        f"{one.method:16}{one.form:12}{one.status:10} {one.counted('typed')} {one.counted('notes')} {one.calls:5}"
        f"{rate:7.1f}{one.seconds:6.0f}  {fallbacks}"
    )


def total(form: str, watched: Sequence[Watched]) -> Watched:
    """All readings of a form as one."""
    together = Watched("all", form)
    for one in (one for one in watched if one.form == form):
        together.asked += one.asked
        together.refused += one.refused
        together.reasons += one.reasons
        together.fallbacks = dict(Counter(together.fallbacks) + Counter(one.fallbacks))
        together.calls += one.calls
        together.tokens += one.tokens
        together.calling += one.calling
        together.seconds += one.seconds
    return together


def main() -> None:
    """Run and print."""
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
            watched = []
            for name in options.methods:
                one = asyncio.run(read(METHODS[name], form, text, model, told=options.replies))
                print(line(one), flush=True)
                watched.append(one)
            whole = total(form, watched)
            print(line(whole), flush=True)
            for reason, times in Counter(whole.reasons).most_common(10):
                print(f"    refused {times} times: {reason}")


if __name__ == "__main__":
    main()

"""Whether a real small model keeps to the protocols: every method reads the example story's beginning with it.

    python -m benchmarks.local_model [--model local] [--forms json_schema text] [--methods read-agent gam …] [--words 700]

Needs `pip install 'readgraph[local-model]'`. For each method and each form of typed reply it prints how many typed
replies there were and how many of them could be used, notes and how many of these, what fell back, and the tokens a
second that the model wrote while it was asked. A reply that can't be used is asked again, so a rate of 80 % means that
one try of five was lost. Embeddings, where a method wants them, are the model double's.
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
from typing import Any, get_args
from unittest.mock import patch

from benchmarks.gisting import model_server
from readgraph import ReaderContext, local_model, open_library
from readgraph.graphs.methods import METHODS, Method
from readgraph.nodes import asking
from readgraph.nodes.calling import Messages, Said, call_model
from readgraph.nodes.models import ModelClient
from readgraph.nodes.prompts import compress, gist, queue_summary, running_summary, summary
from readgraph.state.context import ReplyForm
from readgraph.state.reading import Question
from readgraph.state.words import first_words
from tests.examples import EXAMPLES

STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"
QUESTION = "What did Marian buy at the auction, and why was it a mistake?"
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


@dataclass
class Watched:
    """What one reading asked and got."""

    method: str
    form: str
    status: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    fallbacks: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    tokens: int = 0
    calling: float = 0.0
    seconds: float = 0.0
    reasons: list[str] = field(default_factory=list)

    def usable(self, kind: str) -> str:
        """Replies of a kind, and how many of them could be used in percent."""
        return f"{self.asked[kind]:>4} {share(self.asked[kind] - self.refused[kind], self.asked[kind]):>5}"

    async def call(self, client: ModelClient, messages: Messages, reply: Any) -> Said:
        """A call to the model, counted."""
        began = time.perf_counter()
        said = await call_model(client, messages, reply)
        self.calling += time.perf_counter() - began
        self.asked["typed" if reply else "notes"] += 1
        self.tokens += said.tokens[1]
        if os.environ.get("WATCH"):
            print(
                f"--- {reply.__name__ if reply else 'note'} {'CUT ' if said.cut else ''}{said.tokens} {time.perf_counter() - began:.1f} s\n{said.text[:600]}",
                flush=True,
            )
        return said

    def take(self, event: dict[str, Any]) -> None:
        """Count a refused reply."""
        if refused := event.get("refused"):
            self.refused["notes" if refused["asked"] in NOTES else "typed"] += 1
            self.reasons.append("{asked}: {reason}".format_map(refused))
            if os.environ.get("WATCH"):
                print("REFUSED", self.reasons[-1])


def share(part: int, of: int) -> str:
    """In percent."""
    return f"{100 * part / of:.0f} %" if of else "–"


def beginning(words: int) -> str:
    """The story's beginning: at most so many words."""
    return first_words(STORY.read_text(encoding="utf-8"), words)


async def read(method: Method, form: ReplyForm, text: str, settings: dict[str, Any], folder: str) -> Watched:
    """Let a method answer the question about the text, and say what came of it."""
    watched = Watched(method.name, form)
    context = ReaderContext(**{**settings, **SMALL}, reply_form=form, embeddings="openai:double", max_calls=40)
    began = time.perf_counter()
    async with open_library(folder) as library:
        graph = method.build().compile(store=library.store)
        document = await library.pages.add_document(text, title="The Lamp at Sarn Head")
        asked = Question(document=document.id, question=QUESTION)
        with patch.object(asking, "call_model", watched.call):
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
def reading(model: str) -> Iterator[dict[str, Any]]:
    """The settings of a model that runs meanwhile; a server beside it gives embeddings."""
    with model_server(0) as url, patch.dict(os.environ, OPENAI_BASE_URL=url), local_model(model) as settings:
        yield settings


HEADER = f"{'method':16}{'form':12}{'status':10}{'typed':>5} {'used':>5} {'notes':>4} {'used':>5}{'tok/s':>7}{'s':>6}  fall-backs"


def line(one: Watched) -> str:
    """A line of the table."""
    fallbacks = ", ".join(f"{kind} {times}" for kind, times in one.fallbacks.items())
    rate = one.tokens / one.calling if one.calling else 0
    return (
        f"{one.method:16}{one.form:12}{one.status:10} {one.usable('typed')}  {one.usable('notes')}{rate:7.1f}"
        f"{one.seconds:6.0f}  {fallbacks}"
    )


def total(form: str, watched: Sequence[Watched]) -> Watched:
    """All readings of a form as one."""
    of_form = [one for one in watched if one.form == form]
    together = Watched("all", form)
    for one in of_form:
        together.asked += one.asked
        together.refused += one.refused
        together.tokens += one.tokens
        together.calling += one.calling
        together.seconds += one.seconds
    together.fallbacks = dict(sum((Counter(one.fallbacks) for one in of_form), Counter()))
    return together


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="local")
    parser.add_argument("--forms", nargs="+", choices=get_args(ReplyForm), default=["json_schema", "text"])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--words", type=int, default=700)
    options = parser.parse_args()
    text, watched = beginning(options.words), []
    print(HEADER)
    with reading(options.model) as settings, tempfile.TemporaryDirectory() as folder:
        for form in options.forms:
            for name in options.methods:
                watched.append(asyncio.run(read(METHODS[name], form, text, settings, folder)))
                print(line(watched[-1]), flush=True)
            print(line(total(form, watched)), flush=True)
    for reason, times in Counter(reason for one in watched for reason in one.reasons).most_common(20):
        print(f"{times:4} {reason}")


if __name__ == "__main__":
    main()

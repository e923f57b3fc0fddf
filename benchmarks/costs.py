"""What each method costs in calls and words, at several lengths of the text, with two questions, and what caches save.

    python -m benchmarks.costs [--words 5000 20000 80000] [--methods read-agent gam …]

The replies are a stand-in's: usable at the first try, with short notes and two pages looked up. A real model writes
longer or shorter notes and searches further or less far; `readgraph ask --estimate` estimates for your document.
Prints a table in Markdown: calls to build / for the first question, thousands of words sent to the model in all, and
the shares of words with which an earlier prompt of the same reading began, so that a provider's cache can hold them: of
all words, of those of the first question's answer, and of those of a second question. Only beginnings of at least 800
words (about 1,024 tokens, the least that providers keep) count; a reply's schema stands before them, as at OpenAI.
Recorded replies are not shared between methods.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from readgraph import ReaderContext, open_library
from readgraph.graphs.method import Method
from readgraph.graphs.methods import METHODS
from readgraph.models import client
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import reader

DAY = (
    "On day {n} the keeper of lamp {n} wrote that the wind stood in the north and that the oil was low. He climbed "
    "the stair twice, once at dusk and once at two, and saw {n} gulls on the rail. Nobody came by, and the boat stayed "
    "away."
)
WORDS_A_DAY = 48
EMBEDDINGS = "openai:double-embeddings"
QUESTIONS = ("How many gulls did the keeper of lamp 37 see?", "Which way did the wind stand on day 12?")
FEWEST_KEPT, STEP = 800, 32
"""The fewest words of a beginning that a cache keeps, and the steps in which beginnings are compared."""


@dataclass
class Prefixes:
    """The beginnings of all prompts so far."""

    known: set[int] = field(default_factory=set)

    def add(self, request: ChatRequest) -> tuple[int, int]:
        """Count a prompt; its words, and how many of them an earlier one began with.

        A reply's schema and functions stand before the messages, as OpenAI and Anthropic count them.
        """
        form = json.dumps([request.body.get("response_format"), request.body.get("tools")], sort_keys=True)
        words, beginning, kept, new = request.text.split(), hash(form), 0, list[int]()
        for end in range(STEP, len(words) + 1, STEP):
            beginning = hash((beginning, *words[end - STEP : end]))
            if not new and beginning in self.known:
                kept = end
            else:
                new.append(beginning)
        self.known.update(new)
        return len(words), kept if kept >= FEWEST_KEPT else 0


class Cost(NamedTuple):
    """Calls to build and for the first question, words sent for both, and the shares that caches can hold, percent."""

    build: int
    ask: int
    sent: int
    kept: float
    kept_of_answer: float
    kept_of_second: float


def made_text(words: int) -> str:
    """A text of about this many words."""
    return "\n\n".join(DAY.format(n=number) for number in range(words // WORDS_A_DAY))


async def cost(method: Method, words: int, server: ModelServer) -> Cost:
    """What a method costs over a text of this many words."""
    context = ReaderContext(model="openai:double", embeddings=EMBEDDINGS)
    server.reset()
    with tempfile.TemporaryDirectory() as folder:
        async with open_library(folder) as library:
            document = await library.pages.add_document(made_text(words), title="log")
            graph = method.build().compile(store=library.store)
            config: Any = {"recursion_limit": 1000}
            read = await graph.ainvoke({"document": document.id}, config, context=context)
            asked: Any = {"document": document.id, "question": QUESTIONS[0]}
            found = await graph.ainvoke(asked, config, context=context)
            first = len(server.requests)
            await graph.ainvoke({**asked, "question": QUESTIONS[1]}, config, context=context)
    prefixes = Prefixes()
    counted = [prefixes.add(request) for request in server.requests]
    sent = read["usage"]["input_words"] + found["usage"]["input_words"]
    shares = map(_share, (counted, counted[first - 1 : first], counted[first:]))
    return Cost(read["usage"]["calls"], found["usage"]["calls"], sent, *shares)


def _share(counted: Sequence[tuple[int, int]]) -> float:
    """The share of the words of these prompts that a cache can hold, in percent."""
    return 100 * sum(kept for _, kept in counted) / max(1, sum(words for words, _ in counted))


def main() -> None:
    """Run every method and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, nargs="+", default=[5_000, 20_000, 80_000])
    parser.add_argument("--methods", nargs="+", default=[*METHODS], choices=[*METHODS])
    options = parser.parse_args()
    print("| method | " + " | ".join(f"{words:,} words" for words in options.words) + " |")
    print("|---" * (len(options.words) + 1) + "|")
    client.FORM_FIRST = (*client.FORM_FIRST, "127.0.0.1")  # asked as OpenAI's own servers are
    with ModelServer(reader) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        for name in options.methods:
            costs = [asyncio.run(cost(METHODS[name], words, server)) for words in options.words]
            cells = [
                f"{each.build} + {each.ask} calls, {each.sent / 1000:,.1f}k words, "
                f"cache {each.kept:.0f} % (answer {each.kept_of_answer:.0f}, second question {each.kept_of_second:.0f})"
                for each in costs
            ]
            print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

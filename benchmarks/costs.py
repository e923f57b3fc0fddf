"""What each method costs in calls and words, at several lengths of the text, with one question.

    python -m benchmarks.costs [--words 5000 20000 80000] [--methods read-agent gam …]

The replies are a stand-in's: usable at the first try, with short notes and two pages looked up. A real model writes
longer or shorter notes and searches further or less far; `readgraph ask --estimate` estimates for your document.
Prints a table in Markdown: calls to build / for the question, and thousands of words sent to the model in all. Recorded
replies are not shared between methods.
"""

import argparse
import asyncio
import os
import tempfile
from typing import Any

from benchmarks.gisting import model_server
from readgraph import ReaderContext, open_library
from readgraph.graphs.methods import METHODS, Method
from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import reader

DAY = (
    "On day {n} the keeper of lamp {n} wrote that the wind stood in the north and that the oil was low. He climbed "
    "the stair twice, once at dusk and once at two, and saw {n} gulls on the rail. Nobody came by, and the boat stayed "
    "away."
)
WORDS_A_DAY = 48
EMBEDDINGS = "openai:double-embeddings"


def respond(request: ChatRequest) -> Any:
    """A plain reader's replies."""
    return reader(request)


def made_text(words: int) -> str:
    """A text of about this many words."""
    return "\n\n".join(DAY.format(n=number) for number in range(words // WORDS_A_DAY))


async def cost(method: Method, words: int) -> tuple[int, int, int]:
    """Calls to build, calls for the question, and words sent in all."""
    context = ReaderContext(model="openai:double", embeddings=EMBEDDINGS)
    with tempfile.TemporaryDirectory() as folder:
        async with open_library(folder) as library:
            document = await library.pages.add_document(made_text(words), title="log")
            graph = method.build().compile(store=library.store)
            config: Any = {"recursion_limit": 1000}
            read = await graph.ainvoke({"document": document.id}, config, context=context)
            asked: Any = {"document": document.id, "question": "How many gulls did the keeper of lamp 37 see?"}
            found = await graph.ainvoke(asked, config, context=context)
    sent = read["usage"]["input_words"] + found["usage"]["input_words"]
    return read["usage"]["calls"], found["usage"]["calls"], sent


def main() -> None:
    """Run every method and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, nargs="+", default=[5_000, 20_000, 80_000])
    parser.add_argument("--methods", nargs="+", default=[*METHODS], choices=[*METHODS])
    options = parser.parse_args()
    print("| method | " + " | ".join(f"{words:,} words" for words in options.words) + " |")
    print("|---" * (len(options.words) + 1) + "|")
    with model_server(0, "benchmarks.costs:respond") as url:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        for name in options.methods:
            costs = [asyncio.run(cost(METHODS[name], words)) for words in options.words]
            cells = [f"{build} + {ask} calls, {sent / 1000:,.1f}k words" for build, ask, sent in costs]
            print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

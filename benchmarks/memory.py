"""How much memory a long text takes: the most that a process holds while it is read without a model, and asked about.

    python -m benchmarks.memory [--words 1000000] [--method read-agent]

Prints megabytes before the text is stored, at the most until its memory is built, and until a question is answered.
"""

import argparse
import asyncio
import resource
import tempfile
from random import Random

from readgraph.api.running import run_method
from readgraph.graphs.methods import method_named
from readgraph.library.opening import open_library
from readgraph.state.context import ReaderContext

PARAGRAPH = 90
"""Words of a paragraph."""


def text_of(words: int) -> str:
    """A text of this many words, from a vocabulary of 20,000."""
    chance = Random(7)
    vocabulary = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=chance.randint(2, 9))) for _ in range(20_000)]
    paragraphs = (" ".join(chance.choices(vocabulary, k=PARAGRAPH)) + "." for _ in range(words // PARAGRAPH))
    return "\n\n".join(paragraphs)


def megabytes() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


async def measure(words: int, name: str) -> None:
    text, method, context = text_of(words), method_named(name), ReaderContext(model="")
    print(f"before, with the text of {len(text) / 1e6:.1f} MB  {megabytes():6,.0f} MB")
    with tempfile.TemporaryDirectory() as folder:
        async with open_library(folder) as library:
            document = await library.pages.add_document(text)
            del text
            await run_method(library.pages, method.build(), name, document, {}, context)
            print(f"read                            {megabytes():6,.0f} MB")
            await run_method(library.pages, method.build(), name, document, {"question": "Who?"}, context)
            print(f"asked about                     {megabytes():6,.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--method", default="read-agent")
    args = parser.parse_args()
    asyncio.run(measure(args.words, args.method))


if __name__ == "__main__":
    main()

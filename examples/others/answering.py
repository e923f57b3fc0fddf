"""What the scripts of this folder share: one model reads what a system finds, and the answers go to a file.

    python examples/others/plain_rag.py examples/questions.jsonl --model gpt-5.4-mini --out plain_rag.jsonl
    readgraph evaluate examples/questions.jsonl --answers plain_rag.jsonl --methods gam,bm25 --out out

Prompt and model are the same for every system, so that what differs is what it finds. The versions that they were
written for stand in requirements.txt. OPENAI_API_KEY and OPENAI_BASE_URL say which server is asked.
"""

import argparse
import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Protocol

from langchain_openai import ChatOpenAI

from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.records import Item, Text

PROMPT = """Answer the question from these passages alone, in as few words as it takes. If they do not hold the \
answer, reply: The text does not say.

{passages}

Question: {question}"""

OPTIONS = """
Options:
{options}
Reply with the letter of the right one alone."""


class System(Protocol):
    """A system that is given a text, and finds what a question needs of it."""

    async def read(self, text: Text) -> None:
        """Take in a text."""

    async def find(self, question: str) -> list[str]:
        """The passages or memories to read for a question, the best first."""


Make = Callable[[argparse.Namespace], System]
"""Makes an empty system, of which each text gets one of its own."""


async def answer_item(model: ChatOpenAI, item: Item, system: System) -> dict[str, object]:
    """A line of the file: the answer of the model to what the system finds."""
    began = perf_counter()
    passages = await system.find(item.question)
    prompt = PROMPT.format(passages="\n\n".join(passages), question=item.question)
    if item.options:
        lettered = (f"{chr(ord('A') + number)}. {option}" for number, option in enumerate(item.options))
        prompt += OPTIONS.format(options="\n".join(lettered))
    said = await model.ainvoke(prompt)
    reply = said.text.strip()
    line: dict[str, object] = {"id": item.id, "retrieved": passages, "seconds": round(perf_counter() - began, 3)}
    line["tokens"] = said.usage_metadata["input_tokens"] if said.usage_metadata else 0
    if item.options:
        letter = reply[:1].upper()
        return line | {"choice": letter if "A" <= letter < chr(ord("A") + len(item.options)) else None}
    return line | {"answer": None if reply.startswith("The text does not say") else reply}


async def answer_all(make: Make, given: argparse.Namespace) -> None:
    """Answer the questions of a dataset, text by text, and write each answer when it is there."""
    dataset, model = load_dataset(given.file, None, given.limit), ChatOpenAI(model=given.model, temperature=0)
    with given.out.open("w", encoding="utf-8") as file:
        for text in dataset.texts:
            system = make(given)
            await system.read(text)
            for item in dataset.about(text):
                print(json.dumps(await answer_item(model, item, system), ensure_ascii=False), file=file, flush=True)


def run(make: Make, about: str | None) -> None:
    """Run a system's script: FILE, --model, --embeddings, --limit and --out."""
    command = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("file", type=Path, help="the questions: a dataset's file, as for 'readgraph evaluate'")
    command.add_argument("--model", default="gpt-5.4-mini", help="the model that reads what was found")
    command.add_argument(
        "--embeddings", default="text-embedding-3-small", help="the embedding model, where one is used"
    )
    command.add_argument("--limit", type=int, help="ask only the first so many questions")
    command.add_argument("--out", type=Path, required=True, help="the file of answers, named after the system")
    asyncio.run(answer_all(make, command.parse_args()))

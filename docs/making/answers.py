"""The saved answers beside the example story, made again: `python -m docs.making.answers`.

Their model, `openai:stand-in`, is the rules below, and no language model. What it notes, chooses and answers are the
sentences and parts that share most words with the question.
"""

import asyncio
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from readgraph.api import save_answer
from readgraph.api.documents import store_each
from readgraph.api.functions import ask
from readgraph.language.sentences import sentence_spans
from readgraph.library.opening import open_library
from readgraph.sources.loading import read_file
from readgraph.state.context import ReaderContext
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, between, pages_shown, passage, reader

EXAMPLES = Path(__file__).parents[2] / "examples"
STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"
QUESTION = "How deep is the well under the tower, according to the inventory?"
METHODS: dict[str, dict[str, Any]] = {
    "read-agent": {"max_pages": 2},
    "mem-walker": {"segment_words": 1200, "children": 4},
    "gam": {"rounds": 2, "pages_per_tool": 2},
}
SOUGHT = ("deep", "well", "tower", "inventory", "feet")
ENOUGH = 3  # of these words in a sentence that answers


def score(text: str) -> int:
    """How many of the words that are sought a text has."""
    return len({*SOUGHT} & {*re.findall(r"\w+", text.lower())})


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[start:end].strip() for start, end in sentence_spans(text)]


def note(text: str) -> str:
    """The first sentence of a text, and that with most of the words that are sought."""
    every = sentences(text) or [text]
    return " ".join(dict.fromkeys([every[0], max(every, key=score)]))


def stand_in(request: ChatRequest) -> str | dict[str, Any]:
    """The reply to any prompt of the three methods."""
    wanted, text = asked_for(request), passage(request)
    parts = {int(n): body for n, body in re.findall(r"^<\w+(?:-\d+)? (\d+)>\n(.*?)(?=^<|\Z)", text, re.M | re.S)}
    if wanted in ("", "MemoAndHeader"):
        said = note(between(request, "passage") or text)
        return {"memo": said, "header": sentences(said)[0]} if wanted else said
    if wanted == "PagesToRead":
        best = sorted(pages_shown(request), key=lambda page: -score(pages_shown(request)[page]))
        return {"reason": "Their gists speak of the well.", "pages": sorted(best[:2])}
    if wanted.endswith(("ChildChoice", "ChildOrRevert")):
        done = {int(each) for each in re.findall(r"\d+", request.last.partition("can't be chosen: ")[2][:60])}
        best = max(parts.keys() - done, key=lambda part: (score(parts[part]), -part), default=None)
        return {"reasoning": "It shares most words with the question.", "part": best}
    if wanted.endswith("LeafVerdict"):
        best = max(sentences(text), key=score)
        found = score(best) >= ENOUGH
        told = (
            {"action": "answer", "found": best, "quotes": [best]}
            if found
            else {"action": "revert", "found": None, "quotes": []}
        )
        return {"reasoning": "The inventory says it." if found else "It says nothing of how deep the well is.", **told}
    if wanted == "SearchPlan":
        return {"needs": [QUESTION], "keyword": ["inventory well"], "vector": [], "page": []}
    if wanted == "Integrated":
        shown = re.findall(r"^<page (\d+)>\n(.*?)(?=^<page |\Z)", between(request, "pages"), re.M | re.S)
        page, best = max(
            ((int(n), max(sentences(body), key=score)) for n, body in shown), key=lambda each: score(each[1])
        )
        return {"content": best, "sources": [page], "quotes": [{"page": page, "quote": best}]}
    if wanted in ("Verdict", "Enough"):
        return {"enough": True} if wanted == "Enough" else {"enough": True, "missing": []}
    if wanted in ("FreeAnswer", "AnswerAlone"):
        shown = pages_shown(request)
        page, best = max(
            ((n, max(sentences(body), key=score)) for n, body in shown.items()),
            key=lambda each: score(each[1]),
            default=(0, ""),
        )
        return {
            "answer": "Thirty-one feet.",
            **({"quotes": [{"page": page, "quote": best}]} if wanted == "FreeAnswer" else {}),
        }
    return reader(request)


async def make_answers(folder: Path) -> None:
    """Write the file of each method's answer into a folder."""
    with TemporaryDirectory() as place, ModelServer(stand_in) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        async with open_library(place) as library:
            await store_each(library.pages, read_file(STORY))
            for method, settings in METHODS.items():
                context = ReaderContext(model="openai:stand-in", **settings)
                answer = await ask(library, QUESTION, method=method, context=context)
                data = await save_answer(library, answer)
                (folder / f"{STORY.stem}.{method}.readgraph.json").write_bytes(data)


if __name__ == "__main__":
    asyncio.run(make_answers(EXAMPLES))

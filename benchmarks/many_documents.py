"""A library of very many documents: how long it takes to open, list, find by name, search, complete, and serve it.

    python -m benchmarks.many_documents [--documents 100000] [--words 100] [--tries 5] [--check]

Without a model. Documents are written through the store in batches. Each command runs in a process of its own; what is
printed is its processor time, which other work on the machine disturbs less, beyond that of the same command over a
library with one document: the aim is 0.3 s for each. With `--check` the benchmark fails where one takes longer.
"""

import argparse
import asyncio
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks.ten_million import made_paragraphs
from readgraph.library.documents import document_id, text_parts
from readgraph.library.opening import open_library
from readgraph.library.stored_items import BATCH, ROOT, StoredValue
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document, utc_now
from readgraph.state.words import count_words
from tests.support.reading_room import reading_room

AIM = 0.3
WORDS = [*"lamp goat stair gallery keeper harbour ledger winter signal mackerel tide oil brass fog rope quay".split()]
PEOPLE = [*"Marian Iolo Desmond Gwyneth Prosser Hendre Pontfaen Sarn Tomos Elin Rhys Carys".split()]


def made_documents(count: int, length: int) -> Iterator[tuple[Document, str]]:
    """Documents of about this many words, with titles and texts that differ."""
    chance = random.Random(7)
    for number in range(count):
        words = " ".join(chance.choices(WORDS, k=25))
        text = f"Report {number}. {chance.choice(PEOPLE)} wrote of entry{number}. The {words}. " * 2
        text = "\n\n".join([*made_paragraphs(length - 100, number), text])
        title = f"{chance.choice(PEOPLE)} on the {chance.choice(WORDS)}, report {number:06d}"
        yield Document(document_id(text), title, "", count_words(text), len(text), utc_now()), text


async def fill(folder: Path, count: int, length: int) -> float:
    """Make a library; gives the seconds that took."""
    began = time.perf_counter()
    async with open_library(folder) as library:
        rows = list[StoredValue]()
        for document, text in made_documents(count, length):
            rows.extend(text_parts(document.id, text))
            rows.append(((ROOT, "documents"), document.id, asdict(document)))
            if len(rows) >= BATCH:
                await library.pages.put(rows)
                rows.clear()
        await library.pages.put(rows)
    return time.perf_counter() - began


def commands(number: int) -> dict[str, list[str]]:
    """What is measured; each names the document with this number, or one of its words."""
    named = f"report {number:06d}"
    return {
        "open": ["collection", "list"],
        "show": ["show"],
        "ask TITLE": ["ask", "Who wrote?", named, "--method", "first-words"],
        "search": ["search", f"entry{number}"],
        "search, common words": ["search", "the lamp of the keeper"],
        "ask": ["ask", f"Who wrote of entry{number}?", "--method", "first-words"],
        "completion": ["ask", "Who?", ""],
    }


def run(library: Path, name: str, arguments: list[str]) -> float:
    """Seconds of a command, or of a shell's asking for what could be its last word."""
    environment = {name: value for name, value in os.environ.items() if name != "READGRAPH_MODEL"}
    environment["READGRAPH_LIBRARY"] = str(library)
    if name == "completion":
        asked = " ".join(["readgraph", *arguments[:-1], ""])
        environment |= {"_READGRAPH_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": asked}
        arguments = []
    program = "import sys; sys.argv[0] = 'readgraph'; from readgraph.cli.main import run; run()"
    command = [sys.executable, "-c", program, *arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(command, capture_output=True, env=environment, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ran.returncode:
        raise SystemExit(ran.stderr.decode())
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def listing(library: Path) -> float:
    """Seconds of the reading room's list of documents."""
    with reading_room(library, ReaderContext(model="")) as room:
        began = time.process_time()
        room.get("/api/documents", query="lamp", limit=50)
        return time.process_time() - began


def figures(many: Path, one: Path, number: int, tries: int) -> dict[str, float]:
    """Seconds of each command over many documents, beyond those over one; in turn, so that other work comes to both."""
    found = dict[str, float]()
    for name in commands(0):
        taken = [(run(many, name, commands(number)[name]), run(one, name, commands(0)[name])) for _ in range(tries)]
        found[name] = min(each[0] for each in taken) - min(each[1] for each in taken)
    found["the page's list"] = min(listing(many) for _ in range(tries))
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=100, help="of each document")
    parser.add_argument("--tries", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="fail where something takes longer than the aim")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        many, one = Path(folder) / "many", Path(folder) / "one"
        seconds = asyncio.run(fill(many, options.documents, options.words))
        asyncio.run(fill(one, 1, options.words))
        print(f"made a library of {options.documents:,} documents in {seconds:.0f} s")
        for name in ("ask TITLE", "search"):
            print(f"the first '{name}', which makes its index: {run(many, name, commands(7)[name]):.1f} s", flush=True)
        found = figures(many, one, options.documents // 2, options.tries)
    for name, seconds in found.items():
        print(f"{name}: {seconds:.2f} s (aim {AIM})")
    if options.check and max(found.values()) > AIM:
        raise SystemExit("something takes longer than that")


if __name__ == "__main__":
    main()

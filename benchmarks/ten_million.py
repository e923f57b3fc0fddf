"""Ten million words in one file, without a model: how long reading and asking take, and how much they need.

    python -m benchmarks.ten_million [--words 10000000] [--method read-agent]

The text's words are distributed as in real texts (few are frequent, many are rare), in sentences of 14 words and
paragraphs of 98. Reading and asking are processes of their own, as they are for users. Prints each figure with its aim
for ten million words on two cores.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from httpx2 import Client

from readgraph import ReaderContext, open_library
from readgraph.graphs.methods import method_named

VOCABULARY, SENTENCE, PARAGRAPH = 60_000, 14, 7
"""Different words; words of a sentence; sentences of a paragraph."""

FREQUENT = """the of and to in that is was it for on as with his he be at by had not are but from or have an they
which one you were her all she there would their we him been has when who will more no if out so said
what up its about into than them can only other new some could time these two may then do first any my
now such like our over man me""".split()
"""English words, the most frequent first, so that the text is taken for English."""

QUESTIONS = 6


@cache
def made_vocabulary() -> tuple[list[str], list[float]]:
    """Words, and the sums of how often each comes, and those before it."""
    rng = random.Random(11)
    rare = ["".join(rng.choices("abcdeiklmnorstu", k=rng.randint(3, 9))) for _ in range(VOCABULARY)]
    return [*FREQUENT, *rare], list(accumulate(1 / (rank + 3) for rank in range(len(FREQUENT) + VOCABULARY)))


def made_paragraphs(words: int, seed: int = 11) -> Iterator[str]:
    """Paragraphs of this many words in all, the same in every run."""
    rng, (vocabulary, weights) = random.Random(seed), made_vocabulary()
    for _ in range(words // (SENTENCE * PARAGRAPH)):
        drawn = rng.choices(vocabulary, cum_weights=weights, k=SENTENCE * PARAGRAPH)
        sentences = [drawn[first : first + SENTENCE] for first in range(0, len(drawn), SENTENCE)]
        yield " ".join(" ".join(sentence).capitalize() + "." for sentence in sentences) + "\n\n"


def write_text(file: Path, words: int) -> None:
    """Write a text of this many words."""
    with file.open("w", encoding="utf-8") as text:
        text.writelines(made_paragraphs(words))


def made_questions(file: Path) -> list[str]:
    """Ten words each, from places over the whole text."""
    size, questions = file.stat().st_size, list[str]()
    with file.open("rb") as text:
        for number in range(QUESTIONS):
            text.seek(size * (2 * number + 1) // (2 * QUESTIONS))
            questions.append("What of " + b" ".join(text.read(300).split()[2:12]).decode().replace(".", "") + "?")
    return questions


class Ran(NamedTuple):
    """What a process took: seconds, its peak memory in megabytes, and its output."""

    seconds: float
    megabytes: float
    output: str


def run(*arguments: object) -> Ran:
    """Run Python with these arguments; raises `RuntimeError` where that fails."""
    environment = {name: value for name, value in os.environ.items() if name != "READGRAPH_MODEL"}
    start = time.perf_counter()
    command = [sys.executable, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", env=environment) as process:
        assert process.stdout
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return Ran(time.perf_counter() - start, used.ru_maxrss / 1024, output)


async def ask_all(folder: Path, method: str, questions: list[str]) -> dict[str, Any]:
    """Open the library and ask; gives the seconds of opening and of each question."""
    start = time.perf_counter()
    async with open_library(folder) as library:
        graph: Any = method_named(method).build().compile(checkpointer=library.checkpointer, store=library.store)
        (document,) = await library.pages.documents()
        opened, seconds = time.perf_counter() - start, list[float]()
        for number, question in enumerate(questions):
            start = time.perf_counter()
            config = {"configurable": {"thread_id": f"ten million {number}"}}
            given = {"document": document.id, "question": question}
            await graph.ainvoke(given, config, context=ReaderContext(model=""))
            seconds.append(time.perf_counter() - start)
    return {"opened": opened, "seconds": seconds}


def ask_served(folder: Path, method: str, questions: list[str]) -> list[float]:
    """Seconds of each question to `readgraph serve`."""
    command = [sys.executable, "-m", "readgraph", "serve", "--no-open", "--port", "0", "--library", str(folder)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as served:
        assert served.stderr
        match = re.search(r"(http://\S+)/\?token=(\S+)", served.stderr.readline())
        assert match
        seconds = []
        with Client(base_url=match[1], headers={"authorization": f"Bearer {match[2]}"}, timeout=600) as client:
            (document,) = client.get("/api/documents").json()["documents"]
            for question in questions:
                start = time.perf_counter()
                sequences = {"documents": [document["id"]], "question": question, "method": method}
                asked = client.post("/api/runs", json=sequences).json()
                with client.stream("GET", f"/api/runs/{asked['id']}/events") as events:
                    for _ in events.iter_lines():
                        pass
                seconds.append(time.perf_counter() - start)
        served.terminate()
    return seconds


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=10_000_000)
    parser.add_argument("--method", default="read-agent")
    parser.add_argument("--ask", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        folder, questions = options.ask
        print(json.dumps(asyncio.run(ask_all(Path(folder), options.method, questions))))
        return
    with tempfile.TemporaryDirectory() as place:
        file, folder = Path(place) / "long.txt", Path(place) / "library"
        write_text(file, options.words)
        questions, size = made_questions(file), file.stat().st_size
        command = ["-m", "readgraph", "read", file, "--library", folder, "--method", options.method]
        read = run(*command)
        print(
            f"read {options.words:,} words: {read.seconds:.1f} s (60), peak {read.megabytes:.0f} MB (400)", flush=True
        )
        ran = run(
            "-m", "benchmarks.ten_million", "--method", options.method, "--ask", json.dumps([str(folder), questions])
        )
        found = json.loads(ran.output)
        first, *others = (1000 * seconds for seconds in found["seconds"])
        print(
            f"ask in a new process: first {first:.0f} ms (150), with opening {1000 * found['opened'] + first:.0f} ms "
            f"(1,000), then {median(others):.0f} ms (60); peak {ran.megabytes:.0f} MB (400)",
            flush=True,
        )
        whole = run("-m", "readgraph", "ask", questions[0], file, "--library", folder, "--method", options.method)
        print(f"the command `ask`, as a whole: {whole.seconds:.2f} s; peak {whole.megabytes:.0f} MB (400)", flush=True)
        first, *others = (1000 * seconds for seconds in ask_served(folder, options.method, questions))
        print(f"asked of `serve`: first {first:.0f} ms (150), then {median(others):.0f} ms (60)")
        disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        print(f"disk: {disk / size:.2f} x the text (3)")


if __name__ == "__main__":
    main()

"""The ratios that must not grow from commit to commit, all in one run.

    python -m benchmarks.speed [--runs 3] [--only gisting serving …] [--save FILE] [--against FILE]

- `gisting`: 400 gists, 32 at once, beside one bare SDK client that sends the same prompts.
- `memorizing`, `walking`, `researching`: what a call takes with a server without latency, with everything that
  readgraph does for it, beside a call of the bare SDK with as many words. Both include the server's own work.
- `serving`: questions a second without a model, 64 at once, as a share of a bare graph's of six nodes.
- `…, joined`: the same with steps joined (`join_steps`), as `ask` of `readgraph.api` runs them; walking and researching
  with one checkpoint a question too.

`--save` adds the run's figures to a file as a line of JSON. `--against` compares with the last line of such a file, and
says which figure is worse by more than a third: two runs of one machine differ by up to a quarter. `speed.json` holds
figures of a quiet machine with two cores, with Python 3.11; save anew what a change is meant to alter.
"""

import argparse
import asyncio
import contextlib
import io
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks import gisting, memorizing, researching, serving, walking
from benchmarks.gisting import bare, model_server
from readgraph import ReaderContext, open_library

WORSE = 4 / 3
"""A figure that grew by more than this factor is named."""

CALLS = 60
"""Of the bare SDK, for what one of its calls takes."""

MODEL = ReaderContext(model="openai:double")

AIMS = {
    "gisting, 50 ms": 1.15,
    "gisting, 500 ms": 1.03,
    "memorizing": 2.5,
    "walking": 2.5,
    "researching": 2.5,
    "serving, read_agent": 1 / 0.5,
    "serving, mem_walker": 1 / 0.5,
    "serving, gam": 1 / 0.3,
}
"""Ratios, of which less is better: our time to the bare client's; for `serving`, the bare rate to ours."""


def measure_gisting(runs: int) -> dict[str, float]:
    found = {}
    for latency in (0.05, 0.5):
        ours, theirs = list[float](), list[float]()
        with model_server(latency) as url:
            for _ in range(runs):
                with tempfile.TemporaryDirectory() as folder:
                    seconds, prompts = asyncio.run(gisting.readgraph(folder, url, 400, 32))
                ours.append(seconds)
                theirs.append(asyncio.run(bare(url, prompts, 32)))
        found[f"gisting, {1000 * latency:.0f} ms"] = min(ours) / min(theirs)
    return found


def bare_call(url: str, words: int) -> float:
    """Seconds that a call of the bare SDK takes, one by one, with prompts of this many words."""
    text = " ".join(" ".join(session.text for session in memorizing.made_sessions(5)).split()[:words])
    return asyncio.run(bare(url, [("system", text)] * CALLS, 1)) / CALLS


def measure_memorizing(runs: int) -> dict[str, float]:
    ratios = []
    with model_server(0.0, "benchmarks.memorizing:memo") as url:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        for _ in range(runs):
            seconds, words = asyncio.run(memorizing.measure_memorizing(109, MODEL))
            ratios.append(seconds / 109 / bare_call(url, round(words * memorizing.PAGE_WORDS)))
    return {"memorizing": median(ratios)}


def measure_walking(runs: int) -> dict[str, float]:
    context = replace(MODEL, concurrency=32, segment_words=walking.SEGMENT_WORDS, node_words=60, max_hops=32)
    text, ratios, joined = walking.made_text(512), list[float](), list[float]()
    with model_server(0.0, "benchmarks.walking:responder") as url, tempfile.TemporaryDirectory() as folder:
        os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        asyncio.run(walking.grow(folder, text, context))
        for run in range(runs):
            seconds, _, _, calls = asyncio.run(walking.walk(folder, text, context, run))
            ratios.append(seconds / calls / (bare := bare_call(url, 400)))
            seconds, calls = asyncio.run(walking.walk_joined(folder, text, context, run))
            joined.append(seconds / calls / bare)
    return {"walking": median(ratios), "walking, joined": median(joined)}


def measure_researching(runs: int) -> dict[str, float]:
    found = {}
    with researching.double(0.0) as url:
        for name, joined in (("researching", False), ("researching, joined", True)):
            costs = asyncio.run(researching.question_costs(109, 10 * runs, MODEL, joined=joined))
            bare = median(researching.bare_seconds(url, 5 * runs))
            found[name] = median(cost.seconds / cost.calls for cost in costs) / bare
    return found


def measure_serving(runs: int) -> dict[str, float]:
    async def measure() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with open_library(Path(folder) / "library") as library:
                shares.update(await serving.measure(library, 256, 64, runs))

    shares = dict[str, float]()
    with contextlib.redirect_stdout(io.StringIO()):
        asyncio.run(measure())
    return {f"serving, {name}": 1 / share for name, share in shares.items()}


PARTS: dict[str, Callable[[int], dict[str, float]]] = {
    "gisting": measure_gisting,
    "memorizing": measure_memorizing,
    "walking": measure_walking,
    "researching": measure_researching,
    "serving": measure_serving,
}


def compare(found: dict[str, float], before: dict[str, float]) -> str:
    """A line for each figure: it, its aim, and what it was before."""
    lines = []
    for name, ratio in found.items():
        was = f"; before {before[name]:.2f}" if name in before else ""
        worse = ": WORSE" if name in before and ratio > WORSE * before[name] else ""
        aim = AIMS[name.removesuffix(", joined")]
        lines.append(f"{name}: {ratio:.2f} (aim {aim:.2f}{was}){worse}")
    return "\n".join(lines)


def main() -> None:
    """Run the parts and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=[*PARTS], default=[*PARTS])
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    options = parser.parse_args()
    before = json.loads(options.against.read_text().splitlines()[-1]) if options.against else {}
    found = dict[str, float]()
    for part in options.only:
        measured = PARTS[part](options.runs)
        print(compare(measured, before), flush=True)
        found |= measured
    if options.save:
        with options.save.open("a") as file:
            file.write(json.dumps({name: round(ratio, 3) for name, ratio in found.items()}) + "\n")


if __name__ == "__main__":
    main()

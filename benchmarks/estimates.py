"""How near the estimates come to what is used, for each method and each shape of texts.

    python -m benchmarks.estimates [FILE …] [--methods read-agent gam …] [--limit N] [--sample N]

Without a file: the example texts. The replies are a double's, as long as a real model's (`tests/doubles/lifelike.py`).
Prints estimate / use of calls, words sent and words received: 1.00 is right, 2.00 twice too much.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from readgraph import open_library
from readgraph.graphs.estimate import Estimate
from readgraph.graphs.methods import METHODS
from readgraph.state.context import ReaderContext
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.plan import draw_sample, estimate_groups, what_is_run, with_papers_settings
from readgraph_evaluation.records import Dataset
from readgraph_evaluation.rows import rows_to_run
from readgraph_evaluation.running import Evaluation
from tests.doubles.lifelike import lifelike
from tests.doubles.model_server import ModelServer

EXAMPLES = Path(__file__).parents[1] / "examples" / "questions.jsonl"
COUNTED = ("calls", "input_words", "output_words")


class Compared(NamedTuple):
    """An estimate, and what was used, by the names of `COUNTED`."""

    estimate: Estimate
    used: dict[str, int]

    def ratios(self) -> list[float]:
        """Estimate / use."""
        return [getattr(self.estimate, name).expected / max(self.used[name], 1) for name in COUNTED]


async def compared(dataset: Dataset, method: str, **settings: Any) -> Compared:
    """What one row is expected to use on a dataset, and what it uses with the double that `OPENAI_BASE_URL` names."""
    context = with_papers_settings(dataset, ReaderContext(model="openai:double", **settings))
    rows = rows_to_run([method], dataset, context, full_text=False)
    with tempfile.TemporaryDirectory() as place:
        folder = EvaluationFolder(Path(place))
        with folder.open_for(what_is_run(None, dataset, rows, 1, None, context)):
            async with open_library(folder.library) as library:
                evaluation = Evaluation(dataset, rows, range(1), folder, library)
                estimate = await estimate_groups(library.pages, evaluation.missing)
                async for outcome in evaluation.run():
                    if outcome.status == "failed":
                        raise RuntimeError(outcome.problem)
            kept = [*folder.memories(), *(outcome.line() for outcome in folder.outcomes())]
    return Compared(estimate, {name: sum(line[name] for line in kept) for name in COUNTED})


def show(dataset: Dataset, methods: Sequence[str], settings: dict[str, Any]) -> None:
    """Print a line for each method."""
    print(f"\n{dataset.name}: {len(dataset.items)} questions, {len(dataset.texts)} texts")
    print(f"{'method':<20}{'calls':>8}{'sent':>8}{'got':>8}   used: calls, words sent, words received")
    for method in methods:
        found = asyncio.run(compared(dataset, method, **settings))
        cells = "".join(f"{ratio:>8.2f}" for ratio in found.ratios())
        print(f"{method:<20}{cells}   " + ", ".join(f"{found.used[name]:,}" for name in COUNTED), flush=True)


def main() -> None:
    """Compare for every file and method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[EXAMPLES])
    parser.add_argument("--methods", nargs="+", default=[*METHODS])
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--sample", type=int, default=None)
    options = parser.parse_args()
    with ModelServer(lifelike) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        for file in options.files:
            dataset = load_dataset(file, None, options.limit)
            dataset = draw_sample(dataset, options.sample, 0) if options.sample else dataset
            show(dataset, options.methods, {"embeddings": "openai:double-embeddings"})


if __name__ == "__main__":
    main()

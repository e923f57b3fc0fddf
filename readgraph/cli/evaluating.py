"""`evaluate`: run methods over a dataset, rate what they answered, and show what came of it."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from langgraph.store.memory import InMemoryStore

from readgraph.cli.estimating import show_estimate
from readgraph.cli.evaluation_progress import EvaluationProgress
from readgraph.cli.evaluation_tables import print_results
from readgraph.cli.prices import cost, known_price
from readgraph.cli.rendering import print_json, print_reminder
from readgraph.cli.screen import Screen
from readgraph.evaluation.datasets import load_dataset
from readgraph.evaluation.estimating import foreseen
from readgraph.evaluation.extra import check_libraries
from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.judging import judge_missing, rated
from readgraph.evaluation.plan import methods_to_run, what_is_run, with_papers_settings
from readgraph.evaluation.records import Dataset
from readgraph.evaluation.result_files import write_results
from readgraph.evaluation.running import Evaluation, missing
from readgraph.graphs.methods import Method
from readgraph.nodes.estimating import Estimate
from readgraph.nodes.metering import Meter, start_meter
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.library import Library, open_library
from readgraph.state.page_store import PageStore
from readgraph.state.reading import NOTHING_USED, Usage
from readgraph.state.words import count_words


@dataclass(frozen=True)
class Asked:
    """What the command was given."""

    file: Path | None
    form: str | None
    methods: str
    limit: int | None
    runs: int
    judge: str | None
    out: Path | None

    def dataset(self) -> Dataset:
        """The questions, as many as are wanted."""
        if self.file is None and self.form is None:
            raise BadInput("There is nothing to evaluate: name a file of questions.")
        return load_dataset(self.file, self.form, self.limit)

    def names(self) -> list[str]:
        """The names of methods."""
        return [name for name in map(str.strip, self.methods.split(",")) if name]


def evaluate(asked: Asked, context: ReaderContext, screen: Screen) -> None:
    """Run what is missing, and print the results; they are in the folder too."""
    dataset = asked.dataset()
    if asked.out is None:
        raise BadInput("The answers need a folder: name it with --out.")
    check_libraries()
    settings = with_papers_settings(dataset, context)
    methods = methods_to_run(asked.names(), dataset, settings)
    folder = EvaluationFolder(asked.out)
    with folder.opened(what_is_run(asked.file, dataset, methods, asked.runs, asked.judge, settings)):
        folder.keep_questions(dataset)
        try:
            asyncio.run(_run(folder, dataset, methods, asked.runs, settings, asked.judge, screen))
        finally:  # also of a run that was stopped
            results = write_results(dataset, folder)
    if screen.as_json:
        print_json(results)
    else:
        print_results(results, folder.path, screen)
    print_reminder(settings, screen)


async def _run(
    folder: EvaluationFolder,
    dataset: Dataset,
    methods: list[Method],
    runs: int,
    context: ReaderContext,
    judge: str | None,
    screen: Screen,
) -> None:
    async with open_library(folder.library) as library:
        evaluation = Evaluation(
            dataset, methods, range(runs), context, folder, library, lambda steps: cost(steps, screen.price)
        )
        left = sum(len(items) for *_, items in evaluation.missing)
        with EvaluationProgress("Answering", left, screen) as progress:
            async for outcome in evaluation.run():
                words = outcome.input_words + outcome.output_words
                progress.one_more(outcome.calls, words, outcome.cost, outcome.problem)
        await _judge(folder, dataset, replace(context, model=judge or "", sample=0), library, screen)


async def _judge(
    folder: EvaluationFolder, dataset: Dataset, rater: ReaderContext, library: Library, screen: Screen
) -> None:
    """Let the rater's models judge what was not judged yet; nothing where they rate none of the metrics."""
    if not rated(dataset.metrics, rater):
        return
    start_meter(meter := Meter(rater))
    price, before = screen.price or known_price(rater.model), Usage(**NOTHING_USED)
    with EvaluationProgress("Judging", len(folder.outcomes()), screen) as progress:
        async for _ in judge_missing(dataset, folder, rater, library.store):
            calls = meter.used["calls"] - before["calls"]
            words = sum(meter.used[name] - before[name] for name in ("input_words", "output_words"))
            spent = price.of(meter.used) - price.of(before) if price else None
            progress.one_more(calls, words, spent)
            before = Usage(**meter.used)


def estimate(asked: Asked, context: ReaderContext, screen: Screen) -> None:
    """Print what the evaluation will use; no call is made."""
    dataset = asked.dataset()
    settings = with_papers_settings(dataset, context)
    methods = methods_to_run(asked.names(), dataset, settings)
    needed = asyncio.run(_foreseen(asked, dataset, methods, settings))
    words = sum(count_words(text.text) for text in dataset.texts)
    show_estimate(needed, words, settings, screen)


async def _foreseen(asked: Asked, dataset: Dataset, methods: list[Method], context: ReaderContext) -> Estimate:
    folder = EvaluationFolder(asked.out) if asked.out else None
    if folder is None or not folder.library.exists():
        pages = PageStore(InMemoryStore())
        return await foreseen(pages, missing(dataset, methods, range(asked.runs), []), context)
    async with open_library(folder.library) as library:
        left = missing(dataset, methods, range(asked.runs), folder.outcomes())
        return await foreseen(library.pages, left, context)

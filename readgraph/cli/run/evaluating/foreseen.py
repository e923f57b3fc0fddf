"""`evaluate --estimate`: what an evaluation will use, without making a call."""

from dataclasses import replace

from langgraph.store.memory import InMemoryStore

from readgraph.cli.options.evaluating import EvaluateOptions
from readgraph.cli.run.estimate import show_estimate
from readgraph.cli.run.evaluating.calibrate import calibration_foreseen
from readgraph.cli.run.evaluating.questions import dataset_of, rows_of
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.output_options import Screen
from readgraph.estimates.arithmetic import Estimate
from readgraph.evaluation.folder.evaluation_folder import EvaluationFolder
from readgraph.evaluation.judges.calibrating import pairs_for
from readgraph.evaluation.judges.judging import unjudged
from readgraph.evaluation.judges.raters import Raters
from readgraph.evaluation.plan.estimating import foreseen, rating_foreseen
from readgraph.evaluation.plan.run_record import with_papers_settings
from readgraph.evaluation.records import Dataset
from readgraph.evaluation.running.evaluation import Group, missing
from readgraph.state.context import ReaderContext
from readgraph.state.library import open_library
from readgraph.state.page_store import PageStore


def estimate(options: EvaluateOptions, context: ReaderContext, screen: Screen) -> None:
    """Print what the evaluation will use, without making a call."""
    dataset = dataset_of(options)
    settings = with_papers_settings(dataset, context)
    rows = rows_of(options, dataset, settings)
    folder = EvaluationFolder(options.out) if options.out and EvaluationFolder(options.out).library.exists() else None
    groups = missing(dataset, rows, range(options.runs), folder.outcomes() if folder else [])
    needed = run_until_stopped(_reading_estimate(folder, groups))
    words = sum(text.words for text in dataset.texts)
    rating = None
    if options.judge:
        ratings = _rating_estimate(folder, dataset, groups, settings, options.judge)
        calibrating = calibration_foreseen(pairs_for(dataset)) if options.calibrate else Estimate()
        rating = (ratings + calibrating, options.judge)
    show_estimate(needed, words, settings, screen, rating)


def estimated(options: EvaluateOptions, context: ReaderContext) -> Estimate:
    """What the readings of a new evaluation will use."""
    dataset = dataset_of(options)
    rows = rows_of(options, dataset, with_papers_settings(dataset, context))
    return run_until_stopped(_reading_estimate(None, missing(dataset, rows, range(options.runs), [])))


async def _reading_estimate(folder: EvaluationFolder | None, groups: list[Group]) -> Estimate:
    if folder is None:
        return await foreseen(PageStore(InMemoryStore()), groups)
    async with open_library(folder.library) as library:
        return await foreseen(library.pages, groups)


def _rating_estimate(
    folder: EvaluationFolder | None, dataset: Dataset, groups: list[Group], context: ReaderContext, judge: str
) -> Estimate:
    """The estimate for rating the missing answers, and the existing ones without a judgement."""
    by_id = {item.id: item for item in dataset.items}
    existing = unjudged(dataset, folder, replace(context, model=judge)) if folder else []
    missing_items = [item for *_, items in groups for item in items]
    metrics = Raters(judge, None).rated(dataset.metrics)
    return rating_foreseen([*missing_items, *(by_id[outcome.item] for outcome in existing)], metrics)

"""`evaluate`: run methods over a dataset, rate their answers, and show the results."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from readgraph.cli.options.evaluating import EvaluateOptions
from readgraph.cli.run.evaluating.calibrate import calibrate as calibrate_alone
from readgraph.cli.run.evaluating.calibrate import calibrate_once, estimate_calibration
from readgraph.cli.run.evaluating.publish import publish
from readgraph.cli.run.evaluating.questions import check_calibrated, dataset_of, rows_of
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.evaluation.result_tables import print_results
from readgraph.cli.terminal.notices import notices
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.progress.evaluation import EvaluationProgress
from readgraph.cli.terminal.rendering import print_json, print_reminder
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.evaluation.folder.evaluation_folder import WHAT, EvaluationFolder
from readgraph.evaluation.folder.usage import Cost
from readgraph.evaluation.inspect_logs import write_logs
from readgraph.evaluation.judges.judging import judge_missing, unjudged
from readgraph.evaluation.judges.raters import check_raters, given_by
from readgraph.evaluation.optional_imports import check_libraries
from readgraph.evaluation.plan.run_record import what_is_run, with_papers_settings
from readgraph.evaluation.publishing.comparing import judge_again
from readgraph.evaluation.publishing.published_run import check_new
from readgraph.evaluation.records import Dataset
from readgraph.evaluation.report.result_files import write_results
from readgraph.evaluation.results.scored_evaluation import scored_evaluation
from readgraph.evaluation.rows.row import Row
from readgraph.evaluation.running.evaluation import Evaluation
from readgraph.models.clients.model_client import model_client
from readgraph.models.names.prices import exchange_cost
from readgraph.sources.loading import shown
from readgraph.state.archives.replies import copied
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.library import holds_library, open_library
from readgraph.state.words import counted

NO_FOLDER = "The answers need a folder: name one with --out."


def evaluate(options: EvaluateOptions, context: ReaderContext, screen: Screen) -> None:
    """Run what is missing and print the results, which are also written to the folder."""
    if options.publish:
        check_new(options.publish)
    results, settings = answered(options, context, screen)
    assert options.out
    if screen.as_json:
        print_json(results)
    else:
        print_results(results, options.out, screen)
    if options.inspect:
        write_inspect_logs(options.out, options.inspect, screen)
    if options.publish:
        asked = {name: getattr(options, name) for name in ("limit", "sample", "seed", "metrics")}
        publish(options.publish, EvaluationFolder(options.out), results, asked, settings, screen)
    print_reminder(settings, screen)


def answered(
    options: EvaluateOptions, context: ReaderContext, screen: Screen, replayed: Path | None = None
) -> tuple[dict[str, Any], ReaderContext]:
    """Run what is missing and write the results; gives them, and the settings with the papers' for the dataset.

    `replayed`: the published run whose judge's replies are taken.
    """
    dataset = dataset_of(options)
    if options.out is None:
        raise BadInput(NO_FOLDER)
    check_libraries()
    settings = with_papers_settings(dataset, context)
    # A judge may be named later; the embedding model is one of the settings, which must stay the same.
    check_raters(given_by("embeddings", dataset.metrics), settings)
    rows = rows_of(options, dataset, settings)
    folder, theirs = EvaluationFolder(options.out), options.replies and _library_with_replies(options.replies)
    with folder.opened(what_is_run(options.file, dataset, rows, options.runs, options.judge, settings)):
        folder.keep_questions(dataset)
        try:
            if theirs:
                run_until_stopped(_take_replies(theirs, folder))
            with notices(Console(stderr=True, quiet=screen.quiet).print, screen):
                run_until_stopped(_run(folder, dataset, rows, settings, options, screen, replayed))
        finally:  # also for a run that was stopped
            results = write_results(dataset, folder)
    return results, settings


def write_inspect_logs(out: Path, to: Path, screen: Screen) -> None:
    """Write the logs for inspect-ai of what the folder of an evaluation holds."""
    check_libraries()
    folder = EvaluationFolder(out)
    logs = write_logs(scored_evaluation(folder.dataset(), folder), folder, to)
    if not screen.quiet:
        said = f"{counted(len(logs), 'log')} written: inspect view --log-dir {shown(to)}"
        Console(stderr=True).print(Text(said, style="dim"), soft_wrap=True)


def _library_with_replies(source: Path) -> Path:
    """The library of another evaluation, or the library itself."""
    theirs = EvaluationFolder(source).library if (source / WHAT).exists() else source
    if not holds_library(theirs):
        raise BadInput(f"{shown(source)} holds no recorded replies: name the folder of an evaluation or of a library.")
    return theirs


async def _take_replies(theirs: Path, folder: EvaluationFolder) -> None:
    async with open_library(theirs, only_shows=True) as other, open_library(folder.library) as library:
        await copied(other.pages, library.pages)


async def _run(
    folder: EvaluationFolder,
    dataset: Dataset,
    rows: list[Row],
    context: ReaderContext,
    options: EvaluateOptions,
    screen: Screen,
    replayed: Path | None,
) -> None:
    judge, dollars = options.judge, costs(context, screen)
    rater = replace(context, model=judge or "", sample=0)
    async with open_library(folder.library) as library:
        evaluation = Evaluation(dataset, rows, range(options.runs), folder, library, dollars)
        reading = [model for row in rows for model in (row.context.model, row.context.reading_model)]
        for model in filter(None, dict.fromkeys([judge, *(reading if evaluation.missing else [])])):
            await model_client(replace(context, model=model))  # report a wrong model before anything is paid for
        remaining = sum(len(items) for *_, items in evaluation.missing)
        with EvaluationProgress("Answering", remaining, screen) as progress:
            async for outcome in evaluation.run():
                words = outcome.input_words + outcome.output_words
                progress.one_more(outcome.calls, words, outcome.cost, outcome.problem)
        if options.calibrate:
            await calibrate_once(folder, library.store, rater, screen, dollars)
        if replayed:
            await judge_again(replayed, dataset, folder, rater)
            return
        to_judge = len(unjudged(dataset, folder, rater))
        with EvaluationProgress("Judging", to_judge, screen) as progress:
            async for judged in judge_missing(dataset, folder, rater, library.store, dollars):
                words = judged.input_words + judged.output_words
                progress.one_more(judged.calls, words, judged.cost, judged.problem)


def costs(context: ReaderContext, screen: Screen) -> Cost:
    """What an exchange costs, at the user's price or the model's known one."""
    return lambda exchange: exchange_cost(exchange, screen.price, batch=context.batch)


def calibrate(options: EvaluateOptions, context: ReaderContext, screen: Screen) -> None:
    """Calibrate the judge alone, or estimate that."""
    check_calibrated(options)
    rater = replace(context, model=options.judge or "", sample=0)
    if options.estimate:
        estimate_calibration(options.out, rater, screen)
    else:
        calibrate_alone(options.out, rater, screen, costs(context, screen))

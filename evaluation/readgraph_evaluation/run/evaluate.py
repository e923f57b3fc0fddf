"""`evaluate` and `trajectories`: run methods over a dataset, rate their answers, show, publish, compare the results."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import typer
from langgraph.store.memory import InMemoryStore

from readgraph import BadInput, PageStore, ReaderContext, open_library
from readgraph.cli.options.output import check_alone
from readgraph.cli.run.documents import show_estimate
from readgraph.cli.settings import check_used
from readgraph.cli.terminal.progress import notices
from readgraph.cli.terminal.rendering import print_json, print_reminder
from readgraph.cli.terminal.safe_text import Console, SafeText, escape_json, one_line, tell
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.graphs.estimate import Estimate
from readgraph.library.opening import holds_library
from readgraph.library.upkeep.archives import copy_replies
from readgraph.models.client import model_client
from readgraph.models.windows.window import TOKENS_PER_WORD
from readgraph.sources.loading import STANDARD_INPUT, fault_of, printable_path
from readgraph.state.files import replace_file
from readgraph.state.words import format_count
from readgraph_evaluation import plan
from readgraph_evaluation.board import write_board
from readgraph_evaluation.datasets import load_dataset
from readgraph_evaluation.folder import WHAT, EvaluationFolder, make_folder
from readgraph_evaluation.inspect_logs import write_logs
from readgraph_evaluation.judges.calibration import pairs_for
from readgraph_evaluation.judges.judging import find_unjudged, judge_missing
from readgraph_evaluation.metrics import Raters, check_raters, metrics_rated_by
from readgraph_evaluation.options import BoardOptions, EvaluateOptions
from readgraph_evaluation.other_systems import load_answers
from readgraph_evaluation.publishing import PROMPTS, check_new, note_on_sharing, write_published_run
from readgraph_evaluation.records import Dataset
from readgraph_evaluation.replaying import judge_again
from readgraph_evaluation.report import write_results
from readgraph_evaluation.reproducing import metrics_of_experiment
from readgraph_evaluation.results import ScoredEvaluation, difference_of
from readgraph_evaluation.rows import SUMMARY, EvaluationRow, on_web_pages, rows_to_run
from readgraph_evaluation.run.calibrate import calibrate, calibrate_once, calibration_estimate, costs, show_progress
from readgraph_evaluation.run.tables import P_MEANS, UNPROVEN, pairs_table, print_lines, print_results
from readgraph_evaluation.running import Evaluation, find_unanswered
from readgraph_evaluation.sweeps import sweep_named
from readgraph_evaluation.trajectories import FORMS

USUAL = "read-agent,mem-walker,gam,bm25"
USUAL_ON_WEB_PAGES = "web-agent,web-gists-only,web-page,web-bm25"

ALONE = (
    *("--judge", "--out", "--estimate", "--json", "--quiet", "--price"),
    *("--concurrency", "--timeout", "--retry-seconds", "--max-reply-mb", "--batch", "--prompts", "--again"),
)
"""What may stand beside --calibrate where no questions are named."""


def evaluate_by_options(
    run: typer.Context, options: EvaluateOptions, context: ReaderContext, screen: OutputOptions
) -> None:
    """Evaluate, or compare two evaluations, repeat a published one, ask the judge alone, or make logs of one."""
    if options.diff:
        if options.file:
            raise BadInput("--diff compares two existing evaluations: leave the file out.")
        check_alone(run, "compares two existing evaluations", "--diff", "--json", "--quiet")
        show_difference(*options.diff, screen)
    elif options.replay:
        from readgraph_evaluation.run.reproduce import replay

        check_alone(run, "repeats a published run", "--replay", "--dataset", "--out", "--json", "--quiet")
        raise typer.Exit(replay(options.file, options.form, options.replay, options.out, screen))
    elif options.calibrate and not options.judge:
        raise BadInput("--calibrate needs a judge: name one with --judge.")
    elif options.calibrate and options.names_no_questions:
        check_alone(run, "without FILE asks the judge alone", "--calibrate", *ALONE)
        calibrate(options, context, screen)
    elif options.inspect and options.out and options.names_no_questions:
        check_alone(run, "makes logs of a finished evaluation", "--inspect", "--out", "--json", "--quiet")
        write_inspect_logs(options.out, options.inspect, screen)
    else:
        (estimate if options.estimate else evaluate)(options, context, screen)


def dataset_of(options: EvaluateOptions) -> Dataset:
    """The questions, up to the limit, or a random sample of them."""
    if options.names_no_questions:
        raise BadInput("There is nothing to evaluate: name a file of questions.")
    if options.sample is None and options.seed:
        raise BadInput("--seed draws a sample: say how many questions with --sample, or leave it out.")
    dataset = load_dataset(options.file, options.form, options.limit)
    if options.half is not None:
        dataset = plan.take_half(dataset, options.half)
    if options.sample is not None:
        dataset = plan.draw_sample(dataset, options.sample, options.seed)
    if options.metrics is not None:
        dataset = plan.with_metrics(dataset, options.metrics)
        out = options.out  # of an evaluation that goes on, the folder names the judge
        judge = options.judge or (out and (out / WHAT).exists() and EvaluationFolder(out).what()["judge"])
        check_raters(metrics_rated_by("judge", dataset.metrics), ReaderContext(model=judge or ""))
    if options.judge and not metrics_rated_by("judge", dataset.metrics):
        raise BadInput(f"No metric of {dataset.name} needs a judge ({', '.join(dataset.metrics)}): leave --judge out.")
    return dataset


def rows_of(options: EvaluateOptions, dataset: Dataset, context: ReaderContext) -> list[EvaluationRow]:
    """The rows of methods, of single rows and of the sweep; without any of these or answers, of the usual methods."""
    if options.answers and options.methods is None and not (options.rows or options.sweep):
        return []
    usual = USUAL_ON_WEB_PAGES if on_web_pages(dataset.items) else USUAL
    methods = options.methods if options.methods is not None or options.rows or options.sweep else usual
    names = [name for name in map(str.strip, (methods or "").split(",")) if name]
    swept = sweep_named(options.sweep).rows if options.sweep else ()
    rows = rows_to_run([*names, *options.rows, *swept], dataset, context, full_text=options.full_text)
    embeddings = metrics_rated_by("embeddings", dataset.metrics) and ["embeddings"]
    sums_up = ["answer_length"] if any(row.method is SUMMARY for row in rows) else []  # says what it takes
    check_used([row.method for row in rows], asks=True, also=[*(embeddings or []), *sums_up])
    return rows


EMBEDS = "Rows that rank by embeddings are replayed with the embedding model: its vectors are not published."


NO_FOLDER = "The answers need a folder: name one with --out."


def evaluate(options: EvaluateOptions, context: ReaderContext, screen: OutputOptions, experiment: str = "") -> None:
    """Run what is missing and print the results, which are also written to the folder; `experiment`: a paper's."""
    if options.publish:
        if options.answers:
            raise BadInput("Answers of other systems can't be replayed: leave --publish or --answers out.")
        check_new(options.publish)
    results, settings = run_evaluation(options, context, screen, experiment=experiment)
    assert options.out
    if screen.as_json:
        print_json(results)
    else:
        print_results(results, options.out, screen)
    if options.inspect:
        write_inspect_logs(options.out, options.inspect, screen)
    if options.publish:
        asked = {name: getattr(options, name) for name in ("limit", "half", "sample", "seed", "metrics")}
        run = write_published_run(EvaluationFolder(options.out), results, asked, settings, options.publish)
        shown, sharing = printable_path(options.publish), note_on_sharing(run["dataset"], run.get("licence", ""))
        own = ", ".join(run.get("own_prompts", ()))
        words = own and f"The folder {PROMPTS} in it has your own words of {own}."
        notes = [f"Published in {shown}: replay it with --replay {shown}.", sharing, words]
        screen.tell(*filter(None, [*notes, settings.embeddings and EMBEDS]))
    print_reminder(settings, screen)


def run_evaluation(
    options: EvaluateOptions,
    context: ReaderContext,
    screen: OutputOptions,
    replayed: Path | None = None,
    experiment: str = "",
) -> tuple[dict[str, Any], ReaderContext]:
    """Run what is missing and write the results; gives them, and the settings with the papers' for the dataset.

    `replayed`: the published run whose judge's replies are taken; `experiment`: the paper's, whose metrics lead.
    """
    dataset = dataset_of(options)
    metrics = dict.fromkeys([*metrics_of_experiment(dataset.name, experiment), *dataset.metrics])
    dataset = replace(dataset, metrics=tuple(metrics))
    if options.out is None:
        raise BadInput(NO_FOLDER)
    settings = plan.with_papers_settings(dataset, context)
    # A judge may be named later; the embedding model is one of the settings, which must stay the same.
    check_raters(metrics_rated_by("embeddings", dataset.metrics), settings)
    rows = rows_of(options, dataset, settings)
    systems = [load_answers(file, dataset) for file in options.answers]
    if len({system.name for system in systems}) < len(systems):
        raise BadInput("Two files of answers have one name, by which their rows are called: rename one.")
    folder, theirs = EvaluationFolder(options.out), options.replies and _library_with_replies(options.replies)
    files = {system.name: system.line for system in systems}
    kept = folder.what().get("answers", {}) if files and (options.out / WHAT).exists() else {}
    for name in (each for each in files if kept.get(each, files[each]) != files[each]):
        screen.tell(f"{name}: these answers take the place of others in {printable_path(options.out)}")
    asked = options.file, dataset, rows, options.runs, options.judge, settings
    what = plan.what_is_run(*asked, experiment, files, options.half)
    with folder.open_for(what):
        folder.keep_questions(dataset)
        folder.keep_outcomes(chain.from_iterable(system.outcomes for system in systems))
        screen.tell(*chain.from_iterable(system.notes for system in systems))
        try:
            if theirs:
                run_until_stopped(_take_replies(theirs, folder))
            with notices(Console(stderr=True, quiet=screen.quiet).print, screen):
                run_until_stopped(_run(folder, dataset, rows, settings, options, screen, replayed))
        finally:  # also for a run that was stopped
            results = write_results(dataset, folder)
    return results, settings


ON_BOARD = "read-agent,mem-walker,gam,ranked,bm25"


def board(options: BoardOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Write a board's history and questions into the folder, and evaluate the methods on it."""
    if options.out is None:
        raise BadInput("The board needs a folder: name one with --out.")
    make_folder(options.out)
    words = round(options.tokens / TOKENS_PER_WORD)
    file = options.out / f"board-{options.tokens}-{options.seed}.jsonl"
    is_new = not file.exists()
    write_board(file, words, options.seed)
    if options.methods == "none" and not options.answers:
        if screen.as_json:
            print_json({"questions": str(file)})
        else:
            screen.tell(f"Questions written: {printable_path(file)}")
        return
    methods = None if options.methods == "none" else options.methods or (None if options.answers else ON_BOARD)
    within = options.out / file.stem
    evaluate_options = EvaluateOptions(file=file, methods=methods, answers=options.answers, out=within, full_text=False)
    try:
        (estimate if options.estimate else evaluate)(evaluate_options, context, screen)
    finally:
        if is_new and not (within / WHAT).exists():  # nothing was begun
            file.unlink()


def write_inspect_logs(out: Path, to: Path, screen: OutputOptions) -> None:
    """Write the logs for inspect-ai of what the folder of an evaluation holds."""
    folder = EvaluationFolder(out)
    logs = write_logs(ScoredEvaluation.of(folder.dataset(), folder), to)
    written = format_count(len(logs), "log")
    screen.tell(f"{written} written: inspect view --log-dir {printable_path(to)}", style="dim")


def _library_with_replies(source: Path) -> Path:
    theirs = EvaluationFolder(source).library if (source / WHAT).exists() else source
    if not holds_library(theirs):
        raise fault_of(source, "holds no recorded replies: name the folder of an evaluation or of a library.")
    return theirs


async def _take_replies(source: Path, folder: EvaluationFolder) -> None:
    async with open_library(source, only_shows=True) as other, open_library(folder.library) as library:
        await copy_replies(other.pages, library.pages)


async def _run(
    folder: EvaluationFolder,
    dataset: Dataset,
    rows: list[EvaluationRow],
    context: ReaderContext,
    options: EvaluateOptions,
    screen: OutputOptions,
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
        await show_progress("Answering", remaining, evaluation.run(), screen)
        if options.calibrate:
            await calibrate_once(folder, library.store, rater, screen, dollars)
        if replayed:
            await judge_again(replayed, dataset, folder, rater)
            return
        to_judge = len(find_unjudged(dataset, folder, rater))
        await show_progress("Judging", to_judge, judge_missing(dataset, folder, rater, library.store, dollars), screen)


def estimate(options: EvaluateOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print what the evaluation will use, without making a call."""
    dataset = dataset_of(options)
    settings = plan.with_papers_settings(dataset, context)
    rows = rows_of(options, dataset, settings)
    folder = EvaluationFolder(options.out) if options.out and EvaluationFolder(options.out).library.exists() else None
    groups = find_unanswered(dataset, rows, range(options.runs), folder.outcomes() if folder else [])

    async def estimate_groups() -> Estimate:
        if folder is None:
            return await plan.estimate_groups(PageStore(InMemoryStore()), groups)
        async with open_library(folder.library) as library:
            return await plan.estimate_groups(library.pages, groups)

    needed = run_until_stopped(estimate_groups())
    words = sum(text.words for text in dataset.texts)
    rating = None
    if options.judge:
        unjudged = find_unjudged(dataset, folder, replace(settings, model=options.judge)) if folder else []
        to_judge = [*chain.from_iterable(items for *_, items in groups), *(dataset.by_id[one.item] for one in unjudged)]
        ratings = plan.estimate_rating(to_judge, Raters(options.judge, None).metrics_with_model(dataset.metrics))
        calibrating = calibration_estimate(pairs_for(dataset)) if options.calibrate else Estimate()
        rating = (ratings + calibrating, options.judge)
    show_estimate(needed, words, settings, screen, rating)


def estimate_readings(options: EvaluateOptions, context: ReaderContext) -> Estimate:
    """What the readings of a new evaluation will use, roughly."""
    dataset = dataset_of(options)
    rows = rows_of(options, dataset, plan.with_papers_settings(dataset, context))
    groups = find_unanswered(dataset, rows, range(options.runs), [])
    return run_until_stopped(plan.estimate_groups(PageStore(InMemoryStore()), groups, rough=True))


A, B = "A", "B"


def show_difference(one: Path, other: Path, screen: OutputOptions) -> None:
    """Print by how much the second evaluation is better or worse, and what differs between the two."""
    result = difference_of(one, other)
    if screen.as_json:
        print_json(result)
        return
    console = Console()
    console.print(SafeText(f"{result['dataset']}, {result['metric']}", style="bold"))
    for letter, folder, unproven in zip((A, B), result["folders"], result["unproven_judge"], strict=True):
        print_lines(f"{letter}  {one_line(folder)}{UNPROVEN if unproven else ''}")
    console.print()
    console.print(pairs_table(result["pairs"], A, B))
    if screen.quiet:
        return
    console.print()
    heading = f"Differences from {A} to {B}:" if result["differs"] else "Settings, prompts and packages are the same."
    differs = result["differs"].items()
    lines = (f"  {name}: {' → '.join(map(_format_setting_value, values))}" for name, values in differs)
    print_lines(P_MEANS, heading, *lines, style="dim")


def _format_setting_value(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return "none" if value in (None, "") else one_line(value)


def write_trajectories(folder: Path, form: str, out: Path, *, quiet: bool) -> None:
    """Write the examples of a format, one per line."""
    if form not in FORMS:
        raise BadInput(f"There is no format '{form}': choose one of {', '.join(FORMS)}.")
    examples = iter(FORMS[form](EvaluationFolder(folder)))
    first = list(islice(examples, 1))  # an error is reported before an existing file is emptied
    count = 0
    with _open_output(out) as file:
        for count, example in enumerate(chain(first, examples), 1):  # noqa: B007
            file.write(escape_json(json.dumps(example, ensure_ascii=False)) + "\n")
    why = "" if count else " Examples need a correct answer, or two runs that differ; this evaluation has neither."
    tell(f"{format_count(count, 'example')} written.{why}", style="dim", quiet=quiet)


@contextmanager
def _open_output(out: Path) -> Iterator[IO[str]]:
    if str(out) == STANDARD_INPUT:
        yield sys.stdout
        return
    try:
        with replace_file(out, errors="replace") as file:
            yield file
    except OSError as problem:
        raise fault_of(out, f"can't be written: {problem.strerror}.") from None

"""`reproduce` and `--replay`: the papers' experiments as evaluations, and published runs repeated."""

import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import typer
from rich.table import Table

from readgraph import BadInput, ReaderContext, ReadgraphError
from readgraph.cli.options.output import check_alone
from readgraph.cli.run.documents import estimated_cost
from readgraph.cli.terminal.doing import say_doing
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import PLAIN, Console
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.graphs.methods import web_method_named
from readgraph.models.prices import in_dollars
from readgraph.models.reply import replay_published
from readgraph.sources.loading import fault_of, printable_path
from readgraph.state.transports import price_share
from readgraph.state.words import format_count
from readgraph_evaluation import replaying
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.options import EvaluateOptions, ReproduceOptions
from readgraph_evaluation.plan import digest_of, fill_defaults
from readgraph_evaluation.publishing import PROMPTS
from readgraph_evaluation.reproducing import EXPERIMENTS, Experiment, experiment_named, needs
from readgraph_evaluation.rows import EvaluationRow, needs_embeddings, row_method, row_named
from readgraph_evaluation.run.evaluate import NO_FOLDER, estimate, estimate_readings, evaluate, run_evaluation
from readgraph_evaluation.run.tables import print_lines

AS_STATED = (
    "Cost, seconds, date, machine, licence, versions and the model's name are as stated: a replay can't check them."
)

MOST_SHOWN = 10


def reproduce_by_options(
    run: typer.Context, options: ReproduceOptions, context: ReaderContext, screen: OutputOptions
) -> None:
    """Reproduce an experiment, repeat a published run of one, or without a name list them."""
    if options.name is None:
        list_experiments(options, context, screen)
    elif options.replay:
        check_alone(run, "repeats a published run", "--replay", "--data", "--out", "--json", "--quiet")
        source = experiment_named(options.name).source
        file = needs.require_dataset_file(source, options.data)
        raise typer.Exit(replay(file, needs.form_of(source, file), options.replay, options.out, screen))
    else:
        reproduce(options.name, options, context, screen)


def replay(file: Path | None, form: str | None, theirs: Path, out: Path | None, screen: OutputOptions) -> int:
    """Repeat a published run from its replies, asking no model; returns the exit code, which is 1 where it differs."""
    run = replaying.run_of(theirs)
    context, wanted = _context(run, theirs), run["file"]
    if wanted and (file is None or not file.exists() or digest_of(file) != wanted["sha256"]):
        there = "there is none" if file is None else f"{printable_path(file)} is another one"
        raise BadInput(
            f"This run was made with {wanted['name']} of {run['dataset']} (sha256 {wanted['sha256'][:12]}…), "
            f"and {there}: name that file."
        )
    with tempfile.TemporaryDirectory() as kept_meanwhile:
        place = out or Path(kept_meanwhile) / "replayed"
        same: Any = {"rows": run["methods"], "runs": run["runs"], "judge": run["judge"], **run["asked"]}
        options = EvaluateOptions(file=file, form=form, full_text=False, out=place, **same)
        with replay_published(replaying.read_published_replies(theirs)):
            try:
                run_evaluation(options, context, replace(screen, quiet=True, price=None), theirs)
            except ReadgraphError as problem:
                if isinstance(problem, BadInput):
                    raise
        comparison = replaying.compare_with_published(theirs, EvaluationFolder(place))
    _show(comparison, run, theirs, screen)
    return 0 if comparison.equal else 1


def _context(run: replaying.RunRecord, theirs: Path) -> ReaderContext:
    written = run["settings"].items()
    settings: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in written}
    if unknown := settings.keys() - {field.name for field in fields(ReaderContext)}:
        raise fault_of(theirs, f"was made by another version of readgraph, with a setting '{min(unknown)}'.")
    settings |= run["budget"] | {"prompts": str(theirs / PROMPTS) if (theirs / PROMPTS).is_dir() else ""}
    return ReaderContext(**settings)


def _show(comparison: replaying.RunComparison, run: replaying.RunRecord, theirs: Path, screen: OutputOptions) -> None:
    if screen.as_json:
        print_json(comparison.value())
        return
    counts = f"{format_count(comparison.answers, 'answer')}, {format_count(comparison.scores, 'score')}"
    about = f"{counts} and {format_count(comparison.figures, 'figure')} of {run['dataset']}"
    if comparison.equal:
        print_lines(f"Equal: {about}, as published in {printable_path(theirs)}; no model was asked.")
        if not screen.quiet:
            print_lines(AS_STATED, style="dim")
        return
    differences = comparison.differences
    print_lines(f"{format_count(len(differences), 'difference')} in {about}:")
    print_lines(*(f"  {line}" for line in differences[:MOST_SHOWN]))
    if (more := len(differences) - MOST_SHOWN) > 0:
        print_lines(f"  … and {more} more: --json lists all")


ANY_MODEL = "any"  # stands for a model in estimates, where none is named
FLOOR = "Without a model, quotes are scored, which no paper reports: name a model with --model."
SHARED = ("limit", "sample", "seed", "runs", "judge", "out", "replies", "publish")


def reproduce(name: str, options: ReproduceOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Run the experiment, or say what it will take; what can't be run as the paper did is said first."""
    experiment = experiment_named(name)
    context = fill_defaults(context, experiment.settings)
    rows = rows_that_can_run(experiment, context)
    if not rows:
        raise BadInput(f"Every row of {name} needs an embedding model: name one with --embeddings.")
    evaluation = _evaluation_of(experiment, options, rows)
    if not (options.estimate or options.out):
        raise BadInput(NO_FOLDER)
    notes, file = [f"{experiment.paper}, {experiment.place} ({experiment.models}): {experiment.line}."], evaluation.file
    if file and needs.dataset_name_in(file) is not None:
        notes.append(f"{printable_path(file)} is a file of your own for this dataset, not {experiment.source.title}.")
    if parts := needs.lacking_parts(experiment.source, file):
        notes.append(f"Without the test sets {', '.join(parts)}, which are not there.")
    if left := [row for row in experiment.rows if row not in rows]:
        notes.append(f"Left out, since they need an embedding model (--embeddings): {', '.join(left)}.")
    screen.tell(*notes, *experiment.lacking, *([] if context.model else [FLOOR]), style="dim")
    if options.estimate:
        estimate(evaluation, context, screen)
    else:
        evaluate(evaluation, context, screen, experiment.name)


def _evaluation_of(experiment: Experiment, options: ReproduceOptions, rows: Iterable[str]) -> EvaluateOptions:
    """The evaluation that repeats the experiment with these rows; asks as many questions as the paper."""
    source = experiment.source
    file = needs.require_dataset_file(source, options.data)
    shared = {name: getattr(options, name) for name in SHARED}
    if not (options.limit or options.sample) and experiment.sample:
        shared["sample"] = experiment.sample
    return EvaluateOptions(file=file, form=needs.form_of(source, file), rows=[*rows], full_text=False, **shared)


def list_experiments(options: ReproduceOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print all experiments with what they will take: of a dataset that is there, else of its published size."""
    lines = list[dict[str, Any]]()
    for number, experiment in enumerate(EXPERIMENTS.values(), 1):
        say_doing(f"Estimating {number} of {len(EXPERIMENTS)}: {experiment.name}")
        lines.append(_line(experiment, options, context, screen))
    if screen.as_json:
        print_json(lines)
        return
    priced = any(line["cost"] is not None for line in lines)
    table = Table("experiment", "dataset", "", "calls", "words", *(["cost"] if priced else []), **PLAIN)
    for line in lines:
        here = "here" if line["file"] else ""
        used = [f"{line['calls']:,}", f"{line['words'] / 1e6:,.1f} M"]
        cost = ["–" if line["cost"] is None else in_dollars(line["cost"])] if priced else []
        table.add_row(line["name"], line["dataset"], here, *used, *cost)
    Console().print(table)
    if not screen.quiet:
        print_lines(NOTE, style="dim")


NOTE = (
    "calls and words that a model takes for all rows: of the datasets that are here as they are, of others by their "
    "published sizes · 'readgraph reproduce NAME --data FOLDER' runs one"
)


def _line(
    experiment: Experiment, options: ReproduceOptions, context: ReaderContext, screen: OutputOptions
) -> dict[str, Any]:
    model = context.model
    able = replace(context, model=model or ANY_MODEL, embeddings=context.embeddings or ANY_MODEL)
    able = fill_defaults(able, experiment.settings)
    file, used = needs.find_dataset_file(experiment.source, options.data), None
    with suppress(ReadgraphError):  # a file that can't be read is no dataset that is there
        if file:
            used = estimate_readings(_evaluation_of(experiment, replace(options, judge=None), experiment.rows), able)
    if used is None:
        file, used = None, run_until_stopped(needs.estimate_experiment(experiment, able))
    cost = estimated_cost(used, model, screen, price_share(context))
    return {
        **{name: getattr(experiment, name) for name in ("name", "paper", "place", "line")},
        "dataset": experiment.source.title,
        "from": experiment.source.project,
        "file": file.name if file else None,
        "rows": [*experiment.rows],
        "models": experiment.models,
        "lacking": [*experiment.lacking],
        "calls": round(used.calls.expected),
        "words": round(used.input_words.expected + used.output_words.expected),
        "cost": cost if model or screen.price else None,
    }


def rows_that_can_run(experiment: Experiment, context: ReaderContext) -> list[str]:
    """The rows; where the context names no embedding model, those that don't rank by one."""
    named = web_method_named if experiment.source.size.steps else row_method
    rows = {text: row_named(text, context, named) for text in experiment.rows}

    # GAM itself goes on with its other tools, but not a row that names them.
    def ranks_by_embeddings(row: EvaluationRow) -> bool:
        return needs_embeddings(row) or "vector" in row.own.get("tools", ())

    return [text for text, row in rows.items() if context.embeddings or not ranks_by_embeddings(row)]

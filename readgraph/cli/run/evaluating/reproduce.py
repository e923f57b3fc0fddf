"""`reproduce`: the papers' experiments, each an evaluation with the paper's rows and settings."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table

from readgraph.cli.options.evaluating import EvaluateOptions, ReproduceOptions
from readgraph.cli.run.estimate import PricedEstimate
from readgraph.cli.run.evaluating.evaluate import NO_FOLDER, evaluate
from readgraph.cli.run.evaluating.foreseen import estimate, estimated
from readgraph.cli.run.evaluating.replay import replay
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import PLAIN, Console, Text
from readgraph.evaluation.reproducing.experiment import Experiment
from readgraph.evaluation.reproducing.finding import form_of, found, named_in, needed
from readgraph.evaluation.reproducing.foreseeing import of_published_size, with_settings_of
from readgraph.evaluation.reproducing.registry import EXPERIMENTS, experiment_named
from readgraph.evaluation.rows.row import Row, needs_embeddings, row_named
from readgraph.evaluation.rows.summary_row import row_method
from readgraph.graphs.methods import web_method_named
from readgraph.models.names.prices import in_dollars
from readgraph.sources.loading import shown
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

ANY_MODEL = "any"
"""Stands for a model in the estimates of a list, where none is named."""

FLOOR = "Without a model this is the extractive floor, which no paper reports: name a model with --model."


SHARED = ("limit", "sample", "seed", "runs", "judge", "out", "replies", "publish")
"""The options that `evaluate` has, too."""


def reproduce(name: str, options: ReproduceOptions, context: ReaderContext, screen: Screen) -> None:
    """Run the experiment, or say what it will take; what can't be run as the paper did is said first."""
    experiment = experiment_named(name)
    context = with_settings_of(experiment, context)
    rows = rows_that_can_run(experiment, context)
    if not rows:
        raise BadInput(f"Every row of {name} needs an embedding model: name one with --embeddings.")
    evaluation = _evaluation_of(experiment, options, rows)
    if not (options.estimate or options.out):
        raise BadInput(NO_FOLDER)
    for line in _notes(experiment, rows, evaluation.file, context):
        Console(stderr=True, quiet=screen.quiet).print(Text(line, style="dim"), soft_wrap=True)
    (estimate if options.estimate else evaluate)(evaluation, context, screen)


def _evaluation_of(experiment: Experiment, options: ReproduceOptions, rows: Iterable[str]) -> EvaluateOptions:
    """The evaluation that repeats the experiment with these rows; asks as many questions as the paper."""
    source = experiment.source
    file = needed(source, options.data)
    shared = {name: getattr(options, name) for name in SHARED}
    if not (options.limit or options.sample) and experiment.sample:
        shared["sample"] = experiment.sample
    return EvaluateOptions(file=file, form=form_of(source, file), rows=[*rows], full_text=False, **shared)


def replay_of(name: str, data: Path | None, theirs: Path, out: Path | None, screen: Screen) -> int:
    """Repeat a published run of the experiment; returns the exit code, which is 1 where it differs."""
    source = experiment_named(name).source
    file = needed(source, data)
    return replay(file, form_of(source, file), theirs, out, screen)


def list_experiments(options: ReproduceOptions, context: ReaderContext, screen: Screen) -> None:
    """Print all experiments with what they will take: of a dataset that is there, else of its published size."""
    lines = [_line(each, options, context, screen) for each in EXPERIMENTS.values()]
    if screen.as_json:
        print_json(lines)
        return
    console = Console()
    console.print(_table(lines))
    if not screen.quiet:
        console.print(Text(NOTE, style="dim"), soft_wrap=True)


NOTE = (
    "calls and words that a model takes for all rows: of the datasets that are here as they are, of others by their "
    "published sizes · 'readgraph reproduce NAME --data FOLDER' runs one"
)


def _table(lines: list[dict[str, Any]]) -> Table:
    priced = any(line["cost"] is not None for line in lines)
    table = Table("experiment", "dataset", "", "calls", "words", *(["cost"] if priced else []), **PLAIN)
    for line in lines:
        here = "here" if line["file"] else ""
        used = [f"{line['calls']:,}", f"{line['words'] / 1e6:,.1f} M"]
        cost = ["–" if line["cost"] is None else in_dollars(line["cost"])] if priced else []
        table.add_row(line["name"], line["dataset"], here, *used, *cost)
    return table


def _line(experiment: Experiment, options: ReproduceOptions, context: ReaderContext, screen: Screen) -> dict[str, Any]:
    model = context.model
    able = replace(context, model=model or ANY_MODEL, embeddings=context.embeddings or ANY_MODEL)
    able = with_settings_of(experiment, able)
    file = found(experiment.source, options.data)
    if file:
        used = estimated(_evaluation_of(experiment, replace(options, judge=None), experiment.rows), able)
    else:
        used = run_until_stopped(of_published_size(experiment, able))
    priced = PricedEstimate.of(used, model, screen, batch=context.batch)
    return {
        "name": experiment.name,
        "paper": experiment.paper,
        "place": experiment.place,
        "line": experiment.line,
        "dataset": experiment.source.title,
        "from": experiment.source.project,
        "file": file.name if file else None,
        "rows": [*experiment.rows],
        "models": experiment.models,
        "lacking": [*experiment.lacking],
        "calls": round(used.calls.expected),
        "words": round(used.input_words.expected + used.output_words.expected),
        "cost": priced.cost if model or screen.price else None,
    }


def rows_that_can_run(experiment: Experiment, context: ReaderContext) -> list[str]:
    """The rows; where the context names no embedding model, those that don't rank by one."""
    named = web_method_named if experiment.source.size.steps else row_method
    rows = {text: row_named(text, context, named) for text in experiment.rows}
    return [text for text, row in rows.items() if context.embeddings or not _by_embeddings(row)]


def _by_embeddings(row: Row) -> bool:
    """Whether the row ranks by embeddings; GAM itself goes on with its other tools, but a row that names its tools."""
    return needs_embeddings(row) or "vector" in row.own.get("tools", ())


def _notes(experiment: Experiment, rows: list[str], file: Path | None, context: ReaderContext) -> list[str]:
    """What is run, and what differs from the paper's run."""
    notes = [f"{experiment.paper}, {experiment.place} ({experiment.models}): {experiment.line}."]
    if file and named_in(file) is not None:
        notes.append(f"{shown(file)} is a file of your own for this dataset, not {experiment.source.title}.")
    if left := [row for row in experiment.rows if row not in rows]:
        notes.append(f"Left out, since they need an embedding model (--embeddings): {', '.join(left)}.")
    return [*notes, *experiment.lacking, *([] if context.model else [FLOOR])]

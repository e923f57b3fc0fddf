"""The papers' experiments as a page: for each its file, command, rows with what they take, and what can't be had."""

import asyncio
from collections.abc import Iterator

from readgraph.graphs.estimate import Estimate
from readgraph.models.prices import Price
from readgraph.state.context import ReaderContext
from readgraph_evaluation.datasets.assembling import SCORING
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.reproducing import PAPERS, Experiment, Paper
from readgraph_evaluation.reproducing.needs import estimate_experiment

PRICE = Price(0.4, 1.6)
"""Dollars per million tokens, in and out, of the amounts on the page."""

CONTEXT = ReaderContext(model="openai:a-model", embeddings="openai:an-embedding-model")


def experiments() -> str:
    """All experiments, paper by paper."""
    return "\n".join(line for paper in PAPERS for line in _paper(paper))


def _paper(paper: Paper) -> Iterator[str]:
    yield f"## {paper.name}\n"
    for experiment in paper.experiments:
        yield from _experiment(experiment)
    if paper.no_runs:
        yield f"### {paper.name}: what needs no run, or can't be had\n"
        yield from (f"- {name}: {why}" for name, why in paper.no_runs.items())
        yield ""


def _experiment(experiment: Experiment) -> Iterator[str]:
    source = experiment.source
    yield f"### `{experiment.name}`\n"
    drawn = f", {experiment.sample} questions drawn" if experiment.sample else ""
    runs = f", {experiment.runs} runs" if experiment.runs > 1 else ""
    yield f"{experiment.place.capitalize()}: {experiment.line} ({experiment.models}{drawn}{runs}).\n"
    files = f": {' or '.join(f'`{name}`' for name in source.files)}" if source.files else ""
    yield f"- dataset: {source.title}, {source.project}{files}"
    yield f"- scored by {', '.join(f'`{name}`' for name in SCORING[source.dataset].metrics)}{_raters(source.dataset)}"
    if experiment.settings:
        yield f"- settings: {', '.join(f'`{name}={value}`' for name, value in experiment.settings.items())}"
    yield from (f"- {lack}" for lack in experiment.lacking)
    yield f"\n```text\n{_command(experiment)}\n```\n"
    yield from _rows(experiment)
    yield ""


def _raters(dataset: str) -> str:
    needs = {METRICS[name].rater for name in SCORING[dataset].metrics} - {None}
    return f"; name a judge (`--judge`) for {_rated(dataset, 'judge')}" if "judge" in needs else ""


def _rated(dataset: str, rater: str) -> str:
    return ", ".join(f"`{name}`" for name in SCORING[dataset].metrics if METRICS[name].rater == rater)


def _command(experiment: Experiment) -> str:
    data = "" if experiment.source.made else " --data datasets"
    return f"readgraph reproduce {experiment.name}{data} --model PROVIDER:NAME --out {experiment.name}"


def _rows(experiment: Experiment) -> Iterator[str]:
    yield "| row | calls | words sent | words received | dollars |"
    yield "|---|--:|--:|--:|--:|"
    for name in experiment.rows:
        yield _row(f"`{name}`", asyncio.run(estimate_experiment(experiment._replace(rows=(name,)), CONTEXT)))
    yield _row("all together", asyncio.run(estimate_experiment(experiment, CONTEXT)))


def _row(name: str, used: Estimate) -> str:
    sent, received = used.input_words.expected, used.output_words.expected
    dollars = PRICE.of_words(sent, received)
    return f"| {name} | {used.calls.expected:,.0f} | {sent:,.0f} | {received:,.0f} | {dollars:,.2f} |"

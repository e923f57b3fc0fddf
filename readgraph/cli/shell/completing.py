"""Values that the shell completes: methods, profiles, languages, models, and what the library holds by name."""

import re
from collections.abc import Callable, Iterable, Iterator
from glob import escape, iglob
from pathlib import Path
from typing import Any, get_args

import typer

from readgraph.state.settings import AnswerLength

PROFILES = ("quality", "qmsum", "gutenberg", "movie", "screenplay", "report", "nested-keys")

LOCAL = "local"

TYPED = "readgraph.typed"
"""The key, in the context of a completion, of what was typed so far."""

Item = tuple[str, str]
"""A value, and what it is."""

Values = Callable[[typer.Context], Iterable[Item]]


def completing(values: Values) -> Callable[[typer.Context, str], list[Item]]:
    """A completion of whole values, in either case."""

    def complete(context: typer.Context, incomplete: str) -> list[Item]:
        context.meta[TYPED] = incomplete
        return list(_beginning(values(context), incomplete))

    return complete


def completing_each(values: Values) -> Callable[[typer.Context, str], list[Item]]:
    """A completion of the last value of several with commas between."""

    def complete(context: typer.Context, incomplete: str) -> list[Item]:
        before, comma, last = incomplete.rpartition(",")
        return [(f"{before}{comma}{value}", what) for value, what in _beginning(values(context), last)]

    return complete


def complete_sources(context: typer.Context, incomplete: str) -> list[Item]:
    """Documents of the library, with the files that begin so; no value leaves the files to the shell."""
    context.meta[TYPED] = incomplete
    found = list(_beginning(documents(context), incomplete))
    files = iglob(f"{escape(str(Path(incomplete).expanduser()) if incomplete else '')}*") if found else ()
    return [*found, *((f"{file}/" if Path(file).is_dir() else file, "") for file in sorted(files))]


def methods(_: typer.Context) -> Iterable[Item]:
    """The methods."""
    from readgraph.graphs.methods import every_method

    return ((method.name, method.line) for method in every_method())


def rows(context: typer.Context) -> Iterable[Item]:
    """The rows of evaluations that have names: those of methods, and those with settings of their own."""
    from readgraph.evaluation.rows.sweeps import NAMED_ROWS
    from readgraph.graphs.methods import SUMMARY

    return [*methods(context), (SUMMARY.name, SUMMARY.line), *NAMED_ROWS.items()]


def sweeps(_: typer.Context) -> Iterable[Item]:
    """The sweeps."""
    from readgraph.evaluation.rows.sweeps import SWEEPS

    return ((name, sweep.line) for name, sweep in SWEEPS.items())


def experiments(_: typer.Context) -> Iterable[Item]:
    """The papers' experiments."""
    from readgraph.evaluation.reproducing.registry import EXPERIMENTS

    return ((name, each.line) for name, each in EXPERIMENTS.items())


def metrics(_: typer.Context) -> Iterable[Item]:
    """The metrics."""
    from readgraph.evaluation.metrics import METRICS

    return ((name, metric.line) for name, metric in METRICS.items())


def profiles(_: typer.Context) -> Iterable[Item]:
    """The profiles."""
    return ((name, "") for name in PROFILES)


def languages(_: typer.Context) -> Iterable[Item]:
    """The languages by their codes, with their names."""
    from readgraph.state.text.language_names import NAMES

    return NAMES.items()


def answer_lengths(_: typer.Context) -> Iterable[Item]:
    """How long answers can be."""
    return ((name, "") for name in get_args(AnswerLength))


def models(context: typer.Context) -> Iterator[Item]:
    """The models that the library's memories were made with, and the one that runs on this machine."""
    known = {record.get("recipe", {}).get("model") for record in _records("memories", context)}
    yield from ((model, "used before") for model in sorted(filter(None, known)))
    yield LOCAL, "runs on this machine"


def agent_names(context: typer.Context) -> Iterator[Item]:
    """The agents that can be talked with."""
    return ((str(record.get("name")), "") for record in _records("agents", context) if not record.get("reading"))


def collections(context: typer.Context) -> Iterator[Item]:
    """The collections by their names."""
    return ((str(record.get("collection")), "") for record in _records("collections", context))


def documents(context: typer.Context) -> Iterator[Item]:
    """Documents by their titles, with _ between words (so they need no quotes), and by their ids."""
    held = [(str(record.get("title")), str(record.get("id"))) for record in _records("documents", context)]
    for title, identity in held:
        yield re.sub(r"\W+", "_", title).strip("_"), identity
    yield from ((identity, title) for title, identity in held)


def identities(context: typer.Context) -> Iterator[Item]:
    """Documents by their ids."""
    return ((str(record.get("id")), str(record.get("title"))) for record in _records("documents", context))


def _records(kind: str, context: typer.Context) -> Iterator[dict[str, Any]]:
    from readgraph.state.files.library_folder import listed_records

    folder = context.params.get("library")
    return listed_records(kind, Path(folder) if folder else None, typed=context.meta.get(TYPED, ""))


def _beginning(items: Iterable[Item], incomplete: str) -> Iterator[Item]:
    """The values that begin with this, each once; what was typed stays as it was typed, since shells compare it."""
    seen = set[str]()
    for value, what in items:
        if value and value not in seen and value.casefold().startswith(incomplete.casefold()):
            seen.add(value)
            yield incomplete + value[len(incomplete) :], what

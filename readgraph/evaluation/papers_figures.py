"""Figures from papers, made with other models: a reference for your own figures, not a target."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from readgraph.state.files import read_toml


@cache
def tables_of_papers() -> dict[str, list[dict[str, Any]]]:
    """The papers' tables by the names of datasets: `papers_figures.toml`, which says how it is read."""
    return read_toml(Path(__file__).with_suffix(".toml"), "papers_figures.toml", -1)


def figures_of_papers(dataset: str, experiment: str = "") -> list[dict[str, object]]:
    """The papers' figures for a dataset, each with its row, metric, category, model and place in the paper.

    Those of the experiment, or without one those that stand beside any evaluation, one for each row and model.
    """
    figures = dict[tuple[object, ...], dict[str, object]]()
    for table in tables_of_papers().get(dataset, ()):
        if experiment not in table["experiments"] if experiment else "plain" not in table:
            continue
        columns = [*product(table.get("categories", [""]), table["metrics"])]
        for model, rows in table.get("models", {table.get("model"): table.get("rows")}).items():
            named = dict(_rows(rows))
            if not experiment:
                named |= {name: named[row] for name, row in table["plain"].items()}
            for row, values in named.items():
                about = {"model": model, "source": table["source"]}
                for (category, metric), value in zip(columns, values, strict=True):
                    figure = {"method": row, "metric": metric, "value": value, **about, "category": category}
                    figures.setdefault((row, metric, category, model), figure)
    return [*figures.values()]


def metrics_of_experiment(dataset: str, experiment: str) -> list[str]:
    """The metrics that an experiment's table in its paper has, the leading one first; none without an experiment."""
    figures = figures_of_papers(dataset, experiment) if experiment else []
    return list(dict.fromkeys(str(figure["metric"]) for figure in figures))


def _rows(rows: Mapping[str, list[Any]]) -> Iterator[tuple[str, list[float]]]:
    """The rows by their names; one whose values are lists is a row for each of them."""
    for name, values in rows.items():
        several = values if isinstance(values[0], list) else [values]
        yield from ((name.format(number), each) for number, each in enumerate(several, 1))

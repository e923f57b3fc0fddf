"""Figures from papers, made with other models: a reference for your own figures, not a target."""

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from readgraph.state.files import read_toml


@cache
def tables_of_papers() -> dict[str, list[dict[str, Any]]]:
    """The papers' tables by the names of datasets: `papers_figures.toml`, which says how it is read."""
    return read_toml(Path(__file__).with_suffix(".toml"), "papers_figures.toml", -1)


def figures_of_papers(dataset: str) -> list[dict[str, object]]:
    """The papers' figures for a dataset, each with its row, metric, category, model and place in the paper."""
    figures = list[dict[str, object]]()
    for table in tables_of_papers().get(dataset, ()):
        about = {"model": table["model"], "source": table["source"]}
        columns = [*product(table.get("categories", [""]), table["metrics"])]
        for row, values in table["rows"].items():
            for (category, metric), value in zip(columns, values, strict=True):
                figures.append({"method": row, "metric": metric, "value": value, **about, "category": category})
    return figures

"""Figures from papers, made with other models: a reference for your own figures, not a target."""

import tomllib
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any


@cache
def tables_of_papers() -> dict[str, list[dict[str, Any]]]:
    """The papers' tables by the names of datasets: `papers_figures.toml`, which says how it is read."""
    return tomllib.loads(files("readgraph.evaluation").joinpath("papers_figures.toml").read_text(encoding="utf-8"))


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

"""The leading metric by category, as a table on the terminal."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from rich.table import Table

from readgraph.cli.terminal.evaluation.figures import metric_names, rounded, row_name, table_of
from readgraph.cli.terminal.safe_text import Text, one_line
from readgraph.evaluation.datasets.scoring import MEAN_OF_CATEGORIES
from readgraph.evaluation.report.result_files import ALIKE
from readgraph.evaluation.results.figures import named_categories

MOST_COLUMNS = 7
"""With more categories than this, each is a row, and each method a column."""

Line = tuple[str, list[str]]
"""The name of a row or of a paper's figures, and a figure for each category."""


def category_table(results: dict[str, Any]) -> Table | None:
    """The leading metric by category, with the number of questions; None with fewer than two categories.

    Papers' figures stand behind the method that they belong to. Where a dataset's authors count each category alike,
    so does the last figure.
    """
    methods = results["methods"]
    leading = next(iter(metric_names(methods)), "")
    counts: dict[str, int] = {}
    for method in methods:
        for name, category in named_categories(method["metrics"].get(leading)).items():
            counts[name] = max(counts.get(name, 0), category["questions"])
    if len(counts) < 2:
        return None
    shown = [f"{one_line(name) or 'none'} ({count:,})" for name, count in counts.items()]
    shown += [ALIKE] if results["what"]["dataset"] in MEAN_OF_CATEGORIES else []
    lines = [line for method in methods for line in _lines(results, method, leading, [*counts])]
    if len(shown) <= MOST_COLUMNS:
        table = table_of(*map(Text, shown))
        for name, figures in lines:
            table.add_row(name, *figures)
        return table
    table = table_of(*(Text(name.strip()) for name, _ in lines), first="category")
    for number, category in enumerate(shown):
        table.add_row(Text(category), *(figures[number] for _, figures in lines))
    return table


def _lines(results: dict[str, Any], method: dict[str, Any], leading: str, categories: list[str]) -> Iterator[Line]:
    """A method's figures, then those of papers."""
    metric = method["metrics"].get(leading)
    known, shows_alike = named_categories(metric), results["what"]["dataset"] in MEAN_OF_CATEGORIES
    alike = [rounded(metric and metric["category_mean"])] if shows_alike else []
    yield row_name(method["method"]), [*(rounded(known.get(name, {}).get("mean")) for name in categories), *alike]
    papers = defaultdict[str, dict[str, float]](dict)
    for figure in results["published"]:
        if (figure["method"], figure["metric"]) == (method["method"], leading):
            papers[figure["model"]][figure["category"]] = figure["value"]
    for model, values in papers.items():
        if values.keys() & {*categories}:
            figures = [rounded(values.get(name)) for name in categories]
            yield f"  published, {model}", figures + [""] * len(alike)

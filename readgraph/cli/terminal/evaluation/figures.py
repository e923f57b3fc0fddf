"""What tables of figures on the terminal share: how rows, metrics and figures are written."""

from typing import Any

from rich.table import Column, Table

from readgraph.cli.terminal.safe_text import PLAIN, Text

NONE = "–"

UNPROVEN = " (unproven judge)"
"""Behind the name of a metric whose judge may agree with known verdicts by chance."""

LONGEST_NAME = 26
"""Most characters of a row's name in one line."""


def row_name(name: str) -> str:
    """A row's name; a long one has each of its settings in a line of its own."""
    method, at, settings = name.partition("@")
    if len(name) <= LONGEST_NAME or not at:
        return name
    return "\n".join([f"{method}@", *(f"  {setting}" for setting in settings.replace(",", ",\n").splitlines())])


def metric_names(methods: list[dict[str, Any]]) -> list[str]:
    """The metrics that any method has, the leading one first."""
    return list(dict.fromkeys(name for method in methods for name in method["metrics"]))


def table_of(*names: str | Text, first: str = "method") -> Table:
    """A table with a row for each method (or for what `first` says), and columns of figures with these names."""
    table = Table(Column(first, no_wrap=True), **PLAIN, pad_edge=False)
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    return table


def rounded(value: float | None) -> str:
    """A figure with one decimal; a dash where there is none."""
    return NONE if value is None else f"{value:.1f}"

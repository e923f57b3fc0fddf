"""`evaluate --diff`: two evaluations, question by question."""

from pathlib import Path
from typing import Any

from rich.table import Column, Table

from readgraph.cli.terminal.evaluation.figures import UNPROVEN, row_name
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import PLAIN, Console, Text, one_line
from readgraph.evaluation.results.differences import difference_of

A, B = "A", "B"


def show_difference(one: Path, other: Path, screen: Screen) -> None:
    """Print by how much the second evaluation is better or worse, and what differs between the two."""
    result = difference_of(one, other)
    if screen.as_json:
        print_json(result)
        return
    console = Console()
    console.print(Text(f"{result['dataset']}, {result['metric']}", style="bold"))
    for letter, folder, unproven in zip((A, B), result["folders"], result["unproven_judge"], strict=True):
        console.print(Text(f"{letter}  {one_line(folder)}{UNPROVEN if unproven else ''}"), soft_wrap=True)
    console.print()
    console.print(_pairs(result["pairs"]))
    if not screen.quiet:
        console.print()
        _print_notes(console, result["differs"])


def _pairs(pairs: list[dict[str, Any]]) -> Table:
    table = Table(Column("method", no_wrap=True), **PLAIN, pad_edge=False)
    for name in ("questions", A, B, f"{B} − {A}", "p", f"{A} better", f"{B} better"):
        table.add_column(name, justify="right", no_wrap=not name.endswith("better"))
    unanswered = any(any(pair["not_answered"]) for pair in pairs)
    for letter in (A, B) if unanswered else ():
        table.add_column(f"{letter} not answered", justify="right")
    for pair in pairs:
        one, other = pair["methods"]
        table.add_row(
            row_name(one) if one == other else f"{row_name(one)} → {row_name(other)}",
            f"{pair['questions']:,}",
            *(f"{mean:.1f}" for mean in pair["means"]),
            _difference(pair),
            _p_value(pair["p"]),
            *(f"{count:,}" for count in pair["better"]),
            *(f"{count:,}" for count in pair["not_answered"] if unanswered),
        )
    return table


def _difference(pair: dict[str, Any]) -> str:
    """A difference with its 95 % interval: "+4.0 [−1.5, +9.5]"."""
    between = f" [{', '.join(map(_signed, pair['interval']))}]" if pair["interval"] else ""
    return f"{_signed(pair['difference'])}{between}"


def _signed(value: float) -> str:
    rounded = f"{value:+.1f}".replace("-", "−")
    return "0.0" if rounded in ("+0.0", "−0.0") else rounded


def _p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _print_notes(console: Console, differs: dict[str, list[Any]]) -> None:
    meaning = "p: how likely a difference this large is by chance alone (paired permutation test, two-sided)"
    console.print(Text(meaning, style="dim"), soft_wrap=True)
    if not differs:
        console.print(Text("Settings, prompts and packages are the same.", style="dim"))
        return
    console.print(Text(f"Differences from {A} to {B}:", style="dim"))
    for name, (one, other) in differs.items():
        console.print(Text(f"  {name}: {_shown(one)} → {_shown(other)}", style="dim"), soft_wrap=True)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return "none" if value in (None, "") else one_line(value)

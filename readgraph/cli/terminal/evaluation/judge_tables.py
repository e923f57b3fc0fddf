"""How far a judge can be trusted: its agreement with known verdicts, and its scores by the answers' length."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from readgraph.cli.terminal.evaluation.figures import NONE
from readgraph.cli.terminal.rendering import ASK_AGAIN
from readgraph.cli.terminal.safe_text import PLAIN, Console, Text
from readgraph.models.names.prices import in_dollars
from readgraph.state.words import counted


def print_calibration(found: Mapping[str, Any]) -> None:
    """Print a calibration: agreement and kappa, both by kind of pair, and what was taken for right."""
    console = Console()
    heading = f"{found['judge']}: {counted(found['pairs'], 'answer')} that are known to be right or wrong"
    console.print(Text(heading, style="bold"))
    console.print()
    table = Table("agreement", "Cohen's kappa", **PLAIN, pad_edge=False)
    table.add_row(_agreement(found), _kappa(found))
    console.print(table)
    console.print()
    console.print(_rules(found["rules"]))
    console.print()
    kinds = Table("kind of answer", **PLAIN, pad_edge=False)
    kinds.add_column("agreement", justify="right")
    for kind, agreement in found["kinds"].items():
        kinds.add_row(kind, NONE if agreement is None else f"{agreement:.0f} %")
    console.print(kinds)
    console.print()
    for line in (*_mistakes(found), _use(found)):
        console.print(Text(line, style="dim"), soft_wrap=True)


def calibration_line(found: Mapping[str, Any]) -> str:
    """A calibration in one line, to stand beside the judge's scores."""
    if found["agreement"] is None:
        return f"gave no usable verdict on {counted(found['pairs'], 'answer')} that are known to be right or wrong"
    agreement, kappa = _agreement(found), _kappa(found)
    return f"agrees with {agreement} of {found['pairs']} known verdicts, kappa {kappa}"


def length_table(lengths: Mapping[str, Any]) -> Table:
    """A judge's scores by the length of answers, in the words of the results."""
    table = Table("answer words", **PLAIN, pad_edge=False)
    for name in ("answers", lengths["metric"], "reference's words"):
        table.add_column(name, justify="right", overflow="fold")
    for group in lengths["groups"]:
        words = f"{group['from']:,}" + (f"–{group['to']:,}" if group["to"] > group["from"] else "")
        table.add_row(words, f"{group['answers']:,}", f"{group['score']:.1f}", f"{group['shared']:.0f} %")
    return table


def length_line(lengths: Mapping[str, Any]) -> str:
    """Whether long answers score higher where they share as much with the reference."""
    if lengths["preference"] is None:
        return "these answers don't show whether the judge favours long ones"
    return (
        f"of answers with the same share of the reference's words, length and {lengths['metric']} correlate with "
        f"{lengths['preference']:+.2f}: above 0, the judge favours long answers"
    )


def _rules(rules: Mapping[str, Any]) -> Table:
    """Agreement and kappa by the rule, each of which has a prompt of its own."""
    table = Table("rule", **PLAIN, pad_edge=False)
    for name in ("answers", "agreement", "Cohen's kappa"):
        table.add_column(name, justify="right")
    for rule, of in rules.items():
        table.add_row(rule, f"{of['rated']:,}", _agreement(of), _kappa(of))
    return table


def _agreement(found: Mapping[str, Any]) -> str:
    if found["agreement"] is None:
        return NONE
    low, high = found["interval"]
    return f"{found['agreement']:.0f} % [{low:.0f}–{high:.0f}]"


def _kappa(found: Mapping[str, Any]) -> str:
    if found["kappa"] is None:
        return NONE
    low, high = found["kappa_interval"]
    return f"{found['kappa']:.2f} [{low:.2f}–{high:.2f}]"


def _mistakes(found: Mapping[str, Any]) -> Iterator[str]:
    (long, of_long), (short, of_short) = found["long_wrong_taken_for_right"], found["wrong_taken_for_right"]
    yield f"wrong answers taken for right: {long} of {of_long} long ones, {short} of {of_short} others"
    missed, of_right = found["right_taken_for_wrong"]
    yield f"right answers taken for wrong: {missed} of {of_right}"
    if unrated := found["pairs"] - found["rated"]:
        are = "is" if unrated == 1 else "are"
        yield f"{counted(unrated, 'answer')} got no usable verdict, and {are} not counted{ASK_AGAIN}"


def _use(found: Mapping[str, Any]) -> str:
    dollars = f", {in_dollars(found['cost'])}" if found["cost"] else ""
    return f"{counted(found['calls'], 'call')}, {found['input_words']:,} words in{dollars}"

"""Tables of surveys on the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from readgraph.cli.terminal.safe_text import PLAIN, Console, Text, visible
from readgraph.nodes.survey.table import markdown_of
from readgraph.report.sheets import Sheet
from readgraph.report.table_files import markdown
from readgraph.state.survey import NO_TABLE


def print_sheet(sheet: Sheet) -> None:
    """A table with the quotes and places of its rows; to a file or a pipe as Markdown."""
    console = Console()
    if not console.is_terminal:
        console.file.write(visible(markdown(sheet)))
        return
    table = _headed(sheet.columns, sheet.kinds)
    for row in sheet.rows:
        table.add_row(*map(Text, row))
    console.print(table)


def lists_rows(found: Mapping[str, Any]) -> bool:
    """Whether an answer is a table of Markdown, made of the table of a survey."""
    table: Any = found.get("table") or NO_TABLE
    return bool(table["rows"]) and (found["answer"] or "").startswith(markdown_of(table, 0) + "\n")


def print_rows(found: Mapping[str, Any], lead: str) -> None:
    """The rows that an answer lists, each with the mark of its citation; `lead` stands above them."""
    console, made, rows = Console(), found["table"], found["table"]["rows"]
    numbers = {(each["start"], each["end"]): each["number"] for each in found["citations"]}
    _, _, *lines = found["answer"].split("\n")
    listed = [line for line in lines if line.startswith("| ")]
    table = _headed([*made["columns"], ""], [*made["kinds"], "text"])
    for row in rows[: len(listed)]:
        number = next((numbers.get((each["start"], each["end"])) for each in row["citations"]), None)
        table.add_row(*map(Text, row["values"]), Text(f"[{number}]" if number else ""))
    for line in filter(None, [lead]):
        console.print(Text(line, style="bold"))
    console.print(table)
    for line in lines[len(listed) :]:
        console.print(Text(line))


def _headed(columns: Any, kinds: Any) -> Table:
    table = Table(**PLAIN)
    for name, kind in zip(columns, kinds, strict=True):
        table.add_column(Text(name), justify="right" if kind == "number" else "left", overflow="fold")
    return table

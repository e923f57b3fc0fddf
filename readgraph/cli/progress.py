"""The live progress bar: how far the reading is, and what it has cost so far."""

from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

DOING = {"read": "Reading", "memorize": "Memorising", "look_up": "Looking up", "answer": "Answering"}
DOING |= {"plan": "Planning", "search": "Searching", "integrate": "Taking notes", "reflect": "Reflecting"}

BUILDS = ("read", "memorize")
"""Nodes that tell how far they are; a call between two pages doesn't end that."""


class ReadingProgress:
    """A bar on standard error; where that is no terminal, nothing is drawn."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TaskProgressColumn(),
            TextColumn("{task.fields[pages]}{task.fields[cost]}"),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self._task = self._bar.add_task("Opening", total=None, pages="", cost="")

    def __enter__(self) -> "ReadingProgress":
        """Start drawing."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        """Clear the bar."""
        self._bar.stop()

    def show(self, progress: dict[str, Any]) -> None:
        """Show one progress event of the graph."""
        usage = progress["usage"]
        words = usage["input_words"] + usage["output_words"]
        cost = f"{usage['calls']:,} calls, {words:,} words" if usage["calls"] else ""
        changed: dict[str, Any] = {
            "description": DOING.get(progress["node"], progress["node"].replace("_", " ").capitalize()),
            "cost": cost,
        }
        if "of" in progress:
            changed |= {"completed": progress["done"], "total": progress["of"]}
            changed["pages"] = f"{progress['pages']:,} pages, {progress['notes']:,} notes  "
        elif progress["node"] not in BUILDS:
            changed |= {"total": None, "pages": ""}
        self._bar.update(self._task, **changed)

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        self.console.print(line, style="yellow", highlight=False, markup=False)

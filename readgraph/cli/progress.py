"""The live progress bar: how far the reading is, and what it has cost so far."""

from types import TracebackType
from typing import Any

from langgraph.types import Overwrite
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

from readgraph.cli.rendering import used
from readgraph.cli.safe_text import Text
from readgraph.cli.screen import Screen

DOING = {
    "read": "Reading",
    "grow": "Growing the tree",
    "memorize": "Memorising",
    "plan": "Planning",
    "search": "Searching",
    "integrate": "Taking notes",
    "reflect": "Reflecting",
    "descend": "Walking",
    "read_leaf": "Walking",
    "look_up": "Looking up",
    "answer": "Answering",
}

BUILDS = ("read", "memorize")
"""Nodes that tell how far they are; a call between two pages doesn't end that."""


class ReadingProgress:
    """A bar on standard error; where that is no terminal, or quiet was asked for, nothing is drawn."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.console = Console(stderr=True, quiet=screen.quiet)
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

    def take(self, event: dict[str, Any]) -> None:
        """Show an event of the graph's stream."""
        if "progress" in event:
            self._show(event["progress"])
        if "refused" in event and self.screen.verbose:
            self.say("refused a reply to '{asked}': {reason}".format_map(event["refused"]))

    def tell_steps(self, updates: dict[str, Any]) -> None:
        """Tell the steps that ended, where that was asked for."""
        for update in updates.values() if self.screen.verbose else ():
            steps = (update or {}).get("steps", [])  # of the first step as an Overwrite: it sets the trajectory anew
            for step in steps.value if isinstance(steps, Overwrite) else steps:
                self.say(f"{step['node']}: {step['did']} ({used(step['usage'])})")

    def _show(self, progress: dict[str, Any]) -> None:
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
        self.console.print(Text(line, style="yellow"), highlight=False)

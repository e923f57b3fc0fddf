"""The live progress bar: how far the reading has come, and what it has cost so far."""

import time
from collections.abc import Iterable
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from langgraph.types import Overwrite
from rich.console import RenderableType
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
)
from rich.tree import Tree

from readgraph.cli.terminal.command_log import logs_to_standard_error
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import used
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.cli.terminal.walk_drawing import draw_walk
from readgraph.state.reading import Usage
from readgraph.state.words import counted
from readgraph.tools.doing import BUILDS, DOING, Pace, doing

TIMED, COUNTED, BARRED, WIDE = 56, 76, 92, 112
"""Columns from which the time is shown too, the parts, a short bar, and a long one: all stands on one line."""


class _TimeColumn(ProgressColumn):
    """The time that is left, as far as it can be foreseen; else the time since the beginning."""

    def render(self, task: Task) -> Text:
        """The time as hours, minutes and seconds."""
        ends: float | None = task.fields["ends"]
        seconds = (task.elapsed or 0.0) if ends is None else max(0.0, ends - time.monotonic())
        return Text(f"{timedelta(seconds=round(seconds))}{'' if ends is None else ' left'}", no_wrap=True)


class _BarOverWalk(Progress):
    """The bar, and below it the drawing of a walk so far."""

    walk: Tree | None = None

    def get_renderables(self) -> Iterable[RenderableType]:
        """The parts of the drawing, from top to bottom."""
        yield from super().get_renderables()
        if self.walk:
            yield self.walk


class LiveBar:
    """A bar that is drawn inside a `with` block."""

    _bar: Progress

    def __enter__(self) -> Self:
        """Start drawing."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        """Clear the bar."""
        if not self._bar.disable:  # older versions of rich would print an empty line
            self._bar.stop()


class ReadingProgress(LiveBar):
    """A bar on standard error; nothing is drawn if that is not a terminal, or with `--quiet`."""

    _bar: _BarOverWalk

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.console = Console(stderr=True, quiet=screen.quiet)
        doing: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description}")]
        width = self.console.width
        bar = [BarColumn(bar_width=30 if width >= WIDE else 10)] if width >= BARRED else []
        pages = [TextColumn("{task.fields[pages]}")] if width >= COUNTED else []
        time_left = [_TimeColumn()] if width >= TIMED else []
        columns = [*doing, *bar, TaskProgressColumn(), *pages, TextColumn("{task.fields[cost]}"), *time_left]
        self._bar = _BarOverWalk(
            *columns,
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal or logs_to_standard_error(),
        )
        self._waits_until, self._batch = 0.0, ""
        self._pace = Pace()
        self._task = self._bar.add_task("Opening", total=None, pages="", cost="", ends=None)

    def begin(self, node: str) -> None:
        """Show that a step began."""
        if node in DOING:
            self._show(node)

    def take(self, event: dict[str, Any]) -> None:
        """Show an event of the graph's stream."""
        if "progress" in event:
            self._show(**event["progress"])
        if "waiting" in event:
            self._wait(event["waiting"]["seconds"])
            self._say_verbose("waiting {seconds:.0f} s: {reason}", event["waiting"])
        if "budget" in event and event["budget"]["problem"] not in self.screen.noticed:
            self.screen.noticed.add(event["budget"]["problem"])
            self.say(event["budget"]["problem"])
        if "batch" in event:
            self._show_batch(**event["batch"])
        if "refused" in event:
            self._say_verbose("refused a reply to '{asked}': {reason}", event["refused"])

    def show_steps(self, updates: dict[str, Any]) -> None:
        """Print the steps that ended, and draw the walk so far, if the user asked for them."""
        for update in filter(None, updates.values()):
            if self.screen.steps and update.get("hops"):
                self._bar.walk = draw_walk(update["hops"])
            steps = update.get("steps", [])  # the first step resets the trajectory with an Overwrite
            for step in (steps.value if isinstance(steps, Overwrite) else steps) if self.screen.verbose else ():
                self.say(f"{step['node']}: {step['summary']} ({used(step['usage'])})")

    def _wait(self, seconds: float) -> None:
        """Show that a call is waiting; other calls that end meanwhile don't hide it."""
        self._waits_until = time.monotonic() + seconds
        self._bar.update(self._task, description=f"Waiting {seconds:.0f} s")

    def _show_batch(self, node: str, requests: int, done: int, *, ended: bool) -> None:
        """Show how far a batch is, in place of what is being done, until its end."""
        self._batch = "" if ended else f"Batch of {requests:,} submitted, {done:,} done"
        self._bar.update(self._task, description=self._batch or DOING.get(node, node))

    def _show(self, node: str, usage: Usage | None = None, memory: str = "", **read: int) -> None:
        changed: dict[str, Any] = {}
        if time.monotonic() >= self._waits_until and not self._batch:
            changed["description"] = doing(node)
        if usage and usage["calls"]:
            words = usage["input_words"] + usage["output_words"]
            changed["cost"] = f"{counted(usage['calls'], 'call')}, {words:,} words"
        if "of" in read:
            changed |= {
                "completed": read["done"],
                "total": read["of"],
                "ends": self._pace.ends(read["done"], read["of"]),
            }
            changed["pages"] = f"{counted(read['pages'], 'part')}, {counted(read['notes'], 'note')}  "
        elif node not in BUILDS:
            changed |= {"pages": "", "ends": None}
            self._pace = Pace()
            self._bar.tasks[self._task].total = None  # unknown; `update` ignores a total of None
        self._bar.update(self._task, **changed)

    def _say_verbose(self, line: str, fields: dict[str, Any]) -> None:
        if self.screen.verbose:
            self.say(line.format_map(fields))

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        self.console.print(Text(line, style="yellow"))

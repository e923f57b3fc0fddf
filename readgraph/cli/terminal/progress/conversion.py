"""The live line while a file is converted: which page of how many."""

from typing import Self

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.progress.reading import LiveBar
from readgraph.cli.terminal.safe_text import Console, one_line

NARROW = 60
"""Columns: a narrower terminal has no bar."""


class ConversionProgress(LiveBar):
    """A bar on standard error from the first page on; where that is no terminal, or quiet was asked for, none."""

    def __init__(self, screen: Screen) -> None:
        console = Console(stderr=True, quiet=screen.quiet)
        bar = [] if console.width < NARROW else [BarColumn(bar_width=30)]
        pages = TextColumn("page {task.completed:.0f} of {task.total:.0f}")
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("Converting {task.fields[file]}", markup=False),
            *bar,
            pages,
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._file = ""

    def __enter__(self) -> Self:
        """Draw nothing yet: most files are converted at once."""
        return self

    def show(self, name: str, number: int, of: int) -> None:
        """Show how many pages of a file are converted."""
        if name != self._file:
            self._bar.start()
            for task in self._bar.task_ids:
                self._bar.remove_task(task)
            self._file = name
            self._task = self._bar.add_task("", total=of, file=one_line(name))
        self._bar.update(self._task, completed=number)

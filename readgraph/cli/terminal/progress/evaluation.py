"""The progress bar of an evaluation: questions answered, time left, cost so far, and batches under way."""

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)

from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.progress.reading import LiveBar
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.models.batches.left_running import how_far
from readgraph.models.names.prices import in_dollars
from readgraph.state.words import counted

ROOMY = 140
"""Columns from which both the figures of use and those of batches are shown; else a batch hides what was used."""


class _UsedColumn(ProgressColumn):
    """What was used so far, and how far the batches at the model servers are, while there are any."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def render(self, task: Task) -> Text:
        """The figures as they are now."""
        figures = list(filter(None, (how_far(), task.fields["used"])))
        return Text(" · ".join(figures if self.width >= ROOMY else figures[:1]), no_wrap=True)


class EvaluationProgress(LiveBar):
    """A bar on standard error; nothing is drawn if that is not a terminal, or with `--quiet`.

    `counts`: what the second number of `one_more` counts, words or tokens.
    """

    def __init__(self, doing: str, total: int, screen: Screen, counts: str = "words") -> None:
        self.screen, self.counts = screen, counts
        self.console = Console(stderr=True, quiet=screen.quiet)
        self.calls, self.words, self.cost, self.failed = 0, 0, 0.0, 0
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            _UsedColumn(self.console.width),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self._task = self._bar.add_task(doing, total=total, used="")

    def one_more(self, calls: int, words: int, cost: float | None, problem: str = "") -> None:
        """Count one more item as done, with its calls, words and cost in dollars; `problem` says why it failed."""
        self.calls, self.words, self.cost = self.calls + calls, self.words + words, self.cost + (cost or 0)
        self.failed += bool(problem)
        if problem and (self.screen.verbose or self.failed == 1):
            self.console.print(Text(f"failed: {problem}", style="yellow"))
        used = [f"{counted(self.calls, 'call')}, {self.words:,} {self.counts}"] if self.calls else []
        used += [in_dollars(self.cost)] if self.cost else []
        used += [f"{self.failed:,} failed"] if self.failed else []
        self._bar.update(self._task, advance=1, used=" · ".join(used))

"""What a person sees while a command works: bars of readings, conversions and evaluations, and warnings."""

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Self

from langgraph.types import Overwrite
from rich import progress as bars
from rich.console import RenderableType
from rich.tree import Tree

from readgraph.api.running import BUILDS, DOING, Pace, node_activity
from readgraph.cli.log import logs_to_standard_error
from readgraph.cli.terminal.rendering import draw_walk, format_usage
from readgraph.cli.terminal.safe_text import Console, SafeText, one_line, tell
from readgraph.cli.terminal.screen import OutputOptions, notice_line
from readgraph.models.prices import in_dollars
from readgraph.nodes.opening import TracingOn
from readgraph.state.logs import WARNING, log
from readgraph.state.reading import Usage
from readgraph.state.transports import progress_lines
from readgraph.state.wait_teller import SILENT_SECONDS
from readgraph.state.words import format_count

TIMED, COUNTED, BARRED, WIDE = 56, 76, 92, 112  # columns from which a line has the time, the parts, a bar, a long bar


class _TimeColumn(bars.ProgressColumn):
    """The time that is left, as far as it can be foreseen; else the time since the beginning."""

    def render(self, task: bars.Task) -> SafeText:
        ends: float | None = task.fields["ends"]
        seconds = (task.elapsed or 0.0) if ends is None else max(0.0, ends - time.monotonic())
        return SafeText(f"{timedelta(seconds=round(seconds))}{'' if ends is None else ' left'}", no_wrap=True)


class _BarOverWalk(bars.Progress):
    walk: Tree | None = None

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        if self.walk:
            yield self.walk


class LiveBar:
    """A bar on standard error, drawn inside of a `with`; none where that is no terminal, or with `--quiet`."""

    def __init__(self, screen: OutputOptions) -> None:
        self.screen = screen
        self.console = Console(stderr=True, quiet=screen.quiet)

    def _make_bar(self, *columns: bars.ProgressColumn, hidden: bool = False) -> None:
        hidden = hidden or not self.console.is_terminal
        self._bar = _BarOverWalk(*columns, console=self.console, transient=True, disable=hidden)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._bar.disable:  # older versions of rich would print an empty line
            self._bar.stop()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Draw no bar inside of the `with`, where somebody is asked."""
        self.__exit__(None, None, None)
        try:
            yield
        finally:
            self.__enter__()


class ReadingProgress(LiveBar):
    """How far a run is, what it used, and the walk that it made."""

    def __init__(self, screen: OutputOptions) -> None:
        super().__init__(screen)
        doing: list[bars.ProgressColumn] = [bars.SpinnerColumn(), bars.TextColumn("{task.description}")]
        width = self.console.width
        bar = [bars.BarColumn(bar_width=30 if width >= WIDE else 10)] if width >= BARRED else []
        pages = [bars.TextColumn("{task.fields[pages]}")] if width >= COUNTED else []
        time_left = [_TimeColumn()] if width >= TIMED else []
        columns = [*doing, *bar, bars.TaskProgressColumn(), *pages, bars.TextColumn("{task.fields[cost]}"), *time_left]
        self._make_bar(*columns, hidden=logs_to_standard_error())
        self._waits_until, self._batch = 0.0, ""
        self._pace, self._told_at = Pace(), time.monotonic()
        self._task = self._bar.add_task("Opening", total=None, pages="", cost="", ends=None)

    def __call__(self, mode: str, event: Any) -> None:
        """Show an event of a graph's stream, of the mode "custom", "tasks" or "updates"; others show nothing."""
        if mode == "custom":
            self._take(event)
        elif mode == "tasks" and "input" in event and event["name"] in DOING:  # a task begins
            self._show(event["name"])
        elif mode == "updates":
            # Print the steps that ended, and draw the walk so far, if the user asked for them.
            for update in (each for each in event.values() if isinstance(each, Mapping)):
                if self.screen.steps and update.get("hops"):
                    self._bar.walk = draw_walk(update["hops"])
                steps = update.get("steps", [])  # the first step resets the trajectory with an Overwrite
                for step in (steps.value if isinstance(steps, Overwrite) else steps) if self.screen.verbose else ():
                    self.say(f"{step['node']}: {step['summary']} ({format_usage(step['usage'])})")

    def _take(self, event: dict[str, Any]) -> None:
        if "progress" in event:
            self._show(**event["progress"])
        if "waiting" in event:
            seconds = event["waiting"]["seconds"]  # other calls that end meanwhile don't hide it
            self._waits_until = time.monotonic() + seconds
            self._bar.update(self._task, description=f"Waiting {seconds:.0f} s")
            if self.screen.verbose:
                self.say(f"waiting {seconds:.0f} s: {event['waiting']['reason']}")
        for notice in self.screen.notices_left(event.get("notices", ())):  # even with `--quiet`
            console = Console(stderr=True) if self.screen.quiet else self.console
            console.print(SafeText(notice_line(notice)), soft_wrap=not console.is_terminal)
        told = event.get("budget") or event.get("by_words")
        if told and told["problem"] not in self.screen.noticed:
            self.screen.noticed.add(told["problem"])
            self.say(told["problem"] + (" The search goes on by words." if "by_words" in event else ""))
        if "batch" in event:
            batch = event["batch"]  # stands in place of what is being done, until its end
            self._batch = "" if batch["ended"] else f"Batch of {batch['requests']:,} submitted, {batch['done']:,} done"
            self._bar.update(self._task, description=self._batch or DOING.get(batch["node"], batch["node"]))
        if "refused" in event and self.screen.verbose:
            self.say("refused a reply to '{asked}': {reason}".format_map(event["refused"]))

    def _show(self, node: str, usage: Usage | None = None, memory: str = "", document: str = "", **read: int) -> None:
        changed: dict[str, Any] = {}
        if time.monotonic() >= self._waits_until and not self._batch:
            changed["description"] = node_activity(node)
        if usage and usage["calls"]:
            words = usage["input_words"] + usage["output_words"]
            changed["cost"] = f"{format_count(usage['calls'], 'call')}, {words:,} words"
        if "of" in read:
            done, of = read["done"], read["of"]
            changed |= {"completed": done, "total": of, "ends": self._pace.ends(done, of)}
            changed["pages"] = f"{format_count(read['pages'], 'part')}, {format_count(read['notes'], 'note')}  "
        elif node not in BUILDS:
            changed |= {"pages": "", "ends": None}
            self._pace = Pace()
            self._bar.tasks[self._task].total = None  # unknown; `update` ignores a total of None
        self._bar.update(self._task, **changed)
        self._tell_of_life()

    def _tell_of_life(self) -> None:
        """Where there is no terminal for a bar, say in a line now and then what is going on."""
        if self.console.is_terminal or logs_to_standard_error() or time.monotonic() < self._told_at + SILENT_SECONDS:
            return
        self._told_at = time.monotonic()
        task = self._bar.tasks[self._task]
        share = f"{task.percentage:.0f} %" if task.total else ""
        told = [task.description, share, task.fields["pages"].strip(), task.fields["cost"]]
        self.say(", ".join(filter(None, told)))

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        self.console.print(SafeText(line, style="yellow"))


NARROW = 60  # columns: a narrower terminal has no bar


class ConversionProgress(LiveBar):
    """How many pages of a file are converted, drawn from the first page on."""

    def __init__(self, screen: OutputOptions) -> None:
        super().__init__(screen)
        bar = [] if self.console.width < NARROW else [bars.BarColumn(bar_width=30)]
        pages = bars.TextColumn("page {task.completed:.0f} of {task.total:.0f}")
        name = bars.TextColumn("Converting {task.fields[file]}", markup=False)
        self._make_bar(bars.SpinnerColumn(), name, *bar, pages, bars.TimeElapsedColumn())
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


ROOMY = 140  # columns from which what was used stands beside the batches


class _UsedColumn(bars.ProgressColumn):
    """What was used so far, and how far the batches at the model servers are, while there are any."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def render(self, task: bars.Task) -> SafeText:
        figures = list(filter(None, (*progress_lines(), task.fields["used"])))
        return SafeText(" · ".join(figures if self.width >= ROOMY else figures[:1]), no_wrap=True)


class ItemsProgress(LiveBar):
    """How many items are done, and what they used: calls, and words or tokens, as `counts` says."""

    def __init__(self, doing: str, total: int, screen: OutputOptions, counts: str = "words") -> None:
        super().__init__(screen)
        self.counts = counts
        self.calls, self.words, self.cost, self.failed = 0, 0, 0.0, 0
        named = (bars.SpinnerColumn(), bars.TextColumn("{task.description}"), bars.BarColumn(bar_width=30))
        counted = (bars.MofNCompleteColumn(), bars.TimeRemainingColumn(), _UsedColumn(self.console.width))
        self._make_bar(*named, *counted)
        self._task = self._bar.add_task(doing, total=total, used="")

    def show(self, done: int, total: int) -> None:
        """Show how many of all are done, of those that are counted elsewhere."""
        self._bar.update(self._task, completed=done, total=total)

    def count_item(self, calls: int, words: int, cost: float | None, problem: str = "") -> None:
        """Count one more item as done, with its calls, words and cost in dollars; `problem` says why it failed."""
        self.calls, self.words, self.cost = self.calls + calls, self.words + words, self.cost + (cost or 0)
        self.failed += bool(problem)
        if problem and (self.screen.verbose or self.failed == 1):
            self.console.print(SafeText(f"failed: {problem}", style="yellow"))
        used = [f"{format_count(self.calls, 'call')}, {self.words:,} {self.counts}"] if self.calls else []
        used += [in_dollars(self.cost)] if self.cost else []
        used += [f"{self.failed:,} failed"] if self.failed else []
        self._bar.update(self._task, advance=1, used=" · ".join(used))


@contextmanager
def notices(say: Callable[[str], None], screen: OutputOptions) -> Iterator[None]:
    """Pass readgraph's own warnings to `say`, each once; the notice about tracing is printed even with `--quiet`."""

    def show(message: Warning | str, kind: type[Warning]) -> None:
        if str(message) in screen.noticed:
            return
        screen.noticed.add(str(message))
        log("notice", WARNING, warning=kind.__name__)
        if kind is TracingOn and screen.quiet:
            tell(one_line(message))
        elif kind in (UserWarning, TracingOn):
            say(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("default", TracingOn)
        warnings.showwarning = lambda message, kind, *_: show(message, kind)
        yield


@contextmanager
def watch_run(screen: OutputOptions) -> Iterator[ReadingProgress]:
    """Show the progress of a run and readgraph's own warnings; what it gives takes what the run's graph streams."""
    with ReadingProgress(screen) as progress, notices(progress.say, screen):
        yield progress

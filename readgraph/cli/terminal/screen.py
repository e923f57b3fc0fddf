"""How a command prints, and the person at the terminal, who is asked and may stop it."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import typer

from readgraph.cli.log import log_price
from readgraph.cli.settings import from_settings_file
from readgraph.cli.terminal.doing import end_line
from readgraph.cli.terminal.safe_text import Console, SafeText, one_line, tell, visible
from readgraph.models.prices import Price, parse_price
from readgraph.state.apart import interrupt_if_busy
from readgraph.state.errors import BadInput
from readgraph.state.wait_teller import wait_teller


@dataclass(frozen=True)
class OutputOptions:
    """How a command prints its results."""

    as_json: bool = False
    quiet: bool = False
    verbose: bool = False
    price: Price | None = None  # the user's own
    steps: bool = False  # also print what each step did
    noticed: set[str] = field(default_factory=set)  # warnings, each of which is printed once
    left_out: list[str] = field(default_factory=list)  # files that can't be read, and why

    @classmethod
    def of(cls, *, as_json: bool, quiet: bool, verbose: bool, price: str | None) -> "OutputOptions":
        """The screen of a command's options; raises `BadInput` for two that exclude each other."""
        if quiet and verbose:
            raise BadInput("--quiet prints less and --verbose prints more: leave one of them out.")
        known = price or from_settings_file("price")
        dollars = parse_price(known) if known else None
        log_price((dollars.input, dollars.output) if dollars else None)
        wait_teller.start(is_quiet=quiet)
        return cls(as_json, quiet, verbose, dollars)

    def notices_left(self, notices: Iterable[str]) -> list[str]:
        """Those of these notices that were not printed yet; they count as printed now."""
        new = [notice for notice in dict.fromkeys(notices) if notice not in self.noticed]
        self.noticed.update(new)
        return new

    def leave_out(self, problem: object) -> None:
        """Print which file is left out, and why; JSON that is printed later says it too."""
        self.left_out.append(one_line(problem))
        tell(notice_line(problem, is_left_out=True))

    def tell(self, *lines: str, style: str = "") -> None:
        """Print lines on standard error, unless only the result is wanted."""
        for line in lines:
            tell(line, style=style, quiet=self.quiet)


def notice_line(notice: object, *, is_left_out: bool = False) -> str:
    """The line of a notice, or of a source that is left out as a whole, and why."""
    return f"readgraph: {'Left out: ' if is_left_out else ''}{one_line(notice)}"


def can_ask_user() -> bool:
    """Whether standard input is a terminal, where the user can be asked; it is None if it was closed."""
    return sys.stdin is not None and sys.stdin.isatty()


def ask_yes_or_no(question: str) -> bool:
    """Whether the user says yes; False if nobody can be asked."""
    if not can_ask_user():
        return False
    typer.echo(visible(question), nl=False, err=True)
    reply = sys.stdin.readline()
    if not reply:  # Ctrl-D, which leaves the line open
        typer.echo(err=True)
    return reply.strip().casefold() in ("y", "yes")


MARK = "bold reverse"


def mark_text(text: str, marks: Iterable[tuple[int, int]], *, styled: bool) -> SafeText:
    """The text with these spans `[start, end)` marked: in bold if `styled`, else between two pairs of asterisks."""
    shown, before = SafeText(), 0
    for start, end in sorted(marks):
        shown.append(text[before:start])
        shown.append(text[start:end] if styled else f"**{text[start:end]}**", MARK if styled else None)
        before = end
    shown.append(text[before:])
    return shown


def print_paged(pieces: Iterable[SafeText]) -> None:
    """Print in a pager on a terminal, else plainly and without line breaks of our own."""
    console = Console()
    if not (console.is_terminal and can_ask_user()):
        for piece in pieces:
            console.print(piece, soft_wrap=not console.is_terminal)
        return
    end_line()
    os.environ.setdefault("LESS", "-FRX")  # `less` shows styles, and ends by itself where all fits the screen
    with console.pager(styles=True):
        for piece in pieces:
            console.print(piece)


T = TypeVar("T")
WRONG = 1  # exit code where something that was looked at is wrong
STOPS = (signal.SIGINT, signal.SIGTERM)


def run_until_stopped(work: Coroutine[Any, Any, T]) -> T:
    """Run the work; the first Ctrl-C or termination cancels it, further ones are ignored, so that all ends in order."""
    stopped = False
    gc.freeze()  # what was imported stays: to look it through takes a tenth of a second, again and again

    async def stoppable() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def stop(*_: object) -> None:
            nonlocal stopped
            if not stopped and task:
                stopped = True
                task.cancel()
                interrupt_if_busy(loop)

        for each in STOPS:
            if signal.getsignal(each) is not signal.SIG_IGN:  # as a shell has it in the background
                signal.signal(each, stop)
        return await work

    before = {each: signal.getsignal(each) for each in STOPS}
    try:
        return asyncio.run(stoppable())
    except asyncio.CancelledError:
        if stopped:
            raise KeyboardInterrupt from None
        raise
    finally:
        for signals, handler in before.items():
            signal.signal(signals, handler)


@contextmanager
def allow_one_stop() -> Iterator[None]:
    """The first Ctrl-C stops the work; further ones are ignored, so that it can close properly."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    yield
    signal.signal(signal.SIGINT, before)

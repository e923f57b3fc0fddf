"""What the program warns of while it works, as lines for a person."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from readgraph.cli.terminal.safe_text import one_line
from readgraph.nodes.opening import TracingOn


@contextmanager
def notices(say: Callable[[str], None], *, quiet: bool) -> Iterator[None]:
    """Pass our warnings to `say`; the notice about tracing is printed even when the command is quiet."""

    def show(message: Warning | str, kind: type[Warning]) -> None:
        if kind is TracingOn and quiet:
            typer.echo(one_line(message), err=True)
        elif kind in (UserWarning, TracingOn):
            say(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("default", TracingOn)
        warnings.showwarning = lambda message, kind, *_: show(message, kind)
        yield

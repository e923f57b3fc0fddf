"""The program's warnings while it works, as lines on the terminal."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.safe_text import one_line
from readgraph.nodes.opening import TracingOn
from readgraph.state.logs import WARNING, log


@contextmanager
def notices(say: Callable[[str], None], screen: Screen) -> Iterator[None]:
    """Pass readgraph's own warnings to `say`, each once; the notice about tracing is printed even with `--quiet`."""

    def show(message: Warning | str, kind: type[Warning]) -> None:
        if str(message) in screen.noticed:
            return
        screen.noticed.add(str(message))
        log("notice", WARNING, warning=kind.__name__)
        if kind is TracingOn and screen.quiet:
            typer.echo(one_line(message), err=True)
        elif kind in (UserWarning, TracingOn):
            say(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("default", TracingOn)
        warnings.showwarning = lambda message, kind, *_: show(message, kind)
        yield

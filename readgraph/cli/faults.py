"""Faults that a person can mend, told in one line on standard error."""

import errno
import os
import sys
from contextlib import suppress

import typer

from readgraph.cli.terminal.safe_text import one_line

CLOSED = 1
"""Exit code where the output was closed before its end, as by `| head`."""

UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Faults of standard output; faults of the library and of files are reported where they are opened."""


def tell(problem: Exception) -> None:
    """Say what is wrong and what to do; for wrong usage, where the right one is described."""
    line = one_line(problem.format_message() if isinstance(problem, typer.TyperException) else problem)
    if not line:  # of a command without arguments the help was printed
        return
    if context := getattr(problem, "ctx", None):
        line += f"{'' if line.endswith(('.', '?')) else '.'} See '{context.command_path} --help'."
    typer.echo(f"readgraph: {line}", err=True)


def tell_of_output(problem: OSError) -> None:
    """Say that standard output can't be written, if anybody is left to tell; raises what is no fault of that."""
    if problem.errno not in UNWRITABLE:
        raise problem
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left in the buffer goes nowhere
    if problem.errno == errno.EPIPE:
        sys.exit(CLOSED)
    typer.echo(f"readgraph: The output can't be written: {problem.strerror}.", err=True)

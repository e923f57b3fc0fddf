"""Errors that the user can fix, reported in one line on standard error."""

import errno
import os
import sys
from contextlib import suppress

import typer

from readgraph.cli.terminal.safe_text import one_line

CLOSED = 1
"""Exit code where the output was closed before its end, as by `| head`."""

UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of standard output; errors of the library and of files are reported where they are opened."""


def report_error(problem: Exception) -> None:
    """Print what is wrong and what to do; for wrong usage, also which help text to read."""
    line = one_line(problem.format_message() if isinstance(problem, typer.TyperException) else problem)
    line = line.replace(": Value error, ", ": ", 1)  # pydantic's word for any refusal
    if not line:  # a command without arguments has already printed its help
        return
    if context := getattr(problem, "ctx", None):
        line += f"{'' if line.endswith(('.', '?')) else '.'} See '{context.command_path} --help'."
    typer.echo(f"readgraph: {line}", err=True)


def report_output_error(problem: OSError) -> None:
    """Report that standard output can't be written, unless its reader has gone; raises any other error again."""
    if problem.errno not in UNWRITABLE:
        raise problem
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # drop what is left in the buffer
    if problem.errno == errno.EPIPE:
        sys.exit(CLOSED)
    typer.echo(f"readgraph: The output can't be written: {problem.strerror}.", err=True)

"""Errors that the user can fix, reported in one line on standard error."""

import errno
import os
import sys
import traceback
from contextlib import suppress

import typer

from readgraph.cli.mistakes import usage_line
from readgraph.cli.terminal.safe_text import one_line, tell
from readgraph.plugins import package_of

CLOSED = 1  # exit code where the output was closed before its end, as by `| head`
UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # what can befall standard output
CALLERS = ("readgraph.nodes.step", "readgraph.graphs.wiring", "readgraph.graphs.loading")
BETWEEN = frozenset({*sys.stdlib_module_names, "langgraph", "langchain_core"})  # stands between these and users


def report_error(problem: Exception) -> None:
    """Print what is wrong and what to do; for wrong usage, also which help text to read."""
    line = one_line(usage_line(problem) if isinstance(problem, typer.TyperException) else problem)
    line = line.replace(": Value error, ", ": ", 1)  # pydantic's word for any refusal
    if not line:  # a command without arguments has already printed its help
        return
    if context := getattr(problem, "ctx", None):
        line += f"{'' if line.endswith(('.', '?')) else '.'} See '{context.command_path} --help'."
    tell(f"readgraph: {line}")


def report_missing_part(problem: ModuleNotFoundError) -> None:
    """Report that a folder of ours that the command needs was taken away; raises any other error again."""
    if not (problem.name or "").startswith("readgraph."):
        raise problem
    tell(f"readgraph: This needs {problem.name}, which is not there: install readgraph again, whole.")


def report_output_error(problem: OSError) -> None:
    """Report that standard output can't be written, unless its reader has gone; raises any other error again."""
    has_no_reader = problem.errno == errno.EPIPE or (problem.errno == errno.EINVAL and _output_fails())
    if problem.errno not in UNWRITABLE and not has_no_reader:
        raise problem
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # drop what is left in the buffer
    if has_no_reader:
        sys.exit(CLOSED)
    tell(f"readgraph: The output can't be written: {problem.strerror}.")


def _output_fails() -> bool:
    """Whether standard output can't be written: Windows says EINVAL of a closed pipe, but of many other things too."""
    try:
        sys.stdout.flush()
    except OSError:
        return True
    return False


def report_own_code(problem: Exception) -> None:
    """Show an error of a node, method or package that is not ours, from where its code begins; else do nothing."""
    caller, plugged, begins, frames = "", "", None, problem.__traceback__
    while frames:
        module = str(frames.tb_frame.f_globals.get("__name__", ""))
        package = module.partition(".")[0]
        if package == "readgraph":
            plugged, begins = "", None
        elif package not in BETWEEN and caller in CALLERS:
            begins = frames
            break
        elif package not in BETWEEN and not begins and (plugged := package_of(module)):
            begins = frames
        caller = caller if package in BETWEEN else module
        frames = frames.tb_next
    if not begins:
        return
    shown = "".join(traceback.format_exception(type(problem), problem, begins))
    failed = f"The package '{plugged}'" if plugged else "A node or method that is not readgraph's"
    typer.echo(f"readgraph: {failed} failed. What was read is kept.\n{shown}", nl=False, err=True)
    sys.exit(1)

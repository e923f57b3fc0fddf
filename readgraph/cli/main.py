"""The command `readgraph`: its arguments, and errors as one line with exit code 2."""

import atexit
import gc
import io
import logging
import os
import signal
import sys
from typing import Annotated, NoReturn

import typer

from readgraph.cli.command_group import Commands, version_line
from readgraph.cli.log import end_log, log_fault
from readgraph.cli.process import STOPPED
from readgraph.cli.shell import mend_bash_values
from readgraph.state.errors import ReadgraphError
from readgraph.state.transports import what_goes_on

NAME = "readgraph"  # help and completion go by it, also where the command runs as a module
KEPT = "What was read is kept; run the same command again to continue."

app = typer.Typer(
    cls=Commands,
    help="Read documents that are longer than a language model can read well, and answer questions with citations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version_line())
        raise typer.Exit()


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Read documents that are longer than a language model can read well, and answer questions with citations."""


def _end(*_: object) -> None:
    """Stop as on Ctrl-C, even where a shell started the command in the background with Ctrl-C ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)


def run() -> NoReturn:
    """Run the command; an error that the user can fix is one line on standard error, with exit code 2."""
    try:
        _run()
    except SystemExit as ended:
        end_log(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
        raise
    except BaseException as problem:
        log_fault(problem)
        end_log(1)
        if isinstance(problem, Exception):
            from readgraph.cli.faults import report_own_code

            report_own_code(problem)
        raise


def _run() -> NoReturn:
    encoding = "utf-8" if sys.platform == "win32" else None  # a file there would get an old code page, and lose letters
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=encoding, errors="replace")  # what a terminal can't show leaves the rest
    gc.set_threshold(50_000)  # looking through what is imported takes a tenth of a short command's time
    atexit.register(gc.freeze)  # freeing memory object by object takes a fifth of a short command's time
    signal.signal(signal.SIGTERM, _end)
    if any(name.lower().endswith("_proxy") for name in os.environ):
        from readgraph.state.proxies import except_this_machine

        except_this_machine()
    logging.getLogger("langgraph").addHandler(logging.NullHandler())  # its warnings are for developers
    try:
        with mend_bash_values(NAME):
            code = app(prog_name=NAME, standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code)
    except (ReadgraphError, typer.TyperException) as problem:
        from readgraph.cli.faults import report_error

        log_fault(problem)
        report_error(problem)
    except ModuleNotFoundError as problem:
        from readgraph.cli.faults import report_missing_part, report_own_code

        log_fault(problem)
        report_own_code(problem)
        report_missing_part(problem)
    except OSError as problem:
        from readgraph.cli.faults import report_output_error, report_own_code

        log_fault(problem)
        report_own_code(problem)
        report_output_error(problem)
    except SystemExit as system_exit:
        if system_exit.code == STOPPED:
            for stop_signal in (signal.SIGINT, signal.SIGTERM):
                signal.signal(stop_signal, signal.SIG_IGN)  # the command is stopping already
            from readgraph.cli.terminal.safe_text import tell

            tell(f"readgraph: stopped. {what_goes_on() or KEPT}")
        raise
    sys.exit(2)

"""The command `readgraph`: its arguments, and errors as one line with exit code 2."""

import atexit
import gc
import io
import logging
import signal
import sys
from typing import Annotated, NoReturn

import typer

import readgraph
from readgraph.cli.commands.agents import agent_commands, agents
from readgraph.cli.commands.evaluation import evaluation_commands
from readgraph.cli.commands.library import library_commands
from readgraph.cli.commands.methods import method_commands
from readgraph.cli.commands.reading import reading_commands
from readgraph.cli.commands.replies import replies
from readgraph.state.errors import ReadgraphError

STOPPED = 130
"""Exit code of Ctrl-C."""

app = typer.Typer(
    help="Read documents that are longer than a language model can read well, and answer questions with citations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


app.add_typer(reading_commands)
app.add_typer(library_commands)
app.add_typer(agent_commands)
app.add_typer(agents, name="agents")


app.add_typer(method_commands)
app.add_typer(evaluation_commands)

app.add_typer(replies, name="replies")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"readgraph {readgraph.__version__}")
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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that can't show a character still gets the rest
    atexit.register(gc.freeze)  # freeing memory object by object takes a fifth of a short command's time
    signal.signal(signal.SIGTERM, _end)
    logging.getLogger("langgraph").addHandler(logging.NullHandler())  # its warnings are for developers
    try:
        code = app(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code)
    except (ReadgraphError, typer.TyperException) as problem:
        from readgraph.cli.faults import report_error

        report_error(problem)
    except OSError as problem:
        from readgraph.cli.faults import report_output_error

        report_output_error(problem)
    except SystemExit as system_exit:
        if system_exit.code == STOPPED:
            for stop_signal in (signal.SIGINT, signal.SIGTERM):
                signal.signal(stop_signal, signal.SIG_IGN)  # the command is stopping already
            typer.echo("readgraph: stopped. What was read is kept; run the same command again to continue.", err=True)
        raise
    sys.exit(2)

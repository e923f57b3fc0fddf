"""The command `readgraph`: its arguments, and errors as one line with exit code 2."""

import atexit
import gc
import inspect
import io
import logging
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Annotated, Any, NoReturn

import typer

import readgraph
from readgraph.cli.declaring import PANELS, Command
from readgraph.cli.log import end_log, log_fault
from readgraph.cli.mistakes import command_meant
from readgraph.cli.options.output import with_log
from readgraph.cli.process import STOPPED, begin_work
from readgraph.cli.shell import HelpfulCommand, HelpfulGroup, mend_bash_values
from readgraph.plugins import leave_out, plugged_in
from readgraph.state.errors import ReadgraphError
from readgraph.state.transports import what_goes_on

NAME = "readgraph"  # help and completion go by it, also where the command runs as a module
VERSION = f"readgraph {readgraph.__version__}"
KEPT = "What was read is kept; run the same command again to continue."


def _find_commands() -> list[Command]:
    """The commands of ours and of other packages; what is named as another is, or can't be one, is left out."""
    found = dict[str, Command]()
    for package, command in plugged_in("commands", Command):
        if command.shown in found and not command.within:
            leave_out(package, f"there is another command '{command.shown}'")
            continue
        try:
            ours = _as_ours(command) if package else command
        except Exception as problem:
            leave_out(package, f"no command '{command.shown}' can be made of its function: {problem}")
            continue
        if not command.within:
            found[command.shown] = ours
        elif (group := found.get(command.within)) and isinstance(group.run, typer.Typer):
            group.run.command(command.shown)(ours.run)
        else:
            leave_out(package, f"there is no group of commands '{command.within}' for '{command.shown}'")
    panels = {panel: number for number, panel in enumerate(PANELS)}
    return sorted(found.values(), key=lambda command: (panels.get(command.panel, len(panels)), command.order))


def _as_ours(command: Command) -> Command:
    """Another package's command, tried; Ctrl-C interrupts it as ours, which say themselves when their work begins."""
    if isinstance(command.run, typer.Typer):
        for each in command.run.registered_commands:
            each.callback = each.callback and _begun_at_once(each.callback)
        typer.main.get_command(command.run)
        return command
    run, alone = _begun_at_once(command.run), typer.Typer()
    alone.command()(run)
    typer.main.get_command(alone)
    return replace(command, name=command.shown, run=run)


def _begun_at_once(run: Callable[..., Any]) -> Callable[..., Any]:
    begun = wraps(run)(partial(begin_work, run))
    begun.__signature__ = inspect.signature(run, eval_str=True)  # type: ignore[attr-defined]
    return begun


COMMANDS = _find_commands()
"""The commands of ours and of other packages, in the order of the help."""


class Commands(HelpfulGroup):
    """All commands, in the order of the panels."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands' names."""
        return [command.shown for command in COMMANDS]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of these words; where the first is none, what they were meant as (see `mistakes`)."""
        if args and args[0] not in self.commands and not ctx.resilient_parsing:
            args = command_meant(args, self.commands)
            if args[0] in ("--help", "--version"):
                typer.echo(ctx.get_help() if args[0] == "--help" else VERSION)
                raise typer.Exit()
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    help="Read documents that are longer than a language model can read well, and answer questions with citations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add(command: Command) -> None:
    """Add a command or a group of them to the app."""
    if not isinstance(command.run, typer.Typer):
        app.command(command.shown, cls=HelpfulCommand, rich_help_panel=command.panel)(with_log(command.run))
        return
    for each in command.run.registered_commands:
        each.cls = HelpfulCommand
        each.callback = with_log(each.callback) if each.callback else None
    if (of_group := command.run.registered_callback) and of_group.callback:  # a group that is a command too
        of_group.callback = with_log(of_group.callback)
    app.add_typer(command.run, name=command.shown, rich_help_panel=command.panel)


for command in COMMANDS:
    _add(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(VERSION)
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
    except OSError as problem:
        from readgraph.cli.faults import report_output_error, report_own_code

        log_fault(problem)
        report_own_code(problem)
        report_output_error(problem)
    except SystemExit as system_exit:
        if system_exit.code == STOPPED:
            for stop_signal in (signal.SIGINT, signal.SIGTERM):
                signal.signal(stop_signal, signal.SIG_IGN)  # the command is stopping already
            typer.echo(f"readgraph: stopped. {what_goes_on() or KEPT}", err=True)
        raise
    sys.exit(2)

"""The commands that typer makes of what plugs in: each only when it is run, or its own help is shown."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from typing import Any

import typer

import readgraph
from readgraph.cli.declaring import PANELS, Command
from readgraph.cli.help import HELPING, HelpfulCommand, HelpfulGroup
from readgraph.cli.mistakes import command_meant
from readgraph.cli.process import begin_work
from readgraph.cli.terminal.doing import say_doing
from readgraph.plugins import leave_out, plugged_in
from readgraph.state.installed import object_at


def version_line() -> str:
    """The name and the version of the command."""
    return f"readgraph {readgraph.__version__}"


_ALL = list[Command]()
"""The commands of ours and of other packages, and those of groups of ours that stand elsewhere; filled below."""


def _find_commands() -> list[Command]:
    """The commands of ours and of other packages; what is named as another is, or can't be one, is left out."""
    commands = dict[str, Command]()
    for package, command in plugged_in("commands", Command):
        name = f"{command.within} {command.shown}".strip()
        if name in commands:
            leave_out(package, f"there is another command '{name}'")
        elif command.within and command.within not in commands:
            leave_out(package, f"there is no group of commands '{command.within}' for '{command.shown}'")
        elif isinstance(command.run, str) or not package or _can_be_made(package, command):
            commands[name] = command
    panels = {panel: number for number, panel in enumerate(PANELS)}
    return sorted(commands.values(), key=lambda command: (panels.get(command.panel, len(panels)), command.order))


def _can_be_made(package: str, command: Command) -> bool:
    try:
        make_command(command)
    except Exception as problem:
        leave_out(package, f"no command '{command.shown}' can be made of its function: {problem}")
        return False
    return True


def try_commands() -> None:
    """Make the commands of other packages that only say where they stand, so that it is known which can't be made."""
    for package, command in plugged_in("commands", Command):
        if package and isinstance(command.run, str):
            _can_be_made(package, command)


@cache
def make_command(command: Command) -> Any:
    """The command as typer makes it; what it is made of is imported."""
    run = _function_of(command)
    alone = typer.Typer(add_completion=False)
    about: dict[str, Any] = {"rich_help_panel": command.panel}
    if isinstance(run, typer.Typer):
        for inner in _ALL:
            if inner.within == command.shown:
                run.command(inner.shown)(_function_of(inner))
        _for_each_function(run)
        alone.add_typer(run, name=command.shown, **about | ({"help": command.line} if command.line else {}))
    else:
        summary, _, more = (inspect.getdoc(run) or "").partition("\n\n")
        whole = "\n\n".join(filter(None, [command.line or summary, more]))
        alone.command(command.shown, cls=HelpfulCommand, help=whole, **about)(_as_work(run))
    return typer.main.get_group(alone).commands[command.shown]


def _function_of(command: Command) -> Any:
    """What a command runs, imported where the command names it."""
    return object_at(command.run, f"The command '{command.shown}'") if isinstance(command.run, str) else command.run


def _for_each_function(group: typer.Typer) -> None:
    """Make what each command of a group does, and what the group itself does, the work of a command."""
    for command in group.registered_commands:
        command.cls = HelpfulCommand
        command.callback = command.callback and _as_work(command.callback)
    if (of_group := group.registered_callback) and of_group.callback:  # a group that is a command too
        of_group.callback = _as_work(of_group.callback)


def _as_work(run: Callable[..., Any]) -> Callable[..., Any]:
    """A command's function with the option of a log; Ctrl-C interrupts it from its beginning on."""
    from readgraph.cli.options.output import with_log

    @wraps(run)
    def begun(*values: Any, **named: Any) -> Any:
        begin_work()
        say_doing("Working")
        return run(*values, **named)

    begun.__signature__ = inspect.signature(run, eval_str=True)  # type: ignore[attr-defined]
    return with_log(begun)


_ALL += _find_commands()  # which tries commands of other packages: groups of theirs are whole without it
COMMANDS = {command.shown: command for command in _ALL if not command.within}
"""The commands of ours and of other packages by their names, in the order of the help."""


class _MadeCommands(Mapping[str, Any]):
    """The commands by their names, each of which is made when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        return make_command(COMMANDS[name])

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Commands(HelpfulGroup):
    """All commands, in the order of the panels."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = _MadeCommands()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; typer's own switches are off, not None, for which it would import pydantic."""
        for switch in (option for option in self.get_params(ctx) if option.is_flag):
            switch.default = switch.default or False
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands' names."""
        return [*COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name; while all are listed, one that has only what the list shows of it."""
        command = COMMANDS.get(cmd_name)
        if command and command.line and ctx.meta.get(HELPING):
            return HelpfulCommand(command.shown, help=command.line, rich_help_panel=command.panel)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of these words; where the first is none, what they were meant as (see `mistakes`)."""
        if args and args[0] not in COMMANDS and not ctx.resilient_parsing:
            args = command_meant(args, COMMANDS)
            if args[0] in ("--help", "--version"):
                typer.echo(ctx.get_help() if args[0] == "--help" else version_line())
                raise typer.Exit()
        return super().resolve_command(ctx, args)

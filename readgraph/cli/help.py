"""The help of commands in plain words: `--help` shows the common options, `--help-all` the panels of settings too."""

import sys
from copy import copy
from importlib import import_module
from types import SimpleNamespace
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from readgraph.state.errors import BadInput

_TYPES = {"int": "N", "float": "N", "str": "TEXT", "Path": "PATH", "path": "PATH", "file": "PATH", "bool": ""}
HELPING, _WHOLE = "readgraph.helping", "readgraph.whole_help"


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        context.meta[_WHOLE] = True
        typer.echo(context.get_help())
        raise typer.Exit()


HELP_ALL = Annotated[
    bool, typer.Option("--help-all", is_eager=True, callback=_show_all, help="Show all options and exit.")
]

UNUSED_IN_HELP = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
"""What typer's printer of help imports for programs that want it, by modules; it takes more than half of its time."""


def _made_when_used(module: str, name: str) -> type:
    """A class in place of one of a module, which is imported when the first object of it is made."""
    return type(name, (), {"__new__": lambda _, *given, **named: getattr(import_module(module), name)(*given, **named)})


def _import_printer_of_help() -> None:
    """Import typer's printer of help; what no help of ours has is imported where another package's help has it."""
    left_out = {module: name for module, name in UNUSED_IN_HELP.items() if module not in sys.modules}
    stand_ins: dict[str, Any] = {
        module: SimpleNamespace(**{name: _made_when_used(module, name)}) for module, name in left_out.items()
    }
    sys.modules.update(stand_ins)
    try:
        import_module("typer.rich_utils")
    finally:
        for module in left_out:
            del sys.modules[module]


class _PlainHelp:
    """What commands and groups have in common: options in the same order, with types in plain words, and none blank."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; refuses a blank one, as a variable of the shell without a value leaves it."""
        if not ctx.resilient_parsing:
            typed, *_ = self.make_parser(ctx).parse_args(args=[*args])  # type: ignore[attr-defined]
            for parameter in self.get_params(ctx):
                _refuse_blank(parameter, typed.get(parameter.name), ctx)
        parsed: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        return parsed

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _import_printer_of_help()
        ctx.meta[HELPING] = True
        try:
            super().format_help(ctx, formatter)  # type: ignore[misc]
        finally:
            ctx.meta[HELPING] = False

    def get_help_option_names(self, ctx: Any) -> list[str]:
        """The same order in each process."""
        return sorted(super().get_help_option_names(ctx), key=len)  # type: ignore[misc]

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters; while help is printed, copies of them as they are shown."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        if not ctx.meta.get(HELPING):
            return parameters
        return [
            _plain_parameter(parameter, ctx)
            for parameter in parameters
            if ctx.meta.get(_WHOLE) or not _panel(parameter)
        ]


class HelpfulCommand(_PlainHelp, TyperCommand):
    """A command whose help is short: panels other than the options' own are only named, unless all is asked for."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, and the names of the panels that it leaves out."""
        epilog, panels = self.epilog, dict.fromkeys(filter(None, map(_panel, self.params)))
        if panels and not ctx.meta.get(_WHOLE):
            self.epilog = f"More options, for {', '.join(panels)}: {ctx.command_path} --help-all"
        try:
            super().format_help(ctx, formatter)
        finally:
            self.epilog = epilog


class HelpfulGroup(_PlainHelp, TyperGroup):
    """A group of commands whose options have types in plain words."""


def _refuse_blank(parameter: Any, typed: Any, context: Any) -> None:
    """Raise `BadInput` for a blank value, but where the help says what '' means, or the command what its text lacks."""
    is_argument = isinstance(parameter, TyperArgument)
    is_text = is_argument and "str" in parameter.display_type(context)
    says_itself = (is_argument and parameter.nargs != 1) or (is_text and parameter.required)
    values = typed if isinstance(typed, list) else [typed]
    if says_itself or "''" in (parameter.help or "") or not any(isinstance(v, str) and not v.strip() for v in values):
        return
    name, instead = parameter.metavar if is_argument else parameter.opts[0], ", or leave it out"
    raise BadInput(f"{name} is empty: give it a value{'' if parameter.required else instead}.")


def _panel(parameter: Any) -> str | None:
    """The panel of an option that is not among the common ones; None where it is, or is hidden."""
    return None if getattr(parameter, "hidden", False) else getattr(parameter, "rich_help_panel", None)


def _plain_parameter(parameter: Any, context: Any) -> Any:
    shown = copy(parameter)
    kind, bounds = _readable(parameter.display_type(context).strip("<>").removesuffix(" range")), ""
    if isinstance(shown, TyperArgument):
        vars(shown)["display_type"] = lambda _: kind
    elif isinstance(shown, TyperOption):
        if shown.min is not None:
            bounds = f"≥ {shown.min}" if shown.max is None else f"{shown.min}–{shown.max}"
        shown.metavar = " ".join(filter(None, [kind if shown.metavar is None else shown.metavar, bounds]))
        shown.min = shown.max = None
        shown.opts = [", ".join(parameter.opts)]  # a short name has no column of its own
    return shown


def _readable(kind: str) -> str:
    if kind.startswith("list["):
        return f"{_readable(kind[len('list[') : -1])}…"
    return _TYPES.get(kind, kind)

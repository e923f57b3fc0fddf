"""How help looks: `--help` shows the common options, `--help-all` the panels of settings too; types in plain words."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

_TYPES = {"int": "N", "float": "N", "str": "TEXT", "Path": "PATH", "path": "PATH", "file": "PATH", "bool": ""}
_HELPING, _WHOLE = "readgraph.helping", "readgraph.whole_help"


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        context.meta[_WHOLE] = True
        typer.echo(context.get_help())
        raise typer.Exit()


HELP_ALL = Annotated[
    bool, typer.Option("--help-all", is_eager=True, callback=_show_all, help="Show all options and exit.")
]


class HelpfulCommand(TyperCommand):
    """A command whose help is short: panels other than the options' own are only named, unless all is asked for."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, and the names of the panels that it leaves out."""
        epilog, panels = self.epilog, dict.fromkeys(filter(None, map(_panel, self.params)))
        if panels and not ctx.meta.get(_WHOLE):
            self.epilog = f"More options, for {', '.join(panels)}: {ctx.command_path} --help-all"
        try:
            with _helping(ctx):
                super().format_help(ctx, formatter)
        finally:
            self.epilog = epilog

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters; while help is printed, copies of them as they are shown."""
        return _as_shown(super().get_params(ctx), ctx)


class HelpfulGroup(TyperGroup):
    """A group of commands whose options have types in plain words."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        with _helping(ctx):
            super().format_help(ctx, formatter)

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters; while help is printed, copies of them as they are shown."""
        return _as_shown(super().get_params(ctx), ctx)


@contextmanager
def _helping(context: Any) -> Iterator[None]:
    context.meta[_HELPING] = True
    try:
        yield
    finally:
        context.meta[_HELPING] = False


def _as_shown(parameters: list[Any], context: Any) -> list[Any]:
    if not context.meta.get(_HELPING):
        return parameters
    return [_shown(each, context) for each in parameters if context.meta.get(_WHOLE) or not _panel(each)]


def _panel(parameter: Any) -> str | None:
    """The panel of an option that is not among the common ones; None where it is, or is hidden."""
    return None if getattr(parameter, "hidden", False) else getattr(parameter, "rich_help_panel", None)


def _shown(parameter: Any, context: Any) -> Any:
    """The parameter with its type in plain words ("N ≥ 1", "PATH…") in place of Python's."""
    shown = copy(parameter)
    kind = _readable(parameter.display_type(context).strip("<>").removesuffix(" range"))
    if isinstance(shown, TyperArgument):
        vars(shown)["display_type"] = lambda _: kind
    elif isinstance(shown, TyperOption):
        shown.metavar = " ".join(filter(None, [kind if shown.metavar is None else shown.metavar, _bounds(shown)]))
        shown.min = shown.max = None
        shown.opts = [", ".join(parameter.opts)]  # a short name has no column of its own
    return shown


def _readable(kind: str) -> str:
    if kind.startswith("list["):
        return f"{_readable(kind[len('list[') : -1])}…"
    return _TYPES.get(kind, kind)


def _bounds(option: TyperOption) -> str:
    if option.min is None:
        return ""
    return f"≥ {option.min}" if option.max is None else f"{option.min}–{option.max}"

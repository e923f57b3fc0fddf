"""The option of a log, which every command has."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from readgraph.cli.terminal.command_log import begin_log

OPTION = "log_json"


def _begin(context: typer.Context, file: str | None) -> None:
    if file is not None and not context.resilient_parsing:
        begin_log(file, context.command_path.partition(" ")[2])


def with_log(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the option of a log; where its help is long, the option stands in a panel of rare ones."""
    own = inspect.signature(command).parameters
    if OPTION in own:  # the module of the command was run once more, under another name
        return command
    option = typer.Option(
        "--log-json",
        metavar="FILE",
        envvar="READGRAPH_LOG_JSON",
        is_eager=True,
        callback=_begin,
        show_default=False,
        rich_help_panel="Output" if "help_all" in own else None,
        help="Append what it does to a log, one JSON object a line; - stands for standard error.",
    )

    @wraps(command)
    def logged(**values: Any) -> Any:
        values.pop(OPTION, None)  # its callback has begun the log already
        return command(**values)

    annotation = Annotated[str | None, option]
    added = inspect.Parameter(OPTION, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=None)
    logged.__signature__ = inspect.Signature([*own.values(), added])  # type: ignore[attr-defined]
    logged.__annotations__ = {each.name: each.annotation for each in (*own.values(), added)}
    return logged

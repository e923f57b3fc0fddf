"""Settings as options, and how several options become one argument of a command."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, field, fields
from functools import wraps
from typing import Annotated, Any, get_args

from typer import Argument, Option

from readgraph.cli.help import HELP_ALL
from readgraph.cli.shell import PROFILES, completer_of, languages, models, values_of
from readgraph.state import settings as group
from readgraph.state.declaring import RENAMED, Declaration, Groups, declarations_of, format_default

Command = Callable[..., None]


def with_options(kind: type[Any]) -> Callable[[Command], Command]:
    """Add the fields of a dataclass to a command as its arguments and options; the command gets them as `options`."""

    def default(field: Field[Any]) -> Any:
        if field.default_factory is not MISSING:
            return field.default_factory()
        return inspect.Parameter.empty if field.default is MISSING else field.default

    def annotation(field: Field[Any]) -> Any:
        declared = field.metadata.get(DECLARED)
        return Annotated[field.type, declared] if declared else field.type

    declared = {each.name: (annotation(each), default(each)) for each in fields(kind)}
    return lambda command: _add_parameters(command, declared, "options", kind)


DECLARED = "declared"  # what a field of options is on the command line, in its metadata


def option(*flags: str, default: Any = None, **more: Any) -> Any:
    """A field of options: an option of the command; `...` as default: it must be given."""
    return _field(Option(*flags, **more), default)


def argument(*, default: Any = ..., **more: Any) -> Any:
    """A field of options: an argument of the command, which must be given where it has no default."""
    return _field(Argument(**more), default)


def _field(declared: Any, default: Any) -> Any:
    factory = {"default_factory": list} if default == [] else {"default": MISSING if default is ... else default}
    return field(metadata={DECLARED: declared}, **factory)


def add_options(
    command: Command, options: dict[str, Any], argument: str = "", convert: Callable[..., Any] | None = None
) -> Command:
    """The command with these options, by their names; `convert` turns their values into the one `argument`.

    Without an argument the command isn't given their values, which only callbacks see.
    """
    declared = {name: (kind, False if get_args(kind)[0] is bool else None) for name, kind in options.items()}
    return _add_parameters(command, declared, argument, convert)


def _add_parameters(
    command: Command, declared: dict[str, tuple[Any, Any]], argument: str, convert: Callable[..., Any] | None
) -> Command:
    """The command with parameters, by their names with annotation and default."""

    @wraps(command)
    def run(**values: Any) -> Any:
        taken = {name: values.pop(name) for name in declared}
        return command(**({argument: convert(**taken)} if convert else {}), **values)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
        for name, (annotation, default) in declared.items()
    ]
    parameters = [
        parameter for parameter in inspect.signature(command).parameters.values() if parameter.name != argument
    ] + added
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


COMMON = ("model", "language", "answer_length", "max_calls")  # `--help` shows them, `--help-all` all settings

SHORT = {"model": ("-m",)}

COMPLETED = {
    "model": completer_of(models),
    "reading_model": completer_of(models),
    "language": completer_of(languages),
    "answer_length": completer_of(values_of(get_args(group.AnswerLength))),
}


def options_of(groups: Groups) -> dict[str, Any]:
    """The options of these groups of settings, by setting name; earlier names are accepted, and hidden in the help."""
    settings = {declaration.name: declaration for declaration in declarations_of(groups) if declaration.help.option}
    earlier = {old: settings[new]._replace(name=old) for old, new in RENAMED.items() if new in settings}
    shown = {name: _option(setting) for name, setting in settings.items()}
    return shown | {name: _option(setting, hidden=True) for name, setting in earlier.items()}


def _option(setting: Declaration, *, hidden: bool = False) -> Any:
    """One setting as an option. Its value is None if it isn't given: a file or profile may override the default."""
    flag, about = f"--{setting.name.replace('_', '-')}", setting.help
    panel = None if setting.name in COMMON else setting.panel
    more: dict[str, Any] = {"rich_help_panel": panel, "show_default": False, "hidden": hidden}
    shown = format_default(setting.default)
    more["help"] = f"{about.text} Default: {shown}." if shown else about.text
    if setting.kind is bool:
        switch = f"{flag}/--no-{flag[2:]}" if setting.default else flag
        return Annotated[bool | None, Option(switch, **more)]
    more |= {"metavar": about.metavar or None, "envvar": about.variable or None}
    more |= {"autocompletion": COMPLETED.get(setting.name)}
    if isinstance(setting.default, tuple):
        return Annotated[Any, Option(flag, parser=_names, **more)]
    flags = (flag, *SHORT.get(setting.name, ()))
    return Annotated[setting.kind | None, Option(*flags, min=setting.least, max=setting.most, **more)]


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


PROFILE: dict[str, Any] = {
    "profile": Annotated[
        str | None,
        Option(
            metavar="NAME",
            rich_help_panel="Parts",
            help=f"Sizes of the papers' experiments: {', '.join(PROFILES[:-1])} or {PROFILES[-1]}.",
            autocompletion=completer_of(values_of(PROFILES)),
        ),
    ]
}

MEMORIZING: Groups = (
    *(group.Model, group.ReadingModel, group.Concurrency, *group.settings_of_calls(), group.Budget),
    *(group.Language, group.Purpose, group.Rebuilding, group.Memorizing),
)
READING: Groups = (
    *(*MEMORIZING, group.Window, group.PageSizes, group.Pausing, group.Gists),
    *(group.Excerpt, group.Segments, group.Tree, *(each for each in group.GROUPS if each.reads)),
)
IN_PARTS: Groups = (
    *(group.Model, group.ReadingModel, group.Window, group.Concurrency),
    *(*group.settings_of_calls(), group.Budget, group.Language),
)
"""The settings that commands use: of building a memory, those of any method; `IN_PARTS`: of reading part by part."""


def with_context(
    groups: Groups, more: dict[str, Any] | None = None, *, looks: bool = False
) -> Callable[[Command], Command]:
    """Add the options of these groups of settings, and `more`, to a command, which gets them as `context`.

    An option left out comes from the profile, else from the settings file, else from the context's default. A command
    that `looks` at the settings file gets what is wrong with it, a `BadInput`, in place of a context.
    """

    def to_context(help_all: bool = False, **options: Any) -> Any:
        from readgraph.cli.settings import context_or_fault, reader_context

        return (context_or_fault if looks else reader_context)(**options)

    options = {**options_of(groups), **(more or {}), "help_all": HELP_ALL}
    return lambda command: add_options(command, options, "context", to_context)

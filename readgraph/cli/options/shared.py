"""The options that several commands share; a group of options becomes one argument of the command."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from readgraph.cli.shell.completing import (
    PROFILES,
    answer_lengths,
    collections,
    complete_sources,
    completing,
    languages,
    methods,
    models,
    profiles,
)
from readgraph.cli.shell.helping import HELP_ALL
from readgraph.state.declaring import RENAMED, Declaration, Groups, as_shown, declared
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import library_place
from readgraph.state.settings import (
    Batching,
    Budget,
    Calls,
    Chaining,
    Concurrency,
    Embeddings,
    Excerpt,
    Gists,
    Language,
    Memorizing,
    MemoryParts,
    Model,
    NoteTaking,
    PageSizes,
    Pausing,
    Purpose,
    ReadingModel,
    Rebuilding,
    Segments,
    Tree,
    Window,
)

Command = Callable[..., None]

COMMON = ("model", "language", "answer_length", "max_calls")
"""Settings whose options stand among those that `--help` shows; the others are shown by `--help-all`."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the result and nothing else.")]
LibraryFolder = Annotated[
    Any,  # Place | None: Typer takes no other unions
    typer.Option(
        "--library",
        metavar="FOLDER",
        envvar="READGRAPH_LIBRARY",
        parser=library_place,
        help="A folder or postgresql://user@host/db.",
    ),
]


def files(text: str) -> Any:
    """The argument for files and folders; `text` is its help."""
    return typer.Argument(
        metavar="FILE", parser=_path_named, help=text, show_default=False, autocompletion=complete_sources
    )


def _path_named(name: str) -> Path:
    if not name:  # for example an unset shell variable; the empty path would mean the current folder
        raise BadInput("A file name is empty: name a file, or '.' for the files of this folder.")
    from readgraph.sources.addresses import file_or_address

    return file_or_address(name)


QuestionText = Annotated[str, typer.Argument(metavar="QUESTION", show_default=False, help="What you want to know.")]
Option = Annotated[
    list[str] | None,
    typer.Option(help="One option of a multiple-choice question; repeat for each option.", show_default=False),
]
MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="How to read (read-agent): see 'readgraph methods'; or package.module:build, of your own.",
        show_default=False,
        autocompletion=completing(methods),
    ),
]
MemoryOfMethod = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="Take the memory of this method; else the newest.",
        autocompletion=completing(methods),
    ),
]
EstimateOnly = Annotated[
    bool, typer.Option("--estimate", help="Print how many calls and words it will take, without making a call.")
]
Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write a report: one HTML page that shows what was read.", show_default=False),
]
OpenReport = Annotated[bool, typer.Option("--open", help="Open the report in the browser.")]
CollectionName = Annotated[
    str | None,
    typer.Option(
        "--collection",
        metavar="NAME",
        help="Only the documents of this collection: see 'readgraph collection'.",
        rich_help_panel="Files",
        autocompletion=completing(collections),
    ),
]
Sure = Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")]
Glob = Annotated[
    str | None,
    typer.Option(
        help="Read only the files of folders that match, such as '*.md'.", metavar="PATTERN", rich_help_panel="Files"
    ),
]


def check_open(report: Path | None, *, opened: bool) -> None:
    """Raise `BadInput` where a report is to be opened and none is written."""
    if opened and not report:
        raise BadInput("--open opens the report: name a file for it with --report.")


COMPLETED = {
    "model": completing(models),
    "reading_model": completing(models),
    "language": completing(languages),
    "answer_length": completing(answer_lengths),
}
"""Settings whose values a shell completes."""


def options_of(groups: Groups) -> dict[str, Any]:
    """The options of these groups of settings, by setting name; earlier names are accepted, and hidden in the help."""
    settings = {each.name: each for each in declared(groups) if each.help.option}
    earlier = {old: settings[new]._replace(name=old) for old, new in RENAMED.items() if new in settings}
    shown = {name: _option(setting) for name, setting in settings.items()}
    return shown | {name: _option(setting, hidden=True) for name, setting in earlier.items()}


def _option(setting: Declaration, *, hidden: bool = False) -> Any:
    """One setting as an option. Its value is None if it isn't given: a file or profile may override the default."""
    flag, about = f"--{setting.name.replace('_', '-')}", setting.help
    panel = None if setting.name in COMMON else setting.panel
    more: dict[str, Any] = {"rich_help_panel": panel, "show_default": False, "hidden": hidden}
    more["help"] = _with_default(about.text, setting.default)
    if setting.kind is bool:
        switch = f"{flag}/--no-{flag[2:]}" if setting.default else flag
        return Annotated[bool | None, typer.Option(switch, **more)]
    more |= {"metavar": about.metavar or None, "envvar": about.variable or None}
    more |= {"autocompletion": COMPLETED.get(setting.name)}
    if isinstance(setting.default, tuple):
        return Annotated[Any, typer.Option(flag, parser=_names, **more)]
    return Annotated[setting.kind | None, typer.Option(flag, min=setting.least, max=setting.most, **more)]


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _with_default(text: str, default: Any) -> str:
    """The help text, followed by the default if there is one."""
    shown = as_shown(default)
    return f"{text} Default: {shown}." if shown else text


PROFILE: dict[str, Any] = {
    "profile": Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            rich_help_panel="Parts",
            help=f"Sizes of the papers' experiments: {', '.join(PROFILES[:-1])} or {PROFILES[-1]}.",
            autocompletion=completing(profiles),
        ),
    ]
}

MEMORIZING: Groups = (
    *(Model, ReadingModel, Concurrency, Calls, Batching, Budget),
    *(Language, Purpose, Rebuilding, Memorizing),
)
"""The settings that memorising uses."""

READING: Groups = (*MEMORIZING, Window, PageSizes, Pausing, Gists, Excerpt, Segments, Tree, NoteTaking)
"""The settings that building a memory uses, by any of the methods."""

CHATTING: Groups = (Model, Embeddings, Window, PageSizes, Budget, Calls, Language, Chaining, MemoryParts)
"""The settings that talking with an agent uses."""

OUTPUT = "Output"
"""The panel of rare options for what is printed."""

SCREEN: dict[str, Any] = {
    "as_json": Json,
    "quiet": Quiet,
    "verbose": Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Show each step and each refused reply.", rich_help_panel=OUTPUT),
    ],
    "price": Annotated[
        str | None,
        typer.Option(
            metavar="IN/OUT",
            show_default=False,
            rich_help_panel=OUTPUT,
            help="Dollars per million input and output tokens, such as 0.4/1.6; known prices are built in.",
        ),
    ],
}


def typed(run: typer.Context) -> list[str]:
    """The options that were typed on the command line, such as "--json"; not those from environment variables."""
    options = [each for each in run.command.params if each.param_type_name == "option"]
    sources = {each.opts[0]: run.get_parameter_source(each.name or "") for each in options}
    return [option for option, source in sources.items() if source and source.name == "COMMANDLINE"]


def check_alone(run: typer.Context, effect: str, option: str, *compatible: str) -> None:
    """Raise `BadInput` where other options were typed than this one and its compatible ones."""
    if others := [each for each in typed(run) if each not in (option, *compatible)]:
        raise BadInput(f"{option} {effect}: leave {', '.join(others)} out.")


def with_context(groups: Groups, more: dict[str, Any] | None = None) -> Callable[[Command], Command]:
    """Add the options of these groups of settings, and `more`, to a command, which gets them as `context`.

    An option left out comes from the profile, else from the settings file, else from the context's default.
    """

    def to_context(help_all: bool = False, **options: Any) -> Any:
        from readgraph.cli.settings import reader_context

        return reader_context(**options)

    options = {**options_of(groups), **(more or {}), "help_all": HELP_ALL}
    return lambda command: _with_group(command, "context", options, to_context)


def with_screen(command: Command) -> Command:
    """Add the options for printed output to a command, which gets them as `screen`."""

    def to_screen(**options: Any) -> Any:
        from readgraph.cli.terminal.output_options import Screen

        return Screen.of(**options)

    return _with_group(command, "screen", SCREEN, to_screen)


def _with_group(command: Command, argument: str, options: dict[str, Any], convert: Callable[..., Any]) -> Command:
    """The command with these options as parameters; `convert` turns their values into the one `argument`."""

    @wraps(command)
    def with_group(**values: Any) -> None:
        group = {name: values.pop(name) for name in options}
        command(**{argument: convert(**group)}, **values)

    own = inspect.signature(command).parameters.values()
    more = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=False if is_flag(annotation) else None
        )
        for name, annotation in options.items()
    ]
    parameters = [*(parameter for parameter in own if parameter.name != argument), *more]
    with_group.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_group.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_group


def is_flag(annotation: Any) -> bool:
    """Whether an option is either on or off, with no third state."""
    return get_args(annotation)[0] is bool

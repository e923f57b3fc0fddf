"""Options for what is printed and written, and which options stand beside which."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Protocol

from typer import Context, Option

from readgraph.cli.log import begin_log
from readgraph.cli.options.settings import Command, add_options, with_context, with_options
from readgraph.state.declaring import Groups
from readgraph.state.errors import BadInput

OUTPUT = "Output"
Json = Annotated[bool, Option("--json", help="Print JSON for programs.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Print the result and nothing else.")]


def price_option(panel: str | None = None) -> Any:
    """The option of a price, in a panel of the help."""
    return Option(
        metavar="IN/OUT",
        rich_help_panel=panel,
        help="Dollars per million input and output tokens, such as 0.4/1.6; known prices are built in.",
    )


SCREEN: dict[str, Any] = {
    "as_json": Json,
    "quiet": Quiet,
    "verbose": Annotated[
        bool, Option("--verbose", "-v", help="Show each step and each refused reply.", rich_help_panel=OUTPUT)
    ],
    "price": Annotated[str | None, price_option(OUTPUT)],
}


def with_screen(command: Command) -> Command:
    """Add the options for printed output to a command, which gets them as `screen`."""

    def to_screen(**options: Any) -> Any:
        from readgraph.cli.terminal.screen import OutputOptions

        return OutputOptions.of(**options)

    return add_options(command, SCREEN, "screen", to_screen)


def with_run(kind: type[Any], groups: Groups, more: dict[str, Any] | None = None) -> Callable[[Command], Command]:
    """Add a command's own options, those for printed output, and settings: it gets `options`, `screen`, `context`."""
    return lambda command: with_context(groups, more)(with_screen(with_options(kind)(command)))


def with_log(command: Command) -> Command:
    """The command with the option of a log; where its help is long, the option stands in a panel of rare ones."""
    own = inspect.signature(command).parameters
    if "log_json" in own:  # the module of the command was run once more, under another name
        return command

    def begin(run: Context, file: str | None) -> None:
        if file is not None and not run.resilient_parsing:
            begin_log(file, run.command_path.partition(" ")[2])

    option = Option(
        "--log-json",
        metavar="FILE",
        envvar="READGRAPH_LOG_JSON",
        is_eager=True,
        callback=begin,
        rich_help_panel=OUTPUT if "help_all" in own else None,
        help="Append what it does to a log, one JSON object a line; - stands for standard error.",
    )
    return add_options(command, {"log_json": Annotated[str | None, option]})


Report = Annotated[Path | None, Option(metavar="FILE", help="Write a report: one HTML page that shows what was read.")]
OpenReport = Annotated[bool, Option("--open", help="Open the report in the browser.")]
ShowSteps = Annotated[bool, Option("--show-steps", help="Print what each step did and took.")]


class ReportOptions(Protocol):
    """The options of a command whose result can be shown step by step, or as a report."""

    @property
    def show_steps(self) -> bool:
        """Whether its steps are printed."""

    @property
    def report(self) -> Path | None:
        """The file of the report."""

    @property
    def opened(self) -> bool:
        """Whether the report is opened in the browser."""


def check_open(report: Path | None, *, opened: bool) -> None:
    """Raise `BadInput` where a report is to be opened and none is written."""
    if opened and not report:
        raise BadInput("--open opens the report: name a file for it with --report.")


def check_estimate(options: Any, what: str, *of_result: str) -> None:
    """Raise `BadInput` where `--estimate` stands beside options that show or write a result, as `what` says."""
    if options.estimate and (unused := [f"--{name.replace('_', '-')}" for name in of_result if getattr(options, name)]):
        raise BadInput(f"--estimate reads nothing that could be {what}: leave {', '.join(unused)} out.")


def find_typed_options(run: Context) -> list[str]:
    """The options that were typed on the command line, such as "--json"; not those from environment variables."""
    options = [param for param in run.command.params if param.param_type_name == "option"]
    sources = {parameter.opts[0]: run.get_parameter_source(parameter.name or "") for parameter in options}
    return [option for option, source in sources.items() if source and source.name == "COMMANDLINE"]


def check_alone(run: Context, effect: str, option: str, *compatible: str) -> None:
    """Raise `BadInput` where other options were typed than this one and its compatible ones."""
    if others := [each for each in find_typed_options(run) if each not in (option, *compatible)]:
        raise BadInput(f"{option} {effect}: leave {', '.join(others)} out.")

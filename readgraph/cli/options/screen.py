"""Options for what is printed, all of which are a command's one `screen`."""

from typing import Annotated, Any

import typer

from readgraph.cli.shell.grouped import Command, added

OUTPUT = "Output"
"""The panel of rare options for what is printed."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the result and nothing else.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show each step and each refused reply.", rich_help_panel=OUTPUT)
]


def price_option(panel: str | None = None) -> Any:
    """The option of a price, in a panel of the help."""
    return typer.Option(
        metavar="IN/OUT",
        show_default=False,
        rich_help_panel=panel,
        help="Dollars per million input and output tokens, such as 0.4/1.6; known prices are built in.",
    )


SCREEN: dict[str, Any] = {
    "as_json": Json,
    "quiet": Quiet,
    "verbose": Verbose,
    "price": Annotated[str | None, price_option(OUTPUT)],
}


def with_screen(command: Command) -> Command:
    """Add the options for printed output to a command, which gets them as `screen`."""

    def to_screen(**options: Any) -> Any:
        from readgraph.cli.terminal.output_options import Screen

        return Screen.of(**options)

    return added(command, "screen", SCREEN, to_screen)

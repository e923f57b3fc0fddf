"""Options for what is left of an answer: its report, and its steps on the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from readgraph.state.errors import BadInput

Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write a report: one HTML page that shows what was read.", show_default=False),
]
OpenReport = Annotated[bool, typer.Option("--open", help="Open the report in the browser.")]
ShowSteps = Annotated[bool, typer.Option("--show-steps", help="Print what each step did and took.")]


def check_open(report: Path | None, *, opened: bool) -> None:
    """Raise `BadInput` where a report is to be opened and none is written."""
    if opened and not report:
        raise BadInput("--open opens the report: name a file for it with --report.")


def check_estimate(what: str, **options: object) -> None:
    """Raise `BadInput` where options were given, by their names, that are of no use to an estimate.

    `what` they would do with what is read: "shown" or "written".
    """
    if unused := [f"--{name.replace('_', '-')}" for name, given in options.items() if given]:
        raise BadInput(f"--estimate reads nothing that could be {what}: leave {', '.join(unused)} out.")

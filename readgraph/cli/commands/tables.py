"""The command that makes a table of a whole text."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from readgraph.cli.options.shared import (
    EstimateOnly,
    Glob,
    LibraryFolder,
    OpenReport,
    Report,
    check_open,
    files,
    with_context,
    with_screen,
)
from readgraph.state.errors import BadInput
from readgraph.state.settings import (
    Batching,
    Budget,
    Calls,
    Concurrency,
    Language,
    Model,
    Paragraphs,
    ReadingModel,
    Rebuilding,
    Surveying,
    Window,
)

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

table_commands = typer.Typer()

TABLING = (
    *(Model, ReadingModel, Window, Concurrency, Calls, Batching, Budget),
    *(Language, Paragraphs, Rebuilding, Surveying),
)
"""The settings that a survey uses up to its table."""


@table_commands.command()
@with_context(TABLING)
@with_screen
def table(
    paths: Annotated[
        list[Path] | None,
        files(
            "Files, folders and https:// addresses (several make one table), - for standard input, or documents in "
            "the library."
        ),
    ] = None,
    *,
    wanted: Annotated[
        str,
        typer.Argument(
            metavar="WHAT", show_default=False, help="What the rows are, and the columns: the last argument."
        ),
    ],
    context: "ReaderContext",
    screen: "Screen",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the table to this file, in the form that its ending says: .csv, .json, .xlsx or .md.",
            show_default=False,
        ),
    ] = None,
    glob: Glob = None,
    estimate: EstimateOnly = False,
    library: LibraryFolder = None,
    report: Report = None,
    opened: OpenReport = False,
) -> None:
    """Make a table of all that documents hold of one kind; each row has the quote that shows it, and its place.

    All of the text is read, part by part. What was read is kept, so more files, or a changed file, cost only what is
    new.

    Example: readgraph table book.epub "every person: name, role, first appearance" --out people.csv
    """
    check_open(report, opened=opened)
    if estimate:
        from readgraph.cli.run.estimate import estimate as print_estimate
        from readgraph.cli.run.reading.table import check_wanted

        if unused := [name for name, given in (("--out", out), ("--report", report)) if given]:
            raise BadInput(f"--estimate reads nothing that could be written: leave {', '.join(unused)} out.")
        check_wanted(paths or [], wanted)
        print_estimate(paths or [], glob, wanted, "survey", context, library, screen)
        return
    from readgraph.cli.run.reading.table import make_table

    make_table(paths or [], wanted, glob, out, context, library, screen, report=report, opened=opened)

"""The command that makes a table of a whole text."""

from typing import TYPE_CHECKING

import typer

from readgraph.cli.options.reading import TableOptions
from readgraph.cli.options.reports import check_estimate, check_open
from readgraph.cli.options.screen import with_screen
from readgraph.cli.options.settings import with_context
from readgraph.cli.shell.grouped import with_options
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
@with_options(TableOptions)
def table(options: TableOptions, context: "ReaderContext", screen: "Screen") -> None:
    """Make a table of all that documents hold of one kind; each row has the quote that shows it, and its place.

    All of the text is read, part by part. What was read is kept, so more files, or a changed file, cost only what is
    new.

    Example: readgraph table book.epub "every person: name, role, first appearance" --out people.csv
    """
    check_open(options.report, opened=options.opened)
    if options.estimate:
        check_estimate("written", out=options.out, report=options.report)
    from readgraph.cli.run.reading.table import estimate_table, make_table

    (estimate_table if options.estimate else make_table)(options, context, screen)

"""The command that summarises."""

from typing import TYPE_CHECKING

import typer

from readgraph.cli.options.reading import SummariseOptions
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
    Purpose,
    ReadingModel,
    Rebuilding,
    Window,
)

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

summarising_commands = typer.Typer()

SUMMARISING = (Model, ReadingModel, Window, Concurrency, Calls, Batching, Budget, Language, Purpose, Rebuilding)
"""The settings that a summary uses, without those of the notes, which may be there already."""


@summarising_commands.command()
@with_context(SUMMARISING)
@with_screen
@with_options(SummariseOptions)
def summarise(options: SummariseOptions, context: "ReaderContext", screen: "Screen") -> None:
    """Summarise documents, or a part of them. Each sentence names where it stands, and is checked against the text.

    It is made from the notes that the library has; what was not read before is read first.

    Example: readgraph summarise book.epub --words 500 --part "Part two" --model openai:gpt-4.1-mini
    """
    check_open(options.report, opened=options.opened)
    if options.estimate:
        check_estimate("shown", show_steps=options.show_steps, report=options.report)
    from readgraph.cli.run.reading.summarise import estimate_summaries, summarise_documents

    (estimate_summaries if options.estimate else summarise_documents)(options, context, screen)

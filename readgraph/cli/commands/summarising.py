"""The command that summarises."""

from dataclasses import replace
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
def summarise(
    paths: Annotated[
        list[Path],
        files(
            "Files, folders and https:// addresses (several are read as one), - for standard input, or a document "
            "in the library."
        ),
    ],
    context: "ReaderContext",
    screen: "Screen",
    words: Annotated[
        int | None,
        typer.Option(metavar="N", min=20, help="At most this many words (300).", show_default=False),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Only this part: a heading, its number, or pages: 'Part two', 3.2, 'pages 10-20'.",
            show_default=False,
        ),
    ] = None,
    about: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What the summary is to be about, such as 'the money'.", show_default=False),
    ] = None,
    check: Annotated[
        bool | None,
        typer.Option("--check/--no-check", help="Check each sentence against its pages (yes).", show_default=False),
    ] = None,
    glob: Glob = None,
    estimate: EstimateOnly = False,
    library: LibraryFolder = None,
    show_steps: Annotated[
        bool,
        typer.Option("--show-steps", help="Print what each step did and took."),
    ] = False,
    report: Report = None,
    opened: OpenReport = False,
) -> None:
    """Summarise documents, or a part of them. Each sentence names where it stands, and is checked against the text.

    It is made from the notes that the library has; what was not read before is read first.

    Example: readgraph summarise book.epub --words 500 --part "Part two" --model openai:gpt-4.1-mini
    """
    check_open(report, opened=opened)
    from readgraph.cli.run.reading.summarise import Wanted, estimate_summaries, summarise_documents

    context = context if words is None else replace(context, summary_words=words)
    context = context if check is None else replace(context, check_sentences=check)
    wanted = Wanted(part, about)
    if estimate:
        if unused := [name for name, given in (("--show-steps", show_steps), ("--report", report)) if given]:
            raise BadInput(f"--estimate reads nothing that could be shown: leave {', '.join(unused)} out.")
        estimate_summaries(paths, glob, wanted, context, library, screen)
        return
    screen = replace(screen, steps=show_steps)
    summarise_documents(paths, glob, wanted, context, library, screen, report=report, opened=opened)

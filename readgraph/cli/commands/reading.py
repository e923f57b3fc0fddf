"""The commands that read: build memories, append sessions to a history, answer questions."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from readgraph.cli.options.shared import (
    MEMORIZING,
    PROFILE,
    READING,
    CollectionName,
    EstimateOnly,
    Glob,
    LibraryFolder,
    MethodName,
    OpenReport,
    Option,
    QuestionText,
    Report,
    check_open,
    files,
    with_context,
    with_screen,
)
from readgraph.state.errors import BadInput
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

reading_commands = typer.Typer()


@reading_commands.command()
@with_context(READING, PROFILE)
@with_screen
def read(
    paths: Annotated[
        list[Path],
        files(
            "Files, folders and https:// addresses: text, Markdown, HTML, PDF, EPUB, Word, OpenDocument, RTF, "
            "PowerPoint, CSV, Jupyter notebooks, subtitles, reStructuredText, exported chats; - for standard input."
        ),
    ],
    context: "ReaderContext",
    screen: "Screen",
    glob: Glob = None,
    method: MethodName = None,
    estimate: EstimateOnly = False,
    library: LibraryFolder = None,
) -> None:
    """Read documents: cut them into parts and keep a gist of each. An interrupted reading resumes where it stopped.

    Example: readgraph read book.epub letters/ --glob '*.md' --model openai:gpt-4.1-mini
    """
    if estimate:
        from readgraph.cli.run.estimate import estimate as print_estimate

        print_estimate(paths, glob, None, method, context, library, screen)
        return
    from readgraph.cli.run.reading.read import read_documents

    read_documents(paths, glob, method, context, library, screen)


@reading_commands.command()
@with_context(MEMORIZING)
@with_screen
def remember(
    history: Annotated[str, typer.Argument(metavar="HISTORY", help="Name of the history; a new name creates one.")],
    paths: Annotated[list[Path], files("Files and folders of sessions; - for standard input.")],
    context: "ReaderContext",
    screen: "Screen",
    glob: Glob = None,
    sessions_at: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="A session begins at each line that matches; named groups: 'title', 'time'. "
            "Default: at headings such as '## Session 3, 12 March 2024'.",
            show_default=False,
        ),
    ] = None,
    gap: Annotated[
        float | None,
        typer.Option(
            metavar="HOURS",
            min=0.1,
            help="In an exported chat, a session ends where nobody wrote for this long. Default: each day is one.",
            show_default=False,
        ),
    ] = None,
    library: LibraryFolder = None,
) -> None:
    """Append sessions to a history and memorise what is new: a memo and a header for each part.

    A file is one session, unless it has session headings: then each heading starts one. In a .jsonl file, each line
    is a session. Exported chats of WhatsApp (.txt, .zip), Slack (folder, .zip), ChatGPT and Claude (.json, .zip) have a
    session for each day.

    Sessions that the history already holds are skipped. If interrupted, run the same command again to continue.
    """
    from readgraph.cli.run.reading.remember import remember_sessions

    remember_sessions(history, paths, glob, sessions_at, gap, context, library, screen)


@reading_commands.command()
@with_context(GROUPS, PROFILE)
@with_screen
def ask(
    question: QuestionText,
    context: "ReaderContext",
    screen: "Screen",
    paths: Annotated[
        list[Path] | None,
        files(
            "Files, folders and https:// addresses (several are read as one), - for standard input, or documents in "
            "the library; without any, the documents of the library that share most words with the question."
        ),
    ] = None,
    glob: Glob = None,
    follow_up: Annotated[
        bool,
        typer.Option("--continue", help="Ask a follow-up to the last question; the model sees it with its answer."),
    ] = False,
    documents: Annotated[
        int | None,
        typer.Option(
            "--documents",
            min=1,
            metavar="N",
            rich_help_panel="Files",
            help="Without FILE: read at most this many of the library's documents (3).",
        ),
    ] = None,
    collection: CollectionName = None,
    option: Option = None,
    method: MethodName = None,
    estimate: EstimateOnly = False,
    library: LibraryFolder = None,
    show_steps: Annotated[
        bool,
        typer.Option("--show-steps", help="Print what each step did and took."),
    ] = False,
    report: Report = None,
    opened: OpenReport = False,
) -> None:
    """Answer a question about documents, and quote the passages that support the answer.

    Examples:
    readgraph ask "Who took the log book?" examples/the-lamp-at-sarn-head.txt

    readgraph ask "Who took the log book?"

    readgraph ask --continue "And for whom?"

    """
    check_open(report, opened=opened)
    from readgraph.tools.picking import Choice

    choice = Choice(documents, collection)
    if estimate:
        from readgraph.cli.run.estimate import estimate as print_estimate

        if follow_up:
            raise BadInput("A follow-up can't be estimated: leave --continue or --estimate out.")
        if unused := [name for name, given in (("--show-steps", show_steps), ("--report", report)) if given]:
            raise BadInput(f"--estimate reads nothing that could be shown: leave {', '.join(unused)} out.")
        print_estimate(paths or [], glob, question, method, context, library, screen, choice, option or [])
        return
    from readgraph.cli.run.reading.ask import ask_documents

    screen = replace(screen, steps=show_steps)
    ask_documents(
        question,
        option or [],
        paths or [],
        glob,
        method,
        context,
        library,
        screen,
        follow_up=follow_up,
        report=report,
        opened=opened,
        choice=choice,
    )

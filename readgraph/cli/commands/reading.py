"""The commands that read: build memories, append sessions to a history, answer questions."""

from typing import TYPE_CHECKING

import typer

from readgraph.cli.options.asking import AskOptions
from readgraph.cli.options.reading import ReadOptions, RememberOptions
from readgraph.cli.options.reports import check_estimate, check_open
from readgraph.cli.options.screen import with_screen
from readgraph.cli.options.settings import MEMORIZING, PROFILE, READING, with_context
from readgraph.cli.shell.grouped import with_options
from readgraph.state.errors import BadInput
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

reading_commands = typer.Typer()


@reading_commands.command()
@with_context(READING, PROFILE)
@with_screen
@with_options(ReadOptions)
def read(options: ReadOptions, context: "ReaderContext", screen: "Screen") -> None:
    """Read documents: cut them into parts and keep a gist of each. An interrupted reading resumes where it stopped.

    Example: readgraph read book.epub letters/ --glob '*.md' --model openai:gpt-4.1-mini
    """
    from readgraph.cli.run.reading.read import estimate_documents, read_documents

    (estimate_documents if options.estimate else read_documents)(options, context, screen)


@reading_commands.command()
@with_context(MEMORIZING)
@with_screen
@with_options(RememberOptions)
def remember(options: RememberOptions, context: "ReaderContext", screen: "Screen") -> None:
    """Append sessions to a history and memorise what is new: a memo and a header for each part.

    A file is one session, unless it has session headings: then each heading starts one. In a .jsonl file, each line
    is a session. Exported chats of WhatsApp (.txt, .zip), Slack (folder, .zip), ChatGPT and Claude (.json, .zip) have a
    session for each day.

    Sessions that the history already holds are skipped. If interrupted, run the same command again to continue.
    """
    from readgraph.cli.run.reading.remember import remember_sessions

    remember_sessions(options, context, screen)


@reading_commands.command()
@with_context(GROUPS, PROFILE)
@with_screen
@with_options(AskOptions)
def ask(options: AskOptions, context: "ReaderContext", screen: "Screen") -> None:
    """Answer a question about documents, and quote the passages that support the answer.

    Examples:
    readgraph ask "Who took the log book?" examples/the-lamp-at-sarn-head.txt

    readgraph ask "Who took the log book?"

    readgraph ask --continue "And for whom?"

    """
    check_open(options.report, opened=options.opened)
    if options.estimate and options.follow_up:
        raise BadInput("A follow-up can't be estimated: leave --continue or --estimate out.")
    if options.estimate:
        check_estimate("shown", show_steps=options.show_steps, report=options.report)
    from readgraph.cli.run.reading.ask import ask_documents, estimate_question

    (estimate_question if options.estimate else ask_documents)(options, context, screen)

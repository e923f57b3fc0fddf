"""The commands that read: read, remember, ask."""

from typing import TYPE_CHECKING

from readgraph.cli.options import reading as given
from readgraph.cli.options import settings
from readgraph.cli.options.output import check_estimate, check_open, with_run
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@with_run(given.ReadOptions, settings.READING, settings.PROFILE)
def read(options: given.ReadOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Read files into the library.

    Example: readgraph read book.epub letters/ --glob '*.md' --model openai:gpt-5.4-mini
    """
    from readgraph.cli.run.read import read_documents

    read_documents(options, context, screen)


@with_run(given.RememberOptions, settings.MEMORIZING)
def remember(options: given.RememberOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Append sessions to a history.

    A file is one session, unless it has session headings: then each heading starts one. In a .jsonl file, each line
    is a session. Exported chats (of Telegram, Signal, iMessage, Discord, Teams, WhatsApp, Slack, ChatGPT and others: a
    file, a .zip, or a folder) and e-mail (.eml, .mbox) have a session for each day.

    What coding agents keep is known too: a folder of Claude Code or Codex (.jsonl). Each of their sessions is one here.

    Sessions that the history already holds are skipped; of one that went on, only what is new is added. If interrupted,
    run the same command again to continue.
    """
    from readgraph.cli.run.read import remember_sessions

    remember_sessions(options, context, screen)


@with_run(given.AskOptions, GROUPS, settings.PROFILE)
def ask(options: given.AskOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Ask, or estimate what the answer will take.

    Examples:
    readgraph ask "Who took the log book?" examples/the-lamp-at-sarn-head.txt

    readgraph ask "Who took the log book?"

    readgraph ask --continue "And for whom?"

    """
    from readgraph.cli.run.ask import ask_documents, estimate_question

    check_open(options.report, opened=options.opened)
    check_estimate(options, "shown", "show_steps", "report", "save")
    work = estimate_question if options.estimate else ask_documents
    work(options, context, screen)

"""The commands that read: read, remember, ask, corpus, summarise, verify, table, compress, browse."""

from typing import TYPE_CHECKING

from readgraph.cli.commands import run_lazily, run_or_estimate
from readgraph.cli.options import reading as given
from readgraph.cli.options import settings
from readgraph.cli.options.output import with_run
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@with_run(given.ReadOptions, (*settings.READING, *(each for each in GROUPS if each.reads)), settings.PROFILE)
@run_lazily("readgraph.cli.run.read:read_documents")
def read(options: given.ReadOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Read documents: cut them into parts and keep a short note on each. An interrupted reading is continued.

    Example: readgraph read book.epub letters/ --glob '*.md' --model openai:gpt-5.4-mini
    """


@with_run(given.RememberOptions, settings.MEMORIZING)
@run_lazily("readgraph.cli.run.read:remember_sessions")
def remember(options: given.RememberOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Append sessions to a history and keep notes on what is new.

    A file is one session, unless it has session headings: then each heading starts one. In a .jsonl file, each line
    is a session. Exported chats of WhatsApp (.txt, .zip), Slack (folder, .zip), ChatGPT and Claude (.json, .zip), and
    e-mail (.eml, .mbox) have a session for each day.

    What coding agents keep is known too: a folder of Claude Code or Codex (.jsonl), and SQLite files of OpenAI's Agents
    SDK and of LangGraph. Each of their sessions is one here.

    Sessions that the history already holds are skipped; of one that went on, only what is new is added. If interrupted,
    run the same command again to continue.
    """


@with_run(given.AskOptions, GROUPS, settings.PROFILE)
@run_or_estimate(
    "readgraph.cli.run.ask:ask_documents", "readgraph.cli.run.ask:estimate_question", "shown", "show_steps", "report"
)
def ask(options: given.AskOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Answer a question about documents, and quote the passages that support the answer.

    Examples:
    readgraph ask "Who took the log book?" examples/the-lamp-at-sarn-head.txt

    readgraph ask "Who took the log book?"

    readgraph ask --continue "And for whom?"

    """

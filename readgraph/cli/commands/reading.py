"""The commands that read: read, remember, ask, corpus, summarise, verify, table, compress, browse."""

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option, Typer

from readgraph.cli.commands import run_lazily, run_or_estimate
from readgraph.cli.options import reading as given
from readgraph.cli.options import settings
from readgraph.cli.options.documents import LibraryFolder, Sure
from readgraph.cli.options.output import with_run, with_screen
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext

reading_commands = Typer()


@reading_commands.command()
@with_run(given.ReadOptions, settings.READING, settings.PROFILE)
@run_lazily("read.read_documents")
def read(options: given.ReadOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Read documents: cut them into parts and keep a short note on each. An interrupted reading is continued.

    Example: readgraph read book.epub letters/ --glob '*.md' --model openai:gpt-5.4-mini
    """


@reading_commands.command()
@with_run(given.RememberOptions, settings.MEMORIZING)
@run_lazily("read.remember_sessions")
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


@reading_commands.command()
@with_run(given.AskOptions, GROUPS, settings.PROFILE)
@run_or_estimate("ask.ask_documents", "ask.estimate_question", "shown", "show_steps", "report")
def ask(options: given.AskOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Answer a question about documents, and quote the passages that support the answer.

    Examples:
    readgraph ask "Who took the log book?" examples/the-lamp-at-sarn-head.txt

    readgraph ask "Who took the log book?"

    readgraph ask --continue "And for whom?"

    """


@reading_commands.command()
@with_run(given.CorpusOptions, settings.READING, settings.PROFILE)
@run_lazily("corpus.read_folders")
def corpus(options: given.CorpusOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Read every document of a folder, with many workers. What was read before is not read again.

    A document that can't be read is reported, and holds up no other. Each is read as 'readgraph read' does.

    Examples:
    readgraph corpus letters/ --glob '*.pdf' --workers 4 --model openai:gpt-5.4-mini

    readgraph corpus letters/ --watch

    readgraph corpus letters/ --list

    """


@reading_commands.command()
@with_run(given.SummariseOptions, settings.SUMMARISING)
@run_or_estimate("condense.summarise_documents", "condense.estimate_summaries", "shown", "show_steps", "report")
def summarise(options: given.SummariseOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Summarise documents, or a part of them. Each sentence names where it stands, and is checked against the text.

    It is made from the notes that the library has; what was not read before is read first.

    Example: readgraph summarise book.epub --words 500 --part "Part two" --model openai:gpt-5.4-mini
    """


@reading_commands.command()
@with_run(given.VerifyOptions, settings.VERIFYING)
@run_or_estimate("verify.verify_draft", "verify.estimate_check", "shown", "show_steps", "report", "out")
def verify(options: given.VerifyOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Check a text against documents, sentence by sentence: is it supported, contradicted, or not found?

    Each verdict comes with a quote, its place, and what differs. Quotes and citations in the text are checked as such.

    Without a model, rules decide what they can (numbers, dates, names, denials, quotes), and leave the rest open.

    The exit code is 1 where something is contradicted.

    Example: readgraph verify draft.md sources/ --report checked.html
    """


@reading_commands.command()
@with_run(given.WikiOptions, settings.WIKI)
@run_or_estimate("wiki.make_wiki", "wiki.estimate", "shown", "show_steps")
def wiki(options: given.WikiOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Make a wiki of documents: Markdown pages of persons, places, things and topics. Each sentence names its quote.

    Obsidian opens the folder. Made again, it is written only where the documents changed; what you wrote in it stays.

    'readgraph wiki check FOLDER' looks for dead links, quotes that no longer stand, and sentences that contradict each
    other; the exit code is 1 where there are any.

    Example: readgraph wiki my-wiki letters/
    """


@reading_commands.command()
@with_run(given.TableOptions, settings.TABLING)
@run_or_estimate("condense.make_table", "condense.estimate_table", "written", "out", "report")
def table(options: given.TableOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Make a table of all that documents hold of one kind; each row has the quote that shows it, and its place.

    All of the text is read, part by part. What was read is kept, so more files, or a changed file, cost only what is
    new.

    Example: readgraph table book.epub "every person: name, role, first appearance" --out people.csv
    """


@reading_commands.command()
@with_run(given.CompressOptions, settings.COMPRESSING)
@run_lazily("condense.compress_documents")
def compress(options: given.CompressOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Fit documents into a budget of tokens, for a prompt of your own. Standard output holds the text and nothing else.

    What is too long is shortened again until it fits, and never cut off. A text that fits is printed as it is.

    What was read is kept in the library, so another budget or question costs little.

    Example: readgraph compress book.epub --budget 800 --model openai:gpt-5.4-mini
    """


@reading_commands.command()
@settings.with_context(settings.BROWSING)
@with_screen
@run_lazily("browse.browse_site")
def browse(
    url: Annotated[str, Argument(metavar="URL", help="The page to begin with.")],
    instruction: Annotated[str, Argument(metavar="INSTRUCTION", help="What is to be done on the site.")],
    context: "ReaderContext",
    screen: "OutputOptions",
    driver: Annotated[
        str, Option(metavar="NAME", help="The browser: chromium, chrome, edge, or a Chromium's path.")
    ] = "chromium",
    sure: Sure = False,
    max_steps: Annotated[int, Option(min=1, metavar="N", help="End after this many steps.")] = 20,
    library: LibraryFolder = None,
) -> None:
    """Carry out an instruction on a web site, in a browser of this machine. You confirm each action before it happens.

    Nothing but the site that you name is visited: all other requests are blocked, and counted.

    Passwords are typed by you, and the model never sees them; where nobody can be asked, by READGRAPH_PASSWORD.

    Example: readgraph browse https://shop.example "Put a storm lantern into the basket" --model openai:gpt-5.4-mini
    """

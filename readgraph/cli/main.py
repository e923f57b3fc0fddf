"""The command `readgraph`: its arguments, and errors as one line with exit code 2."""

import atexit
import gc
import io
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

import readgraph
from readgraph.cli.agents import agents
from readgraph.cli.evaluation_commands import evaluation_commands
from readgraph.cli.method_commands import method_commands
from readgraph.cli.options import (
    ANY_METHOD,
    BUILDING,
    CHATTING,
    GROWING,
    MEMORIZING,
    READING,
    EstimateOnly,
    Glob,
    Json,
    LibraryFolder,
    MethodName,
    Option,
    QuestionText,
    Report,
    Sure,
    files,
    with_context,
    with_screen,
)
from readgraph.cli.reply_commands import replies
from readgraph.state.errors import ReadgraphError

if TYPE_CHECKING:
    from readgraph.cli.screen import Screen
    from readgraph.state.context import ReaderContext

STOPPED = 130
"""Exit code of Ctrl-C."""

app = typer.Typer(
    help="Read documents that are longer than a language model can read well, and answer questions with citations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
@with_context({**READING, **GROWING, **MEMORIZING})
@with_screen
def read(
    paths: Annotated[
        list[Path], files("Files and folders: text, Markdown, HTML, PDF, EPUB, Word; - for standard input.")
    ],
    context: "ReaderContext",
    screen: "Screen",
    glob: Glob = None,
    method: MethodName = None,
    estimate: EstimateOnly = False,
    library: LibraryFolder = None,
) -> None:
    """Read documents: cut them into pages and keep a gist of each. Stopped, it goes on where it was.

    Example: readgraph read book.epub letters/ --glob '*.md' --model openai:gpt-4.1-mini
    """
    if estimate:
        from readgraph.cli.estimating import estimate as print_estimate

        print_estimate(paths, glob, None, method, context, library, screen)
        return
    from readgraph.cli.reading import read_documents

    read_documents(paths, glob, method, context, library, screen)


@app.command()
@with_context({**BUILDING, **MEMORIZING})
@with_screen
def remember(
    history: Annotated[str, typer.Argument(metavar="HISTORY", help="The history's name; a new one begins with it.")],
    paths: Annotated[list[Path], files("Files and folders of sessions; - for standard input.")],
    context: "ReaderContext",
    screen: "Screen",
    glob: Glob = None,
    sessions_at: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="A session begins at each line like this, with groups 'title' and 'time'. "
            "Not given: at headings such as '## Session 3, 12 March 2024'.",
            show_default=False,
        ),
    ] = None,
    library: LibraryFolder = None,
) -> None:
    """Append sessions to a history and memorise what is new: a memo and a header for each page.

    A file is one session, or one for each heading of one; of a .jsonl file, each line is one.

    What the history holds already is passed over. Stopped, the same command goes on where it was.
    """
    from readgraph.cli.remembering import remember_sessions

    remember_sessions(history, paths, glob, sessions_at, context, library, screen)


@app.command()
@with_context(ANY_METHOD)
@with_screen
def ask(
    question: QuestionText,
    context: "ReaderContext",
    screen: "Screen",
    paths: Annotated[
        list[Path] | None,
        files("Files and folders (several are read as one), - for standard input, or a document in the library."),
    ] = None,
    glob: Glob = None,
    follow_up: Annotated[
        bool, typer.Option("--continue", help="Go on from the last question; it knows what was asked and answered.")
    ] = False,
    option: Option = None,
    method: MethodName = None,
    estimate: EstimateOnly = False,
    library: LibraryFolder = None,
    show_steps: Annotated[bool, typer.Option("--show-steps", help="Print what each step did and used.")] = False,
    report: Report = None,
) -> None:
    """Answer a question about documents, with the words of the text that show it.

    Examples:
    readgraph ask "Who took the log book?" examples/the-lamp-at-sarn-head.txt

    readgraph ask --continue "And for whom?"

    """
    if estimate:
        from readgraph.cli.estimating import estimate as print_estimate

        asked = " ".join([question, *(option or [])])
        print_estimate(paths or [], glob, asked, method, context, library, screen)
        return
    from readgraph.cli.asking import ask_documents

    screen = replace(screen, steps=show_steps)
    ask_documents(
        question, option or [], paths or [], glob, method, context, library, screen, follow_up=follow_up, report=report
    )


@app.command()
def show(
    document: Annotated[
        str,
        typer.Argument(metavar="DOCUMENT", help="A document whose pages to show: a file, an id or a title."),
    ] = "",
    library: LibraryFolder = None,
    report: Report = None,
    as_json: Json = False,
) -> None:
    """List what the library holds, or a document's pages with their gists."""
    from readgraph.cli.showing import report_document, show_document, show_library

    if report:
        report_document(document, library, report)
    elif document:
        show_document(document, library, as_json=as_json)
    else:
        show_library(library, as_json=as_json)


@app.command()
def forget(
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="A file, an id or a title.", show_default=False)],
    yes: Sure = False,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Delete a document from the library: text, memories, recorded replies, checkpoints."""
    from readgraph.cli.forgetting import forget as forget_named

    forget_named(document, library, sure=yes, as_json=as_json)


@app.command()
@with_context(CHATTING)
def chat(
    context: "ReaderContext",
    agent: Annotated[str, typer.Option(metavar="NAME", help="Whom to talk with; a new name begins a new life.")] = (
        "default"
    ),
    every: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="TIME PROMPT", help="Wake the agent with a prompt, such as: --every 10m 'What is open?'"),
    ] = None,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Talk with an agent that remembers: it keeps all that was said, and goes on where you left it."""
    from readgraph.cli.chat import talk

    talk(agent, every, context, library, as_json=as_json)


app.add_typer(agents, name="agents")


@app.command()
def models(
    model: Annotated[
        str, typer.Argument(metavar="PROVIDER:NAME", envvar="READGRAPH_MODEL", help="The model to check.")
    ] = "",
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that the call may take.")] = 30.0,
    as_json: Json = False,
) -> None:
    """Check a model with one tiny call, and say which form of typed reply it takes."""
    from readgraph.cli.checking import check_model

    check_model(model, timeout, as_json=as_json)


app.add_typer(method_commands)
app.add_typer(evaluation_commands)

app.add_typer(replies, name="replies")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"readgraph {readgraph.__version__}")
        raise typer.Exit()


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Read documents that are longer than a language model can read well, and answer questions with citations."""


def _end(*_: object) -> None:
    """End as Ctrl-C does, also where a shell began the command in the background, which ignores Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)


def run() -> NoReturn:
    """Run the command; what a person can mend is one line on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that can't show a character still gets the rest
    atexit.register(gc.freeze)  # the system takes all back at once; piece by piece takes a fifth of a short command
    signal.signal(signal.SIGTERM, _end)
    try:
        code = app(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code)
    except (ReadgraphError, typer.TyperException) as problem:
        from readgraph.cli.faults import tell

        tell(problem)
    except OSError as problem:
        from readgraph.cli.faults import tell_of_output

        tell_of_output(problem)
    except SystemExit as ended:
        if ended.code == STOPPED:
            for ending in (signal.SIGINT, signal.SIGTERM):
                signal.signal(ending, signal.SIG_IGN)  # it ends already
            typer.echo("readgraph: stopped. What was read is kept; the same command goes on from here.", err=True)
        raise
    sys.exit(2)

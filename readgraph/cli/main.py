"""The command `readgraph`: its arguments, and errors as one line with exit code 2."""

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

import readgraph
from readgraph.cli.agents import agents
from readgraph.cli.arguments import Json, LibraryFolder
from readgraph.cli.options import CHATTING, LOOKING_UP, READING, with_options
from readgraph.state.errors import ReadgraphError

if TYPE_CHECKING:
    from readgraph.state.context import ReaderContext

STOPPED = 130
"""Exit code of Ctrl-C."""

app = typer.Typer(
    help="Read documents that are longer than a language model can read well, and answer questions with citations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

MethodName = Annotated[str, typer.Option("--method", metavar="NAME", help="How to read: read-agent or mem-gpt.")]
SourceFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Text, Markdown, HTML, PDF, EPUB or Word; - is standard input.")
]


@app.command()
@with_options(READING)
def read(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…", help="Files and folders: text, Markdown, HTML, PDF, EPUB, Word; - for standard input."
        ),
    ],
    context: "ReaderContext",
    glob: Annotated[
        str | None, typer.Option(help="Of folders, only files like this: '*.md'.", metavar="PATTERN")
    ] = None,
    method: MethodName = "read-agent",
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Read documents: cut them into pages and keep a gist of each. Stopped, it goes on where it was."""
    from readgraph.cli.reading import read_documents

    read_documents(paths, glob, method, context, library, as_json=as_json)


@app.command()
@with_options({**READING, **LOOKING_UP})
def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", show_default=False, help="What you want to know.")],
    path: SourceFile,
    context: "ReaderContext",
    option: Annotated[
        list[str] | None, typer.Option(help="One option of a multiple choice; give each its own.", show_default=False)
    ] = None,
    method: MethodName = "read-agent",
    library: LibraryFolder = None,
    show_steps: Annotated[bool, typer.Option("--show-steps", help="Print what each step did and used.")] = False,
    as_json: Json = False,
) -> None:
    """Answer a question about a document, with the words of the text that show it.

    Example: readgraph ask "Who took the log book?" examples/the-lamp-at-sarn-head.txt
    """
    from readgraph.cli.reading import ask_document

    ask_document(question, option or [], path, method, context, library, show_steps=show_steps, as_json=as_json)


@app.command()
def show(
    document: Annotated[
        str,
        typer.Argument(metavar="[DOCUMENT]", help="A document whose pages to show: a file, an id or a title."),
    ] = "",
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """List what the library holds, or a document's pages with their gists."""
    from readgraph.cli.showing import show_document, show_library

    if document:
        show_document(document, library, as_json=as_json)
    else:
        show_library(library, as_json=as_json)


@app.command()
def forget(
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="A file, an id or a title.", show_default=False)],
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    library: LibraryFolder = None,
    as_json: Json = False,
) -> None:
    """Delete a document from the library: text, memories, recorded replies, checkpoints."""
    from readgraph.cli.forgetting import forget as forget_named

    forget_named(document, library, sure=yes, as_json=as_json)


@app.command()
@with_options(CHATTING)
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


replies = typer.Typer(help="Move recorded replies, so that anyone can replay a run without paying for it.")
app.add_typer(replies, name="replies")
Archive = Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A file of JSON lines.", show_default=False)]


@replies.command("export")
def export_replies(
    file: Archive,
    document: Annotated[str, typer.Option(help="Only the replies about this document: a file, an id or a title.")] = "",
    library: LibraryFolder = None,
) -> None:
    """Write the recorded replies to a file."""
    from readgraph.cli.archiving import export_replies as export

    export(file, document, library)


@replies.command("import")
def import_replies(file: Archive, library: LibraryFolder = None) -> None:
    """Take the replies of a file in; what is recorded already stays as it is."""
    from readgraph.cli.archiving import import_replies as take_in

    take_in(file, library)


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


def run() -> NoReturn:
    """Run the command; what a person can mend is one line on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that can't show a character still gets the rest
    try:
        app()
    except ReadgraphError as problem:
        typer.echo(f"readgraph: {problem}", err=True)
    except SystemExit as ended:
        if ended.code == STOPPED:
            typer.echo("readgraph: stopped. What was read is kept; the same command goes on from here.", err=True)
        raise
    sys.exit(2)

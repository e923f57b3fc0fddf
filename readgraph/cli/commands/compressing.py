"""The command that fits documents into a budget of tokens."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from readgraph.cli.options.shared import Glob, LibraryFolder, files, with_context, with_screen
from readgraph.state.settings import Batching, Budget, Calls, Concurrency, Language, Model, Window

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

compressing_commands = typer.Typer()

COMPRESSING = (Model, Window, Concurrency, Calls, Batching, Budget, Language)
"""The settings that all engines use."""


@compressing_commands.command()
@with_context(COMPRESSING)
@with_screen
def compress(
    paths: Annotated[
        list[Path],
        files(
            "Files, folders and https:// addresses (several are read as one), - for standard input, or a document "
            "in the library."
        ),
    ],
    context: "ReaderContext",
    screen: "Screen",
    budget: Annotated[int, typer.Option(metavar="TOKENS", help="Fit the text into this many tokens.")],
    question: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Print the answer to this question, within the budget, instead of the shortened text."
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            metavar="ID",
            help="How to compress: readagent_gist, memwalker_tree, gam_memos, extractive, or another package's engine.",
        ),
    ] = "readagent_gist",
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write what was done, as JSON: steps, replies, sizes, time.", show_default=False
        ),
    ] = None,
    glob: Glob = None,
    library: LibraryFolder = None,
) -> None:
    """Fit documents into a budget of tokens, for a prompt of your own. Standard output holds the text and nothing else.

    What is too long is shortened again until it fits, and never cut off. A text that fits is printed as it is.

    What was read is kept in the library, so another budget or question costs little.

    Example: readgraph compress book.epub --budget 800 --model openai:gpt-4.1-mini
    """
    from readgraph.cli.run.reading.compress import compress_documents

    compress_documents(paths, glob, budget, question, engine, trace, context, library, screen)

"""The command that fits documents into a budget of tokens."""

from typing import TYPE_CHECKING

import typer

from readgraph.cli.options.reading import CompressOptions
from readgraph.cli.options.screen import with_screen
from readgraph.cli.options.settings import with_context
from readgraph.cli.shell.grouped import with_options
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
@with_options(CompressOptions)
def compress(options: CompressOptions, context: "ReaderContext", screen: "Screen") -> None:
    """Fit documents into a budget of tokens, for a prompt of your own. Standard output holds the text and nothing else.

    What is too long is shortened again until it fits, and never cut off. A text that fits is printed as it is.

    What was read is kept in the library, so another budget or question costs little.

    Example: readgraph compress book.epub --budget 800 --model openai:gpt-4.1-mini
    """
    from readgraph.cli.run.reading.compress import compress_documents

    compress_documents(options, context, screen)

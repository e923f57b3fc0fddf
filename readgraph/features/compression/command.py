"""The command that compresses."""

from typing import TYPE_CHECKING

from readgraph.cli.commands import run_lazily
from readgraph.cli.options import reading as given
from readgraph.cli.options import settings
from readgraph.cli.options.output import with_run

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@with_run(given.CompressOptions, settings.COMPRESSING)
@run_lazily("readgraph.cli.run.condense:compress_documents")
def compress(options: given.CompressOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Fit documents into a budget of tokens, for a prompt of your own. Standard output holds the text and nothing else.

    What is too long is shortened again until it fits, and never cut off. A text that fits is printed as it is.

    What was read is kept in the library, so another budget or question costs little.

    Example: readgraph compress book.epub --budget 800 --model openai:gpt-5.4-mini
    """

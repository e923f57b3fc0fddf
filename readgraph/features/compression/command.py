"""The command that compresses."""

from typing import TYPE_CHECKING

from readgraph.cli.options.output import with_run
from readgraph.cli.options.settings import IN_PARTS
from readgraph.features.compression.options import CompressOptions
from readgraph.state.settings import ReadingModel

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext

SETTINGS = tuple(part for part in IN_PARTS if part is not ReadingModel)  # and those of any engine


@with_run(CompressOptions, SETTINGS)
def compress(options: CompressOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Compress documents into a budget.

    What is too long is shortened again until it fits, and never cut off. A text that fits is printed as it is.

    What was read is kept in the library, so another budget or question costs little.

    Example: readgraph compress book.epub --budget 800 --model openai:gpt-5.4-mini
    """
    from readgraph.features.compression.run import compress_documents

    compress_documents(options, context, screen)

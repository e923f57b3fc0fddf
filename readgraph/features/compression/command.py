"""The command that compresses."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import FILES_AS_ONE, FollowLinks, Glob, LibraryFolder, files
from readgraph.cli.options.output import with_run
from readgraph.cli.options.settings import IN_PARTS, option
from readgraph.state.settings import ReadingModel

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@dataclass(frozen=True, kw_only=True)
class CompressOptions:
    """Which documents are to fit into how many tokens, by which engine."""

    paths: list[Path] = files(FILES_AS_ONE)
    budget: int = option(default=..., metavar="TOKENS", help="Fit the text into this many tokens.")
    question: str | None = option(
        metavar="TEXT", help="Print the answer to this question, within the budget, instead of the shortened text."
    )
    engine: str = option(
        default="readagent_gist",
        metavar="ID",
        help="How to compress: readagent_gist, memwalker_tree, gam_memos, extractive, or another package's engine.",
    )
    trace: Path | None = option(
        metavar="FILE", help="Write what was done, as JSON: steps, replies, sizes, time.", show_default=False
    )
    glob: Glob = None
    follow_links: FollowLinks = False
    as_of: shared.AsOf = ""
    library: LibraryFolder = None


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

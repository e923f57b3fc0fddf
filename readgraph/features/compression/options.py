"""The options of `compress`."""

from dataclasses import dataclass
from pathlib import Path

from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import FILES_AS_ONE, FollowLinks, Glob, LibraryFolder, files
from readgraph.cli.options.settings import option


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

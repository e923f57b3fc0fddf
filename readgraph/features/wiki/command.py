"""The command that makes a wiki."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import FILES_OR_ALL, EstimateOnly, FollowLinks, Glob, LibraryFolder, files
from readgraph.cli.options.output import ShowSteps, check_estimate, with_run
from readgraph.cli.options.settings import IN_PARTS, argument
from readgraph.state.settings import Paragraphs, Rebuilding

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@dataclass(frozen=True, kw_only=True)
class WikiOptions:
    """Which folder holds the wiki, and of which documents it is."""

    folder: Path = argument(
        metavar="FOLDER",
        help="The folder of the wiki; it is made where there is none. Or 'check', and then the folder.",
    )
    paths: list[Path] = files(FILES_OR_ALL, default=[])
    glob: Glob = None
    follow_links: FollowLinks = False
    collection: shared.CollectionName = None
    as_of: shared.AsOf = ""
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False


SETTINGS = (*IN_PARTS, Paragraphs, Rebuilding)


@with_run(WikiOptions, SETTINGS)
def wiki(options: WikiOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Make a wiki, or estimate what it will take.

    Obsidian opens the folder. Made again, it is written only where the documents changed; what you wrote in it stays.

    'readgraph wiki check FOLDER' looks for dead links, quotes that no longer stand, and sentences that contradict each
    other; the exit code is 1 where there are any.

    Example: readgraph wiki my-wiki letters/
    """
    from readgraph.features.wiki.run import estimate, make_wiki

    check_estimate(options, "shown", "show_steps")
    (estimate if options.estimate else make_wiki)(options, context, screen)
